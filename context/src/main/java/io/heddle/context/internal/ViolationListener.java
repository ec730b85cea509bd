package io.heddle.context.internal;

import io.heddle.context.ThreadModeViolation;

/**
 * Told by a {@link ThreadGuard} about broken thread-mode rules, on the threads concerned and with no lock held. Called
 * by several threads at once, so an implementation is thread safe. What it throws does not reach the application's
 * call: on the intruder's thread it is added to the violation as suppressed, on the holder's it is dropped.
 */
public interface ViolationListener {
    /**
     * On the intruder's thread, before the violation is thrown, at every occurrence.
     *
     * @param firstOfPair whether this is the first violation by this pair of operations on this worker: the one to log.
     */
    void onViolation(ThreadModeViolation violation, boolean firstOfPair);

    /**
     * On the thread that was inside the worker when another one came, as it leaves. It has let go of the worker
     * already.
     *
     * @param exactStack carries the message and this thread's own stack: the call that was overlapped.
     * @param firstOfOperation whether this is the first such report for the overlapped operation on this worker.
     */
    void onHolderLeft(Throwable exactStack, boolean firstOfOperation);
}
