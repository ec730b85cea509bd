package io.heddle.shm;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the segments of one context that are mapped, and holds on to them, so that memory is never unmapped because an
 * object became unreachable. Thread safe.
 */
final class SegmentGauge {
    private final Set<MappedSegment> live = ConcurrentHashMap.newKeySet();
    private final AtomicLong liveBytes = new AtomicLong();

    void mapped(final MappedSegment segment) {
        live.add(segment);
        liveBytes.addAndGet(segment.bytes());
    }

    void unmapped(final MappedSegment segment) {
        if (live.remove(segment)) {
            liveBytes.addAndGet(-segment.bytes());
        }
    }

    /** Segments mapped now. */
    int liveMaps() {
        return live.size();
    }

    /** Their bytes. A process connected to itself counts both of its maps. */
    long liveBytes() {
        return liveBytes.get();
    }
}
