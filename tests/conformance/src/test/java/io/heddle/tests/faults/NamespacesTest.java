package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.RuntimeDirectories;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.pair.Isolation;
import io.heddle.tests.pair.PairChild;
import io.heddle.tests.pair.PairJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A JVM in user, process and mount name spaces of its own, and one outside. */
@Timeout(90)
class NamespacesTest {
    private static final String COUNT = "300";
    private static final String QUICK = "-XX:TieredStopAtLevel=1";

    @TempDir(factory = SharedMemoryTemp.class)
    Path temp;

    private Path shared() throws IOException {
        return Files.createDirectory(temp.resolve("heddle"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private PairJvm contained(final Path shared) throws IOException {
        return PairJvm.start(Isolation.container(shared, "other-name"), temp, Path.of("/dev/shm/other-name"),
            PairChild.class, QUICK);
    }

    @Test
    void shouldTalkThroughTheSharedDirectoryAloneAndNoticeDeath() throws Exception {
        final Path shared = shared();
        try (PairJvm outside = PairJvm.start(temp, QUICK)) {
            try (PairJvm inside = contained(shared)) {
                connect(outside, inside);
                talk(outside, inside);
                assertEquals(List.of(), RuntimeDirectories.sweep(shared, false).removed(), "all live");

                inside.kill();
                assertNoticed(outside, "outside");
            }
            outside.tell("close a");
            outside.clearEvents();
            try (PairJvm inside = contained(shared)) {
                connect(outside, inside);
                talk(outside, inside);

                outside.kill();
                assertNoticed(inside, "inside");
                final List<String> gone = RuntimeDirectories.sweep(shared, false).removed();
                assertTrue(gone.stream().anyMatch(name -> name.endsWith(".lock")), gone::toString);
                inside.tell("close b");
            }
        }
    }

    private static void connect(final PairJvm outside, final PairJvm inside) throws IOException {
        final String address = outside.tell("open a MULTI");
        outside.tell("connect a there " + inside.tell("open b MULTI"));
        inside.tell("connect b there " + address);
    }

    private static void talk(final PairJvm outside, final PairJvm inside) throws IOException {
        outside.tell("send a there " + COUNT + " 0 1");
        inside.tell("send b there " + COUNT + " 0 1");
        Awaitility.await("all received").atMost(30, TimeUnit.SECONDS).until(() ->
            outside.number("a", "received") == Long.parseLong(COUNT)
                && inside.number("b", "received") == Long.parseLong(COUNT));
        outside.assertNoProblem("a");
        inside.assertNoProblem("b");
    }

    private static void assertNoticed(final PairJvm survivor, final String where) throws InterruptedException {
        final long killedNs = System.nanoTime();
        final String event = survivor.event();
        assertTrue(event.contains("status=CONNECTION_RESET"), event);
        System.out.println("death in another pid name space noticed " + where + " after ms="
            + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killedNs));
    }

    @Test
    @StandsFor("A2")
    void shouldSayThatTheDirectoryIsNotShared() throws Exception {
        try (PairJvm outside = PairJvm.start(List.of(), temp, temp, PairChild.class, QUICK);
             PairJvm inside = PairJvm.start(Isolation.container(), temp, temp, PairChild.class, QUICK)) {
            outside.tell("open a MULTI");

            final String refusal = outside.tellInVain("connect a there " + inside.tell("open b MULTI"));

            assertTrue(refusal.contains("shm=[socket missing: socket=" + temp), refusal);
            assertTrue(refusal.contains("or in its container that directory is another one]"), refusal);
        }
    }
}
