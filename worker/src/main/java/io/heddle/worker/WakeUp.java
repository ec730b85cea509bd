package io.heddle.worker;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * The sleeping side of a worker: armed by who is about to sleep, disarmed once by whoever has news. Thread safe; {@link
 * #wake()} costs one volatile read while nobody is armed.
 */
final class WakeUp {
    private static final VarHandle ARMED;
    private static final VarHandle WAKE_UPS;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            ARMED = lookup.findVarHandle(WakeUp.class, "armed", boolean.class);
            WAKE_UPS = lookup.findVarHandle(WakeUp.class, "wakeUps", long.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final Runnable onWake;
    private final Queue<Thread> sleepers = new ConcurrentLinkedQueue<>();
    private volatile boolean armed;
    private volatile long wakeUps;

    /** @param onWake run by who wakes, once per arming; never blocks, never throws. */
    WakeUp(final Runnable onWake) {
        this.onWake = onWake;
    }

    /** Volatile store: what is looked at afterwards is as new as any wake-up that found this not armed. */
    void arm() {
        armed = true;
    }

    boolean isArmed() {
        return armed;
    }

    /**
     * Whether it is armed and nobody was woken since so many wake-ups: who was woken is not put back to sleep by
     * another thread that arms meanwhile.
     */
    boolean isAsleepSince(final long wakeUpsThen) {
        return armed && wakeUps == wakeUpsThen;
    }

    /**
     * Disarms and unparks every sleeper, once per arming. Any thread; the news was published before, with a full fence
     * or a volatile store.
     */
    void wake() {
        if (armed && ARMED.compareAndSet(this, true, false)) {
            WAKE_UPS.getAndAdd(this, 1L); // Before the unparking; partner: isAsleepSince().
            for (final Thread sleeper : sleepers) {
                LockSupport.unpark(sleeper);
            }
            onWake.run();
        }
    }

    /** Parks while asleep since so many wake-ups, at most so long; may return early. */
    void park(final long wakeUpsThen, final long nanos) {
        final Thread me = Thread.currentThread();
        sleepers.add(me);
        try {
            if (isAsleepSince(wakeUpsThen)) {
                LockSupport.parkNanos(this, nanos);
            }
        } finally {
            sleepers.remove(me);
        }
    }

    long wakeUps() {
        return wakeUps;
    }
}
