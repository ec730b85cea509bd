package io.heddle.context;

/**
 * The rule of a worker's {@link ThreadMode} was broken by the thread that gets this. Thrown at the offending call,
 * before the call has changed anything, so it may be repeated once the cause is gone; the other thread is not
 * disturbed.
 *
 * <p>The message tells a reader who has not seen Heddle before what happened, which rule it breaks and what can be
 * done. Detected are overlapping calls and, in {@link ThreadMode#SINGLE}, calls by a thread that is not the owner. A
 * missing happens-before edge between calls that do not overlap is <em>not</em> detected. Raised only while thread
 * checks are on: with assertions enabled for Heddle, or {@code heddle.thread.checks=assert}. Thread safe.
 */
public final class ThreadModeViolation extends AssertionError {
    private static final long serialVersionUID = 1L;

    private final String workerName;
    private final ThreadMode mode;
    private final transient Thread intruder;
    private final transient Thread holder;
    private final String intruderOperation;
    private final String holderOperation;

    /** For Heddle's guards; an application has no reason to make one. */
    public ThreadModeViolation(
        final String message,
        final String workerName,
        final ThreadMode mode,
        final Thread intruder,
        final String intruderOperation,
        final Thread holder,
        final String holderOperation) {
        super(message);
        this.workerName = workerName;
        this.mode = mode;
        this.intruder = intruder;
        this.intruderOperation = intruderOperation;
        this.holder = holder;
        this.holderOperation = holderOperation;
    }

    public String workerName() {
        return workerName;
    }

    public ThreadMode mode() {
        return mode;
    }

    /** The thread that made the offending call; null after deserialization. */
    public Thread intruder() {
        return intruder;
    }

    /**
     * The thread that was inside the worker, or, if none was, its owner. Null if nobody owns the worker (detached), if
     * the thread could not be found any more, and after deserialization.
     */
    public Thread holder() {
        return holder;
    }

    /** The offending call, for instance {@code release}. */
    public String intruderOperation() {
        return intruderOperation;
    }

    /** The call that {@link #holder()} was inside at that moment; null if none (foreign entry without overlap). */
    public String holderOperation() {
        return holderOperation;
    }
}
