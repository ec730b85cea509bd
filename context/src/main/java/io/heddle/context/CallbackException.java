package io.heddle.context;

/**
 * A call that a callback may not make was made inside one: {@code progress()} or a blocking call, of any worker, in any thread
 * mode and build. Nothing was changed by the refused call. Thread safe.
 */
public final class CallbackException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CallbackException(final String message) {
        super(message);
    }
}
