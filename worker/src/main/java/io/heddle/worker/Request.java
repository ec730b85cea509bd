package io.heddle.worker;

import io.heddle.context.Status;
import io.heddle.context.internal.Operation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * An operation and its outcome. Never null, never reused, and needs no freeing.
 *
 * <p>The state is one word, published by one release store; any thread in any mode may read it. An operation that
 * finished at once gives a shared request that is complete already and runs no callback. Thread safe, but for {@link
 * #cancel()}, which is a use of the worker.
 */
public final class Request {
    /** The outcome of everything that succeeds at once. */
    static final Request DONE = new Request(Status.OK);
    private static final VarHandle STATUS;

    static {
        try {
            STATUS = MethodHandles.lookup().findVarHandle(Request.class, "status", Status.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final Worker worker;
    private final CompletionHandler handler;
    private final Object userData;
    private PendingOperation operation;
    /** Stored once, with release, by {@link #complete}; partner: the acquire load in {@link #status()}. */
    private Status status;

    private Request(final Status status) {
        worker = null;
        handler = null;
        userData = null;
        this.status = status;
    }

    Request(final Worker worker, final CompletionHandler handler, final Object userData) {
        this.worker = worker;
        this.handler = handler;
        this.userData = userData;
        this.status = Status.IN_PROGRESS;
    }

    /** A request that failed at once. */
    static Request failed(final Status status) {
        return new Request(status);
    }

    void operation(final PendingOperation pending) {
        operation = pending;
    }

    /** Publishes the outcome; the caller, under the guard, does it once. Whether there is a handler to be told. */
    boolean complete(final Status outcome) {
        // Partner: the acquire load in status(); everything the operation did is seen by who sees it done.
        STATUS.setRelease(this, outcome);
        operation = null;
        return handler != null;
    }

    CompletionHandler handler() {
        return handler;
    }

    /** Whether it has an outcome. */
    public boolean isDone() {
        return status() != Status.IN_PROGRESS;
    }

    /** The outcome, or {@link Status#IN_PROGRESS}. */
    public Status status() {
        // Partner: the release store in complete.
        return (Status) STATUS.getAcquire(this);
    }

    /** What the caller gave along, or null. */
    public Object userData() {
        return userData;
    }

    /**
     * Waits for the outcome, progressing the worker while no other thread does. Guarded as progress is, round by round;
     * holds nothing while it waits.
     *
     * @return the outcome, or {@link Status#IN_PROGRESS} if the time is over.
     * @throws io.heddle.context.CallbackException inside a callback.
     */
    public Status await(final Duration timeout) {
        if (!isDone() && worker != null) {
            worker.core().awaitProgress(this::isDone, TimeUnit.NANOSECONDS.convert(timeout), Operation.PROGRESS);
        }
        return status();
    }

    /**
     * Gives the operation up if nothing of it has reached the peer. A use of the worker.
     *
     * @return whether it did: then the status is {@link Status#CANCELED} and the handler is told so at the next
     *     progress. False means that the operation has finished or will.
     */
    public boolean cancel() {
        return worker != null && worker.core().outcomes().cancel(this);
    }

    /** Under the guard. */
    PendingOperation operation() {
        return operation;
    }

    /** The status, and what it is, with its peer and how much of it is left, until it is done. */
    @Override
    public String toString() {
        final PendingOperation pending = operation; // a hint, by any thread: it goes when the outcome comes
        return "Request{status=" + status() + (pending == null ? "" : " " + pending) + '}';
    }
}
