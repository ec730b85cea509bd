package io.heddle.tests.pair;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Commands to put before another, which give it name spaces of its own; where the machine forbids that, the test is
 * aborted with the reason. Stateless.
 */
public final class Isolation {
    private Isolation() {
    }

    /** A tmpfs of that size, as {@code mount} reads it, where {@code directory} is; nobody else sees it. */
    public static List<String> smallFileSystem(final Path directory, final String size) throws IOException {
        return possible(List.of("unshare", "-Urm", "sh", "-c", "mount -t tmpfs -o size=" + size
            + " tmpfs \"$0\" && exec \"$@\"", directory.toString()));
    }

    /**
     * User, process and mount name spaces of its own, with a {@code /dev/shm} of its own that holds {@code shared}
     * alone, under the name {@code /dev/shm/<name>}. Whoever kills the launcher kills what runs in it.
     */
    public static List<String> container(final Path shared, final String name) throws IOException {
        final String script = "exec 3<\"$0\" && mount -t tmpfs tmpfs /dev/shm && mkdir -m 700 /dev/shm/" + name
            + " && mount --bind /proc/self/fd/3 /dev/shm/" + name + " && exec 3<&- && exec \"$@\"";
        return possible(List.of("unshare", "-Urmpf", "--mount-proc", "--kill-child", "sh", "-c", script,
            shared.toString()));
    }

    /** As it, with nothing shared. */
    public static List<String> container() throws IOException {
        return possible(List.of("unshare", "-Urmpf", "--mount-proc", "--kill-child", "sh", "-c",
            "mount -t tmpfs tmpfs \"$0\" && exec \"$@\"", "/dev/shm"));
    }

    private static List<String> possible(final List<String> launcher) throws IOException {
        final List<String> command = new ArrayList<>(launcher);
        command.add("true");
        final Process probe = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String said = new String(probe.getInputStream().readAllBytes());
        try {
            assumeTrue(probe.waitFor() == 0, () -> "this machine does not allow " + launcher + ": " + said);
        } catch (final InterruptedException ex) {
            throw new IOException(ex);
        }
        return launcher;
    }
}
