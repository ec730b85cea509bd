package io.heddle.tests.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What a process has used up to now, as the kernel counts it. Immutable.
 *
 * @param takenNs when, by this JVM's clock.
 * @param cpuNs   processor time, in steps of 10 ms.
 * @param wakeUps how often one of its threads, of those that live, has gone to sleep and come back.
 */
record ProcessCost(long takenNs, long cpuNs, long wakeUps) {
    private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final String SWITCHES = "voluntary_ctxt_switches:";

    static ProcessCost of(final long pid) throws IOException {
        final Path process = Path.of("/proc", Long.toString(pid));
        final String stat = Files.readString(process.resolve("stat"));
        final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        long wakeUps = 0;
        final List<Path> threads;
        try (Stream<Path> listed = Files.list(process.resolve("task"))) {
            threads = listed.toList();
        }
        for (final Path thread : threads) {
            wakeUps += wakeUpsOf(thread);
        }
        return new ProcessCost(System.nanoTime(), (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * TICK_NS,
            wakeUps);
    }

    private static long wakeUpsOf(final Path thread) throws IOException {
        return Files.readAllLines(thread.resolve("status")).stream().filter(line -> line.startsWith(SWITCHES))
            .mapToLong(line -> Long.parseLong(line.substring(SWITCHES.length()).strip())).sum();
    }

    /** Of a core, since then. */
    double cpuShareSince(final ProcessCost before) {
        return (double) (cpuNs - before.cpuNs) / (takenNs - before.takenNs);
    }

    double wakeUpsPerSecondSince(final ProcessCost before) {
        return (wakeUps - before.wakeUps) * 1e9 / (takenNs - before.takenNs);
    }
}
