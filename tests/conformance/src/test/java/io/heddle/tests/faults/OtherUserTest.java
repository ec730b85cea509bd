package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.context.spi.TransportProvider;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.pair.ChildRun;
import io.heddle.tests.pair.Isolation;
import io.heddle.worker.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/** Another user is refused at every door, also at one that was left open on purpose. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class OtherUserTest {
    @TempDir(factory = SharedMemoryTemp.class)
    Path temp;

    @Test
    @StandsFor("A2")
    @ExpectedLog("peerUser=\\S+ must be user=\\S+; processes of different users do not share memory")
    void shouldRefuseAnotherUser() throws Exception {
        final List<String> launcher = Isolation.otherUser();
        mode(temp, "rwxr-xr-x");
        final Path his = Files.createDirectory(temp.resolve("his"));
        Files.setAttribute(his, "unix:uid", Isolation.OTHER_UID);
        final Path closed = temp.resolve("closed");
        final Path open = temp.resolve("open");
        try (Context first = Context.create(new ContextConfig().directory(closed));
             Worker behind = Worker.create(first, ThreadMode.MULTI);
             Context second = Context.create(new ContextConfig().directory(open));
             Worker worker = Worker.create(second, ThreadMode.MULTI)) {
            final Path socket = socket(open);
            mode(open, "rwx--x--x");
            mode(socket, "rw-rw-rw-");

            final String said = ChildRun.of(Files.createDirectory(temp.resolve("run")), launcher, List.of(),
                classPath(Files.createDirectory(temp.resolve("classes"))), OtherUserChild.class,
                his.resolve("heddle").toString(), closed.toString(), behind.address().toHex(),
                worker.address().toHex(), socket.toString()).assertRight().output();

            final String who = "uid=" + Isolation.OTHER_UID;
            assertSaid(said, "theirs AccessRefusedException directory belongs to another user: directory=" + closed
                + " uid=\\d+ must be " + Isolation.OTHER_UID + "; choose another heddle.directory");
            assertSaid(said, "closed UnreachableException .*: shm=\\[directory closed to us: directory=" + closed
                + " peerUid=\\d+ " + who + "]");
            assertSaid(said, "open UnreachableException .*: shm=\\[not ours: directory=" + open
                + " owner=\\S+ must be owner=\\S+]");
            assertSaid(said, "raw .*peerUser=\\S+ must be user=\\S+; processes of different users .*");
            assertTrue(second.describe().contains("shm.control.refusals=1"), second::describe);
            assertStillServes(worker, behind);
        }
    }

    private static void assertSaid(final String said, final String line) {
        assertTrue(said.lines().anyMatch(each -> each.matches(line)), () -> line + "\n" + said);
    }

    private static void assertStillServes(final Worker worker, final Worker behind) {
        final Endpoint endpoint = Endpoint.create(behind, worker.address());
        Awaitility.await("connected").until(() -> {
            behind.progress();
            worker.progress();
            return endpoint.isConnected();
        });
    }

    private static void mode(final Path file, final String permissions) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private static Path socket(final Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".sock")).findFirst().orElseThrow();
        }
    }

    private static String classPath(final Path directory) throws IOException {
        mode(directory, "rwxr-xr-x");
        final Class<?> transport = ServiceLoader.load(TransportProvider.class).iterator().next().getClass();
        return Isolation.readableClassPath(directory, OtherUserChild.class, Context.class, transport, Worker.class,
            Endpoint.class, DirectBuffer.class, Logger.class);
    }
}
