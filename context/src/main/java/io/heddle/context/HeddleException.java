package io.heddle.context;

import java.util.Objects;

/**
 * The root of every exception that Heddle throws for misuse and for failures in an object's life cycle. Unchecked.
 *
 * <p>The data path reports outcomes as {@link Status} values instead. Subclasses exist only where a caller would catch
 * them separately. Immutable.
 */
public class HeddleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Status status;

    /** {@code status} is the outcome that the data path would have reported for this; it must be an error. */
    public HeddleException(final Status status, final String message) {
        this(status, message, null);
    }

    /** As {@link #HeddleException(Status, String)}; {@code cause} may be null. */
    public HeddleException(final Status status, final String message, final Throwable cause) {
        super(message, cause);
        this.status = Objects.requireNonNull(status, "status");
    }

    /** The value that stands for this exception wherever outcomes are values: never null. */
    public final Status status() {
        return status;
    }
}
