package io.heddle.tests.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.AccessRefusedException;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.HeddleException;
import io.heddle.context.ThreadMode;
import io.heddle.context.UnreachableException;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What shared memory needs, taken away piece by piece: what is said names the transport and the reason. */
@ExtendWith(HygieneExtension.class)
@Timeout(30)
class PreconditionsTest {
    @TempDir(factory = SharedMemoryTemp.class)
    Path temp;

    @Test
    @StandsFor("A2")
    void shouldSayWhyTheDirectoryWillNotDo() throws IOException {
        assertRefused(HeddleException.class, temp.resolve("none").resolve("heddle"), "its parent is missing: parent=");
        assertRefused(AccessRefusedException.class, Files.createFile(temp.resolve("file")), "not a directory: ");
        assertRefused(AccessRefusedException.class, Files.createSymbolicLink(temp.resolve("link"), temp),
            "symbolic links are not followed: ");
        final Path open = Files.createDirectory(temp.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertRefused(AccessRefusedException.class, open, "permissions=755 must be 700; ");
        assertRefused(HeddleException.class, temp.resolve("x".repeat(90)), "choose a shorter heddle.directory");
    }

    private static void assertRefused(final Class<? extends HeddleException> type, final Path directory,
        final String text) {
        final ContextConfig config = new ContextConfig().directory(directory);
        final HeddleException refused = assertThrows(type, () -> Context.create(config));
        assertTrue(refused.getMessage().contains(text), refused::getMessage);
        assertTrue(refused.getMessage().contains(directory.toString()), refused::getMessage);
    }

    @Test
    @StandsFor("A2")
    void shouldSayWhyAPeerCannotBeReached() throws IOException {
        try (Context context = Context.create();
             Worker worker = Worker.create(context, ThreadMode.MULTI);
             Context other = Context.create(new ContextConfig().directory(temp.resolve("heddle")));
             Worker peer = Worker.create(other, ThreadMode.MULTI)) {
            final WorkerAddress address = peer.address();
            final Endpoint reached = Endpoint.create(worker, address);
            assertTrue(reached.describe().contains("[transport=shm state=") && reached.describe().contains(
                " rejected={}"), reached::describe);
            assertTrue(worker.describe().contains(" transports=[shm] rejected={} "), worker::describe);
            await("connected").until(() -> worker.progress() + peer.progress() >= 0 && reached.isConnected());
            reached.close(); // the segment was unlinked before: nobody looks for it in the directory any more

            Files.move(temp.resolve("heddle"), temp.resolve("away"));
            assertEquals("shm=[directory missing: directory=" + temp.resolve("heddle")
                + "; is it shared with the peer's container?]", refusal(worker, address));
            Files.move(temp.resolve("away"), temp.resolve("heddle"));

            final String version = refusal(worker, WorkerAddress.ofBytes(otherVersion(address.toBytes())));
            assertTrue(version.matches("shm=\\[other layout version: local=\\d+ remote=\\d+]"), version);
        }
    }

    @Test
    @StandsFor("A2")
    void shouldDescribeAnEndpointThatFoundNobody() {
        try (Context context = Context.create(); Worker worker = Worker.create(context, ThreadMode.MULTI)) {
            final Endpoint endpoint = Endpoint.create(worker, "nobody");

            Awaitility.await("told").until(() -> worker.progress() >= 0 && endpoint.failure() != null);

            assertTrue(endpoint.describe().contains(" status=UNREACHABLE "), endpoint::describe);
            assertTrue(endpoint.describe().contains("[transport=shm state=UNREACHABLE reason=no listener named nobody: "
                + "directory="), endpoint::describe);
        }
    }

    private static String refusal(final Worker worker, final WorkerAddress address) {
        return assertThrows(UnreachableException.class, () -> Endpoint.create(worker, address)).getMessage()
            .split(": ", 2)[1];
    }

    /** After the transport's name: length u16, format u8, layout version u16, little endian. */
    private static byte[] otherVersion(final byte[] address) {
        final int name = new String(address, StandardCharsets.ISO_8859_1).indexOf("shm");
        final byte[] changed = address.clone();
        changed[name + 3 + 2 + 1]++;
        return changed;
    }
}
