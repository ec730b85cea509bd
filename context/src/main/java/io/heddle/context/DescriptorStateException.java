package io.heddle.context;

/**
 * A pool element was used against its state, and the call that did so is the one that throws. The element is unharmed:
 * its rightful holder goes on. Checked in every thread mode and build. Immutable.
 */
public final class DescriptorStateException extends HeddleException {
    private static final long serialVersionUID = 1L;

    /** What was wrong with the call. */
    public enum Kind {
        /** The handle was released before, by this holder or by another thread in its name. */
        DOUBLE_RELEASE("released twice"),
        /** The handle's generation has passed: the element was released and belongs to somebody else, or to nobody. */
        STALE_HANDLE("used after release"),
        /** The element belongs to another pool. */
        WRONG_POOL("not of this pool"),
        /** Two threads took the same element at once; this one lost. */
        RACING_TAKE("taken by two threads at once"),
        /** The element is in a state that does not allow the call, such as put while it is free or held. */
        WRONG_STATE("in a state that does not allow this");

        private final String words;

        Kind(final String words) {
            this.words = words;
        }
    }

    private final Kind kind;
    private final long element;
    private final String pool;
    private final String firstReleaser;

    /**
     * {@code element} is its index in {@code pool}; {@code firstReleaser} describes who let it go first, a thread's
     * name and where known a place, or is null if that was not recorded.
     */
    public DescriptorStateException(
        final Kind kind,
        final long element,
        final String pool,
        final String firstReleaser) {
        super(
            Status.INVALID_PARAM,
            "element " + kind.words + ": kind=" + kind + " element=" + element + " pool=" + pool + " thread=" +
                Thread.currentThread().getName() + " firstReleaser=" +
                (firstReleaser == null ? "unknown (heddle.leak.tracking=full records it)" : firstReleaser));
        this.kind = kind;
        this.element = element;
        this.pool = pool;
        this.firstReleaser = firstReleaser;
    }

    /** As {@link #DescriptorStateException(Kind, String)} with {@link Kind#WRONG_STATE}. */
    public DescriptorStateException(final String message) {
        this(Kind.WRONG_STATE, message);
    }

    /** {@code message} says all; there is no element, pool or first releaser to ask for. */
    public DescriptorStateException(final Kind kind, final String message) {
        this(kind, message, -1, null, null);
    }

    DescriptorStateException(final Kind kind, final String message, final long element, final String pool,
                             final String firstReleaser) {
        super(Status.INVALID_PARAM, message);
        this.kind = kind;
        this.element = element;
        this.pool = pool;
        this.firstReleaser = firstReleaser;
    }

    /** What was wrong. */
    public Kind kind() {
        return kind;
    }

    /** The index of the element in its pool, -1 if the message alone says it. */
    public long element() {
        return element;
    }

    /** The pool's name, null if the message alone says it. */
    public String pool() {
        return pool;
    }

    /** Who released it first, or null if that was not recorded. */
    public String firstReleaser() {
        return firstReleaser;
    }
}
