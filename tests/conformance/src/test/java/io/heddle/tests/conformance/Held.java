package io.heddle.tests.conformance;

import io.heddle.tests.base.HygieneExtension;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What this process holds at one moment. Immutable.
 *
 * @param heapBytes   used after a collection.
 * @param mappings    lines of {@code /proc/self/maps} that name a segment.
 * @param descriptors entries of {@code /proc/self/fd}.
 * @param files       entries of the runtime directory.
 * @param sharedBytes of shared memory that is mapped and present, each mapping counted.
 */
record Held(long heapBytes, long mappings, long descriptors, long files, long sharedBytes) {
    static Held now() {
        System.gc();
        try {
            return new Held(ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(), segments(),
                entries(Path.of("/proc/self/fd")), entries(HygieneExtension.runtimeDirectory()), sharedBytesNow());
        } catch (final IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Lines of {@code /proc/self/maps} that name a segment. */
    static long segments() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(".seg")).count();
        } catch (final IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static long entries(final Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.count();
        }
    }

    private static long sharedBytesNow() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("RssShmem:"))
                .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("[^0-9]", ""))).findFirst().orElse(0);
        }
    }
}
