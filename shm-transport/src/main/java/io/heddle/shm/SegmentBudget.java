package io.heddle.shm;

import io.heddle.context.NoSharedMemoryException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What is left of {@code heddle.shm.limit} for one context. The creator of a segment is charged when it makes it, and
 * freed when it unmaps it; the peer that maps it is not. Thread safe.
 */
final class SegmentBudget {
    static final String SETTING = "heddle.shm.limit";

    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    SegmentBudget(final long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** @throws NoSharedMemoryException if the limit would be passed; then nothing is charged. */
    void charge(final Path directory, final long bytes) {
        final long after = usedBytes.addAndGet(bytes);
        if (after > limitBytes) {
            usedBytes.addAndGet(-bytes);
            throw new NoSharedMemoryException(
                directory.toString(), bytes, Math.max(0, limitBytes - (after - bytes)), SETTING + " (now " +
                    limitBytes + ")", null);
        }
    }

    void free(final long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    long usedBytes() {
        return usedBytes.get();
    }

    long limitBytes() {
        return limitBytes;
    }
}
