package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.tests.pair.PairJvm;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * Run by {@link SmallSpaceTest} where the directory given is a small tmpfs that only it and its
 * children see: four JVMs, each connected to each, with the default configuration.
 */
final class SmallSpaceDriver {
    private static final int JVMS = 4;
    private static final int COUNT = 300;
    private static final String SIZES_VARY = "0";

    private final Path directory;
    private final List<PairJvm> jvms = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();

    private SmallSpaceDriver(final Path directory) {
        this.directory = directory;
    }

    public static void main(final String[] arguments) throws Exception {
        final SmallSpaceDriver driver = new SmallSpaceDriver(Path.of(arguments[0]));
        try {
            driver.run();
        } finally {
            for (final PairJvm jvm : driver.jvms) {
                jvm.close();
            }
        }
    }

    private void run() throws Exception {
        for (int i = 0; i < JVMS; i++) {
            jvms.add(PairJvm.start(directory, "-XX:TieredStopAtLevel=1"));
        }
        openAll();
        exchange("at 64 MB");
        closeAll();
        assertEquals(0, new ProcessBuilder("mount", "-o", "remount,size=8m", directory.toString()).start().waitFor());
        openAll();
        jvms.get(0).tell("open x MULTI");
        jvms.get(0).tell("connect x to-y " + jvms.get(1).tell("open y MULTI"));
        exchange("at 8 MB");
        assertTrue(jvms.get(0).tell("describe a").contains("growthRefused=[not enough shared memory: directory="
            + directory.resolve("heddle")), () -> "what could not be had is named");
        refuseInAFullFileSystem();
    }

    private static String name(final int index) {
        return Character.toString('a' + index);
    }

    private void openAll() throws IOException {
        addresses.clear();
        for (int i = 0; i < JVMS; i++) {
            addresses.add(jvms.get(i).tell("open " + name(i) + " MULTI"));
        }
        for (int i = 0; i < JVMS; i++) {
            for (int j = 0; j < JVMS; j++) {
                if (i != j) {
                    jvms.get(i).tell("connect " + name(i) + " to-" + name(j) + ' ' + addresses.get(j));
                }
            }
        }
    }

    /** Everybody sends to everybody; all arrives, checked and in order. */
    private void exchange(final String when) throws IOException {
        for (int i = 0; i < JVMS; i++) {
            for (int j = 0; j < JVMS; j++) {
                if (i != j) {
                    jvms.get(i).tell("sending " + name(i) + " to-" + name(j) + ' ' + COUNT + ' ' + SIZES_VARY + " 1");
                }
            }
        }
        for (int i = 0; i < JVMS; i++) {
            awaitReceived(i, name(i), (JVMS - 1) * COUNT);
        }
        final FileStore store = Files.getFileStore(directory);
        System.out.println("4 JVMs all to all " + when + ": used=" + (store.getTotalSpace() - store.getUsableSpace())
            + " of " + store.getTotalSpace() + " bytes");
    }

    private void awaitReceived(final int index, final String name, final int count) throws IOException {
        Awaitility.await("received").atMost(60, TimeUnit.SECONDS)
            .until(() -> jvms.get(index).number(name, "received") == count);
        jvms.get(index).assertNoProblem(name);
    }

    /** A context that cannot be made says so and leaves nothing; a pair goes on, and it can be made later. */
    private void refuseInAFullFileSystem() throws IOException {
        final int last = JVMS - 1;
        jvms.get(last).tell("close " + name(last));
        final Path filler = directory.resolve("filler");
        FullSpaceChild.fill(filler);
        final List<String> before = FullSpaceChild.files(directory.resolve("heddle"));

        final String refusal = jvms.get(last).tellInVain("open " + name(last) + " MULTI");

        assertTrue(refusal.matches(".*NoSharedMemoryException: not enough shared memory: directory="
            + directory.resolve("heddle") + " neededBytes=\\d+ availableBytes=\\d+; change the size of its file "
            + "system.*heddle.directory.*"), refusal);
        assertEquals(before, FullSpaceChild.files(directory.resolve("heddle")));
        jvms.get(0).tell("send x to-y " + COUNT + ' ' + SIZES_VARY + " 1");
        awaitReceived(1, "y", COUNT);

        Files.delete(filler);
        for (int i = 0; i < last; i++) {
            jvms.get(i).tell("close " + name(i));
        }
        jvms.get(last).tell("open " + name(last) + " MULTI");
    }

    private void closeAll() throws IOException {
        for (int i = 0; i < JVMS; i++) {
            jvms.get(i).tell("close " + name(i));
        }
    }
}
