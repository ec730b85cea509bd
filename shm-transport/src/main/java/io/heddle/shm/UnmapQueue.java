package io.heddle.shm;

import java.util.ArrayDeque;

/**
 * Segments that nobody refers to any more, waiting out the linger. Confined to the control thread.
 *
 * <p>The linger is for a thread that has passed its check of a handle and not yet done its load when the last release
 * returns elsewhere. Time in which the whole process stood still gives that thread nothing, so the linger is waited out
 * in steps, and each counts as no more than a step however long it took.
 */
final class UnmapQueue {
    static final int STEPS = 8;

    private final ArrayDeque<MappedSegment> segments = new ArrayDeque<>();
    private final ArrayDeque<Long> addedAtNs = new ArrayDeque<>();
    /** Time that has counted. */
    private long countedNs;
    private long seenNs;

    void add(final MappedSegment segment, final long nowNs, final long lingerNs) {
        if (segments.isEmpty()) {
            seenNs = nowNs;
        }
        count(nowNs, lingerNs);
        segments.add(segment);
        addedAtNs.add(countedNs);
    }

    private void count(final long nowNs, final long lingerNs) {
        countedNs += Math.min(nowNs - seenNs, stepNs(lingerNs));
        seenNs = nowNs;
    }

    private static long stepNs(final long lingerNs) {
        return (lingerNs + STEPS - 1) / STEPS;
    }

    /** Unmaps segments whose linger is over, at most {@code limit}. */
    void unmapDue(final long nowNs, final long lingerNs, final int limit) {
        count(nowNs, lingerNs);
        for (int i = 0; i < limit && !segments.isEmpty() && countedNs - addedAtNs.peek() >= lingerNs; i++) {
            addedAtNs.remove();
            segments.remove().unmap();
        }
    }

    /** Nanoseconds to the next look, at least 0, or {@link ControlTimers#NONE}. */
    long delayNs(final long nowNs, final long lingerNs) {
        if (segments.isEmpty()) {
            return ControlTimers.NONE;
        }
        final long restNs = Math.min(stepNs(lingerNs), lingerNs - (countedNs - addedAtNs.peek()));
        return Math.max(0, restNs - (nowNs - seenNs));
    }

    boolean isEmpty() {
        return segments.isEmpty();
    }
}
