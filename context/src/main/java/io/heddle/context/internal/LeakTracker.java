package io.heddle.context.internal;

import io.heddle.context.PoolElement;

/**
 * Remembers where elements were received and last touched, for leak reports. A pool without tracking has no tracker
 * (null), and pays one branch.
 *
 * <p>Thread safe. {@link #received} and {@link #touched} are called by the pool, on the thread that receives or
 * touches.
 */
public final class LeakTracker {
    /** With sampling, one receipt of so many is tracked. */
    public static final int SAMPLE_INTERVAL = 128;

    private final int mask;
    /** Plain and shared: a lost count moves the next sample, no more. */
    private int receipts;

    private LeakTracker(final int interval) {
        mask = interval - 1;
    }

    /**
     * The tracker for a value of {@code heddle.leak.tracking}.
     *
     * @param level {@code off}, {@code sampled} or {@code full}.
     * @return null for {@code off}.
     */
    public static LeakTracker forLevel(final String level) {
        return switch (level) {
            case "off" -> null;
            case "sampled" -> sampled();
            case "full" -> full();
            default -> throw new IllegalArgumentException("heddle.leak.tracking=" + level +
                " must be off, sampled or full");
        };
    }

    /** Tracks one receipt of {@link #SAMPLE_INTERVAL}. */
    public static LeakTracker sampled() {
        return new LeakTracker(SAMPLE_INTERVAL);
    }

    /** Tracks every receipt: each costs a stack walk. */
    public static LeakTracker full() {
        return new LeakTracker(1);
    }

    /** @param element has just become HELD. */
    public void received(final PoolElement element) {
        element.tracking((receipts++ & mask) == 0 ? new Record(element.generation()) : null);
    }

    /** @param element is about to be retained or released. */
    public void touched(final PoolElement element) {
        if (element.tracking() instanceof Record record) {
            record.lastTouch = new Throwable("touched by thread=" + Thread.currentThread().getName());
        }
    }

    /** The stack of the element's receipt, or null if it is not tracked. */
    public static Throwable receiptOf(final PoolElement element) {
        return element.tracking() instanceof Record record && record.generation == element.generation() ?
            record.receipt : null;
    }

    /**
     * The stack of the last retain or release of what was received in the given generation, or null if it is not
     * known (any more).
     */
    public static Throwable lastTouchOf(final PoolElement element, final int generation) {
        return element.tracking() instanceof Record record && record.generation == generation ? record.lastTouch : null;
    }

    private static final class Record {
        final int generation;
        final Throwable receipt = new Throwable("received by thread=" + Thread.currentThread().getName());
        /** Volatile: written by whoever touches, read by whoever reports. */
        volatile Throwable lastTouch;

        Record(final int generation) {
            this.generation = generation;
        }
    }
}
