package io.heddle.worker;

import io.heddle.context.internal.DispatchToken;
import io.heddle.context.internal.Guarded;

/**
 * The moments at which no callback runs, for those who wait until none runs that began before: they come by the token
 * while it is free, or else ask the dispatcher, which passes such a moment in each round.
 */
final class QuietMoments {
    private final WorkerCore core;
    private final DispatchToken token;
    /** Written with the token. */
    private volatile long passed;

    QuietMoments(final WorkerCore core) {
        this.core = core;
        token = core.token();
    }

    /** By the dispatcher, outside of callbacks, when it was asked to. */
    @Guarded
    void pass() {
        passed++; // Partner: await().
    }

    /**
     * Waits until no callback runs that began before this call. Any thread, outside of a callback.
     *
     * @return false if the deadline, on the scale of {@code System.nanoTime()}, has passed.
     */
    boolean await(final long deadlineNs) {
        // Volatile, after whatever callbacks must not be seen by any more; partner: pass().
        final long seen = passed;
        while (!token.tryAcquire()) {
            if (passed != seen) {
                return true;
            }
            if (System.nanoTime() - deadlineNs >= 0) {
                return false;
            }
            core.post(WorkerCore.WORK_CLOSE); // a dispatcher that takes the token again and again lets nobody have it
            token.awaitRelease(deadlineNs);
        }
        token.release();
        return true;
    }
}
