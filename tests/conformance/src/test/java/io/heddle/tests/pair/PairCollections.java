package io.heddle.tests.pair;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A heap in which so much lives, and so scattered, that a full collection stops every thread of this JVM for long, the
 * transport's own among them. Needs a collector that stops the world for all of it, as Serial does. Confined.
 */
final class PairCollections {
    private static final int CHUNK = 1 << 19;

    private final List<Scattered[]> live = new ArrayList<>();
    private final SplittableRandom random = new SplittableRandom(CHUNK);

    /** Refers to any other, so that a collector that follows it misses the caches. */
    private static final class Scattered {
        private Scattered next;
    }

    /** Fills the heap until a full collection takes so long. */
    String fill(final long pauseMs) {
        grow(4);
        long tookMs = collectMs();
        while (tookMs < pauseMs) {
            // As many more as are missing by this measure, and a few; no more than there are, if it was a bad one.
            final long missing = live.size() * (pauseMs - tookMs) / Math.max(1, tookMs) + 1;
            grow((int) Math.min(live.size(), missing));
            tookMs = collectMs();
        }
        return "objects=" + (long) live.size() * CHUNK + " pause_ms=" + tookMs;
    }

    private void grow(final int chunks) {
        for (int i = 0; i < chunks; i++) {
            final Scattered[] chunk = new Scattered[CHUNK];
            for (int j = 0; j < CHUNK; j++) {
                chunk[j] = new Scattered();
            }
            live.add(chunk);
            for (final Scattered each : chunk) {
                each.next = live.get(random.nextInt(live.size()))[random.nextInt(CHUNK)];
            }
        }
    }

    /** Collects once. */
    String collect() {
        return "pause_ms=" + collectMs();
    }

    private static long collectMs() {
        final long beforeMs = totalMs();
        System.gc();
        return totalMs() - beforeMs;
    }

    private static long totalMs() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(GarbageCollectorMXBean::getCollectionTime).sum();
    }
}
