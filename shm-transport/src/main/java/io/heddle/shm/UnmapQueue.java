package io.heddle.shm;

import java.util.ArrayDeque;

/**
 * Segments that nobody refers to any more, waiting out the linger. Confined to the control thread.
 *
 * <p>The linger is for a thread that has passed its check of a handle and not yet done its load when the last release
 * returns elsewhere.
 */
final class UnmapQueue {
    private final ArrayDeque<MappedSegment> segments = new ArrayDeque<>();
    private final ArrayDeque<Long> postedNs = new ArrayDeque<>();

    void add(final MappedSegment segment, final long nowNs) {
        segments.add(segment);
        postedNs.add(nowNs);
    }

    /** Unmaps segments whose linger is over, at most {@code limit}. */
    void unmapDue(final long nowNs, final long lingerNs, final int limit) {
        for (int i = 0; i < limit && !segments.isEmpty() && nowNs - postedNs.peek() >= lingerNs; i++) {
            postedNs.remove();
            segments.remove().unmap();
        }
    }

    /** Nanoseconds to the next unmapping, at least 0, or {@link ControlTimers#NONE}. */
    long delayNs(final long nowNs, final long lingerNs) {
        return segments.isEmpty() ? ControlTimers.NONE : Math.max(0, lingerNs - (nowNs - postedNs.peek()));
    }

    boolean isEmpty() {
        return segments.isEmpty();
    }
}
