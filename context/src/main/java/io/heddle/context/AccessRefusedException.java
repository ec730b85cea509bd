package io.heddle.context;

/**
 * A file, directory or peer is not ours to use: another user's, open to others, or reached through a symbolic link.
 * Immutable.
 */
public final class AccessRefusedException extends HeddleException {
    private static final long serialVersionUID = 1L;

    /** {@code message} names what was refused, what was found and what was expected, as {@code name=value} pairs. */
    public AccessRefusedException(final String message) {
        this(message, null);
    }

    /** As {@link #AccessRefusedException(String)}; {@code cause} may be null. */
    public AccessRefusedException(final String message, final Throwable cause) {
        super(Status.REJECTED, message, cause);
    }
}
