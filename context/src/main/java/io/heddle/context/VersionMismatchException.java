package io.heddle.context;

/** Two processes cannot share a segment, since their layouts differ; thrown on both sides. Immutable. */
public final class VersionMismatchException extends HeddleException {
    private static final long serialVersionUID = 1L;

    private final String local;
    private final String remote;

    /**
     * {@code field} is the first that differs, for example {@code layoutVersion}; {@code local} and {@code remote}
     * describe what each side has, in one line each.
     */
    public VersionMismatchException(final String field, final String local, final String remote) {
        super(
            Status.UNREACHABLE,
            "incompatible peer: field=" + field + " local=[" + local + "] remote=[" + remote + "]");
        this.local = local;
        this.remote = remote;
    }

    /** What this process has. */
    public String local() {
        return local;
    }

    /** What the peer has, as it said itself. */
    public String remote() {
        return remote;
    }
}
