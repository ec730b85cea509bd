package io.heddle.context;

/** A call on an object that was closed, or whose owner was. Immutable. */
public final class ClosedException extends HeddleException {
    private static final long serialVersionUID = 1L;

    /**
     * {@code object} names what is closed, {@code operation} what was tried, for example {@code worker=w-3} and
     * {@code progress}.
     */
    public ClosedException(final String object, final String operation) {
        super(Status.NOT_CONNECTED, "closed: " + object + " operation=" + operation);
    }
}
