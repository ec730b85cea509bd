package io.heddle.context.internal;

/**
 * One thread's mark that it is running a callback, of whatever worker. Confined to its thread, but for the final {@link
 * #thread}, by which anybody can tell whose it is.
 */
final class CallbackState {
    private static final ThreadLocal<CallbackState> CURRENT = ThreadLocal.withInitial(CallbackState::new);
    /** Belongs to no thread. */
    static final CallbackState NOBODY = new CallbackState(null, 0);

    final Thread thread;
    final long threadId;
    /** How many callbacks the thread is inside of. Plain: its own thread's. */
    int depth;

    private CallbackState() {
        this(Thread.currentThread(), Thread.currentThread().getId());
    }

    private CallbackState(final Thread thread, final long threadId) {
        this.thread = thread;
        this.threadId = threadId;
    }

    static CallbackState current() {
        return CURRENT.get();
    }
}
