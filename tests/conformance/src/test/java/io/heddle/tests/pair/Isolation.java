package io.heddle.tests.pair;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Commands to put before another, which give it name spaces of its own; where the machine forbids that, the test is
 * aborted with the reason. Stateless.
 */
public final class Isolation {
    /** Whom {@link #otherUser()} becomes. */
    public static final int OTHER_UID = 65_534;

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

    /** Another user, for whom nothing is mapped or hidden; only root can become one. */
    public static List<String> otherUser() throws IOException {
        return possible(List.of("setpriv", "--reuid=" + OTHER_UID, "--regid=" + OTHER_UID, "--clear-groups"));
    }

    /** A class path with what the classes come from, copied to where every user may read it. */
    public static String readableClassPath(final Path directory, final Class<?>... classes) throws IOException {
        final Set<Path> copies = new LinkedHashSet<>();
        try {
            for (final Class<?> each : classes) {
                final Path source = Path.of(each.getProtectionDomain().getCodeSource().getLocation().toURI());
                final Path copy = directory.resolve(source.toString().replace('/', '_'));
                if (copies.add(copy)) {
                    copy(source, copy);
                }
            }
        } catch (final URISyntaxException ex) {
            throw new IOException(ex);
        }
        return copies.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    private static void copy(final Path source, final Path target) throws IOException {
        try (Stream<Path> files = Files.walk(source)) {
            for (final Path file : files.toList()) {
                final Path copy = target.resolve(source.relativize(file).toString());
                Files.copy(file, copy);
                Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        }
    }

    private static List<String> possible(final List<String> launcher) throws IOException {
        final List<String> command = new ArrayList<>(launcher);
        command.add("true");
        final Process probe = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String said = new String(probe.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            assumeTrue(probe.waitFor() == 0, () -> "this machine does not allow " + launcher + ": " + said);
        } catch (final InterruptedException ex) {
            throw new IOException(ex);
        }
        return launcher;
    }
}
