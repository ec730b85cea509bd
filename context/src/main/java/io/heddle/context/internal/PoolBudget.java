package io.heddle.context.internal;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes that several pools share under one limit. Thread safe; lock-free. */
public final class PoolBudget {
    private final long limitBytes;
    private final AtomicLong reservedBytes = new AtomicLong();

    /** @param limitBytes the most bytes reserved at any time. */
    public PoolBudget(final long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Reserves the bytes, or nothing. */
    public boolean tryReserve(final long bytes) {
        for (;;) {
            final long now = reservedBytes.get();
            if (bytes > limitBytes - now) {
                return false;
            }
            if (reservedBytes.compareAndSet(now, now + bytes)) {
                return true;
            }
        }
    }

    /** Gives reserved bytes back. */
    public void release(final long bytes) {
        reservedBytes.addAndGet(-bytes);
    }

    /** Bytes that could be reserved now. */
    public long availableBytes() {
        return limitBytes - reservedBytes.get();
    }

    /** The limit. */
    public long limitBytes() {
        return limitBytes;
    }
}
