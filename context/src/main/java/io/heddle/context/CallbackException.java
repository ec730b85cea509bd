package io.heddle.context;

/**
 * {@code progress()} or a blocking call was made inside a callback, where it could only wait for itself. Nothing was
 * changed by the call. Thrown in every thread mode and build. Immutable.
 */
public final class CallbackException extends HeddleException {
    private static final long serialVersionUID = 1L;

    /**
     * {@code operation} is the call that is refused; {@code worker} names the worker whose callback this thread is
     * running.
     */
    public CallbackException(final String operation, final String worker) {
        super(
            Status.BUSY,
            "not allowed inside a callback: operation=" + operation + " worker=" + worker + " thread=" +
                Thread.currentThread().getName() + "; send, release, and non-blocking close are allowed here");
    }
}
