package io.heddle.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A limit of the kernel against what connections take of it. Immutable.
 *
 * @param name          of the check
 * @param limit         of this process
 * @param used          of it by this JVM now
 * @param perConnection what a busy connection takes
 * @param cure          how the limit is raised
 */
record LimitCheck(String name, long limit, long used, long perConnection, String cure) {
    /** Fewer are worth a word, since servers have that many. */
    private static final long MANY_CONNECTIONS = 1_000;
    private static final long FEW_CONNECTIONS = 4;
    /** A socket. Segments are mapped and closed again. */
    private static final long DESCRIPTORS_PER_CONNECTION = 1;
    /** Its own segment and, by size class, those that its buffers lie in. */
    private static final long MAPPINGS_PER_CONNECTION = 16;
    private static final Pattern OPEN_FILES = Pattern.compile("Max open files\\s+(\\d+|unlimited)\\s");

    static Finding fileDescriptors() {
        final String name = "descriptors";
        final String cure = "ulimit -n 65536 (docker --ulimit nofile=65536)";
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            final Matcher matcher = OPEN_FILES.matcher(Files.readString(Path.of("/proc/self/limits")));
            final String limit = matcher.find() ? matcher.group(1) : "unlimited";
            return new LimitCheck(name, "unlimited".equals(limit) ? Long.MAX_VALUE : Long.parseLong(limit),
                open.count(), DESCRIPTORS_PER_CONNECTION, cure).finding();
        } catch (final IOException ex) {
            return unknown(name, ex);
        }
    }

    static Finding mappings() {
        final String name = "mappings";
        try (Stream<String> mapped = Files.lines(Path.of("/proc/self/maps"))) {
            return new LimitCheck(name, maxMapCount(), mapped.count(), MAPPINGS_PER_CONNECTION,
                "sysctl -w vm.max_map_count=262144, on the host").finding();
        } catch (final IOException ex) {
            return unknown(name, ex);
        }
    }

    /** This kind of file gives all of its number to the first read, and nothing to a second. */
    private static long maxMapCount() throws IOException {
        return Long.parseLong(Files.readAllLines(Path.of("/proc/sys/vm/max_map_count")).get(0));
    }

    private static Finding unknown(final String name, final IOException cause) {
        return Finding.warn(name, "cannot be read: " + cause, "mount /proc");
    }

    Finding finding() {
        final long connections = Math.max(0, limit - used) / perConnection;
        final String seen = "limit=" + limit + " used=" + used + ", room for some " + connections + " connections";
        if (connections >= MANY_CONNECTIONS) {
            return Finding.ok(name, seen);
        }
        return connections >= FEW_CONNECTIONS ? Finding.warn(name, seen, cure) : Finding.fail(name, seen, cure);
    }
}
