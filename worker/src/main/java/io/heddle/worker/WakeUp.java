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

    static {
        try {
            ARMED = MethodHandles.lookup().findVarHandle(WakeUp.class, "armed", boolean.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final Queue<Thread> sleepers = new ConcurrentLinkedQueue<>();
    private volatile boolean armed;
    private volatile long wakeUps;

    /** Volatile store: what is looked at afterwards is as new as any wake-up that found this not armed. */
    void arm() {
        armed = true;
    }

    boolean isArmed() {
        return armed;
    }

    /**
     * Disarms and unparks every sleeper, once per arming. Any thread; the news was published before, with a full fence
     * or a volatile store.
     */
    void wake() {
        if (armed && ARMED.compareAndSet(this, true, false)) {
            wakeUps++; // Only who disarmed comes here: ordered by the arming.
            for (final Thread sleeper : sleepers) {
                LockSupport.unpark(sleeper);
            }
        }
    }

    /** Parks while armed, at most so long; may return early. */
    void park(final long nanos) {
        final Thread me = Thread.currentThread();
        sleepers.add(me);
        try {
            if (armed) {
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
