package io.heddle.context.internal;

import io.heddle.context.CallbackException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Says which thread dispatches a worker's callbacks: one at a time, in every mode and build. Thread safe.
 *
 * <p><b>Order.</b> {@link #release()} is a release store, a successful {@link #tryAcquire()} an acquire: what the last
 * dispatcher did is seen by the next. Locks: token, then worker lock, then context lock.
 *
 * <p><b>Bias.</b> A thread that dispatches thousands of times and meets no other gets the token without an atomic
 * instruction from then on, until another asks for it, see {@link Bias}. Nobody waits for that: who finds the former
 * owner inside does not get the token.
 *
 * <p><b>No progress inside a callback, of any worker.</b> Each thread has one {@link CallbackState} that counts the
 * callbacks it is inside of, whichever worker's they are. Finding it through a ThreadLocal would cost some nanoseconds
 * per progress call, so the token remembers the state of its last dispatcher, and a thread that recognises itself in it
 * (one load, one comparison) takes it from there; others ask the ThreadLocal. The check itself is then the read of one
 * field.
 *
 * <p><b>Waiting.</b> {@link #release()} wakes one thread of those in {@link #awaitRelease}. Between the release store
 * and the look for waiters there is no fence, which every release would pay for: a waiter that comes in that very
 * moment may be missed, and finds out by itself, by looking again after a short spin and at the latest after 1 ms.
 */
public final class DispatchToken {
    private static final String OTHER_WORKER = "(another worker)";
    private static final VarHandle HOLDER_ID;
    private static final VarHandle DISPATCHER;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            HOLDER_ID = lookup.findVarHandle(DispatchToken.class, "holderId", long.class);
            DISPATCHER = lookup.findVarHandle(DispatchToken.class, "dispatcher", CallbackState.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final String workerName;
    private final TokenWaiters waiters = new TokenWaiters();
    private final Bias bias;
    /** The thread that dispatches and did not come in by the bias, 0 for none. */
    private volatile long holderId;
    /** The last dispatcher's state. Written by the token's holder; its final fields make any reading of it safe. */
    private CallbackState dispatcher = CallbackState.NOBODY;

    public DispatchToken(final String workerName) {
        this(workerName, true);
    }

    /** @param isBiased whether a thread that alone dispatches may get the token more cheaply after a while. */
    public DispatchToken(final String workerName, final boolean isBiased) {
        this(workerName, new Bias(isBiased));
    }

    /** For tests: with a bias that comes sooner. */
    DispatchToken(final String workerName, final Bias bias) {
        this.workerName = workerName;
        this.bias = bias;
    }

    /** Takes the token if it is free; false also if the calling thread has it already. */
    public boolean tryAcquire() {
        final CallbackState mine = mine();
        return bias.enter(mine.thread) || take(mine);
    }

    /**
     * As {@link #tryAcquire()}, for what a callback may not do.
     *
     * @throws CallbackException if the calling thread is inside a callback of this or any other worker.
     */
    public boolean tryAcquire(final Operation operation) {
        final CallbackState mine = mine();
        if (mine.depth != 0) {
            refuseInCallback(operation);
        }
        return bias.enter(mine.thread) || take(mine);
    }

    private boolean take(final CallbackState mine) {
        // Volatile, before the compare-and-set: a taken token costs its holder no bus traffic.
        if (holderId != 0 || bias.isOwned() && !bias.revoke()) {
            return false;
        }
        // Acquire: pairs with the release store in releaseBriefly().
        if (!HOLDER_ID.compareAndSet(this, 0L, mine.threadId)) {
            return false;
        }
        // In this order: that nobody owns it any more, and then that the last owner has left. It may have become owned
        // since we looked.
        if (bias.isOwned() || bias.isInside()) {
            HOLDER_ID.setRelease(this, 0L); // Release: as in releaseBriefly().
            return false;
        }
        if (dispatcher != mine) {
            DISPATCHER.setOpaque(this, mine); // Partner: mine().
        }
        if (bias.countTaken(mine.thread)) {
            bias.settle(mine.thread);
            HOLDER_ID.setRelease(this, 0L); // Release: who takes it from here on sees that it is owned.
        }
        return true;
    }

    /** Lets go and wakes one waiter, if there is one. By the thread that has the token. */
    public void release() {
        releaseBriefly();
        wakeWaiter();
    }

    /**
     * Lets go without waking anybody: for a thread that will try again at once, so that its every round does not wake a
     * waiter in vain. It calls {@link #wakeWaiter()} when it goes.
     */
    public void releaseBriefly() {
        if (!bias.leave()) {
            HOLDER_ID.setRelease(this, 0L); // Release: pairs with take().
        }
    }

    /** Wakes one of the threads in {@link #awaitRelease}, if there is one. Any thread. */
    public void wakeWaiter() {
        waiters.wakeOne();
    }

    /** Whether the calling thread has the token. */
    public boolean isHeldByCurrentThread() {
        final Thread me = Thread.currentThread();
        return holderId == me.getId() || bias.isHeldBy(me); // Own id: written by this thread, program order is enough.
    }

    /** Whether any thread has it, at this moment. */
    public boolean isHeld() {
        return holderId != 0 || bias.isInside();
    }

    /** Before user code runs. By the thread that has the token. */
    public void enterCallback() {
        dispatcher.depth++;
    }

    /** After user code has run, in a {@code finally}. By the thread that has the token. */
    public void exitCallback() {
        dispatcher.depth--;
    }

    /** Whether the calling thread is inside a callback of any worker. */
    public boolean isInCallback() {
        return mine().depth != 0;
    }

    /**
     * Refuses what a callback may not do: progress and blocking calls.
     *
     * @throws CallbackException if the calling thread is inside a callback of this or any other worker.
     */
    public void checkNotInCallback(final Operation operation) {
        if (mine().depth != 0) {
            refuseInCallback(operation);
        }
    }

    private void refuseInCallback(final Operation operation) {
        throw new CallbackException(operation.toString(), isHeldByCurrentThread() ? workerName : OTHER_WORKER);
    }

    /** As {@link #checkNotInCallback}, where no worker is at hand. Asks the ThreadLocal each time. */
    public static void checkThreadNotInCallback(final Operation operation) {
        if (CallbackState.current().depth != 0) {
            throw new CallbackException(operation.toString(), OTHER_WORKER);
        }
    }

    /**
     * Parks until the token is let go, at most until the deadline and at most 1 ms. Returns early whenever the thread
     * is unparked by anybody, so that a request's completion may wake it, or interrupted (the flag stays set); the
     * caller looks at its own condition and calls again.
     *
     * @param deadlineNs on the scale of {@code System.nanoTime()}.
     * @return whether the token was free when last looked at.
     */
    public boolean awaitRelease(final long deadlineNs) {
        return waiters.await(this, deadlineNs);
    }

    /** Threads in {@link #awaitRelease}: for tests. */
    int waiterCount() {
        return waiters.count();
    }

    private CallbackState mine() {
        // Partner: take(). Whoever's it is, its final thread says so.
        final CallbackState last = (CallbackState) DISPATCHER.getOpaque(this);
        return last.thread == Thread.currentThread() ? last : CallbackState.current();
    }
}
