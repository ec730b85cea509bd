package io.heddle.worker;

import io.heddle.context.internal.DispatchToken;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sees for a worker that sleeps in an application's selector whether something is due by time alone, and wakes it then;
 * other sleepers look by themselves. Goes on only while the worker sleeps and there is something that becomes due.
 *
 * <p>{@link #begin()} is for any thread; the look is confined to the transport's thread.
 */
final class TimedLook {
    private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(25);

    private final WorkerCore core;
    private final WakeUp wakeUp;
    private final Runnable look = this::look;
    /** At most one look is to come, however often a worker arms. */
    private final AtomicBoolean expected = new AtomicBoolean();

    TimedLook(final WorkerCore core, final WakeUp wakeUp) {
        this.core = core;
        this.wakeUp = wakeUp;
    }

    /** The worker is armed, and something becomes due. */
    void begin() {
        if (!expected.get() && expected.compareAndSet(false, true)) {
            core.executeLater(look, INTERVAL_NS);
        }
    }

    private void look() {
        expected.set(false); // volatile, before the look at the arming; partner: begin(), after the arming
        if (!wakeUp.isArmed()) {
            return;
        }
        final DispatchToken token = core.token();
        if (!token.tryAcquire()) {
            begin(); // somebody is at work, and may go to sleep again
            return;
        }
        final boolean isPending;
        final boolean isDue;
        try {
            isPending = core.timed().isPending();
            isDue = isPending && core.timed().isDue(core.nanoTime());
        } finally {
            token.release();
        }
        if (isDue) {
            core.post(WorkerCore.WORK_EVENTS); // its round reads the clock
        } else if (isPending) {
            begin();
        }
    }
}
