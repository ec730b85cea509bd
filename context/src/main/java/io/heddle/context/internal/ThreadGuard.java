package io.heddle.context.internal;

import io.heddle.context.ThreadMode;
import io.heddle.context.ThreadModeViolation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.NanoClock;

/**
 * Enforces one worker's {@link ThreadMode}. Entered at the outermost public call of every guarded operation and left in
 * a {@code finally}; never entered by Heddle's own code from inside. Thread safe.
 *
 * <ul>
 * <li>MULTI: the {@link WorkerLock}. {@code exit} releases and {@code enter} acquires.
 * <li>SINGLE and SERIALIZED with {@link #CHECKS}: overlapping calls and, in SINGLE, calls by a thread that is not the
 * owner throw {@link ThreadModeViolation}. Overlap and foreign entry are detected; a missing happens-before without
 * overlap is not. Calls nested in a callback are the same thread's and are allowed.
 * <li>SINGLE and SERIALIZED without: nothing at all; the caller is trusted.
 * </ul>
 */
public final class ThreadGuard {
    /**
     * Whether thread modes are checked in this JVM: {@code heddle.thread.checks=assert|off} as system property, else
     * {@code HEDDLE_THREAD_CHECKS} in the environment, else whether assertions are enabled for Heddle's {@code
     * Context}. Read once.
     */
    public static final boolean CHECKS = ThreadChecks.isEnabled();

    private static final int HOLDER_LOOKS = 1000;
    /** In {@link #reported}: a report by the overlapped side. */
    private static final int HOLDER_SIDE = 1 << 16;

    private static final VarHandle WORD;
    private static final VarHandle HOLDER;
    private static final VarHandle OWNER;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            WORD = lookup.findVarHandle(ThreadGuard.class, "word", long.class);
            HOLDER = lookup.findVarHandle(ThreadGuard.class, "holder", Thread.class);
            OWNER = lookup.findVarHandle(ThreadGuard.class, "owner", Thread.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final WorkerLock lock;
    private final boolean hasOwner;
    private final String workerName;
    private final NanoClock clock;
    private final ViolationListener listener;
    private final ViolationReport report;
    private final AtomicLong violations = new AtomicLong();
    private final Set<Integer> reported = ConcurrentHashMap.newKeySet();

    /** Who is inside, see {@link GuardWord}; 0 if nobody. Checks only. */
    private volatile long word;
    /** Calls nested in the outermost one. Plain: written and read by the thread inside only. */
    private int depth;
    /** The thread of {@link #word}, or an earlier one's: a reader compares the id. Checks only. */
    private Thread holder;
    /** SINGLE: who owns the worker, null if nobody. */
    private volatile Thread owner;
    /** Of the last overlap, for the holder's report. Any of several racing intruders may win. */
    private volatile long detectedNs;

    /** As the other, with the bias. */
    public ThreadGuard(
        final String workerName, final ThreadMode mode, final NanoClock clock, final ViolationListener listener) {
        this(workerName, mode, clock, listener, true);
    }

    /**
     * The calling thread becomes the owner in {@link ThreadMode#SINGLE}.
     *
     * @param clock read when a violation is found; never while the worker lock is held.
     * @param isBiased as of {@link WorkerLock}.
     */
    public ThreadGuard(
        final String workerName,
        final ThreadMode mode,
        final NanoClock clock,
        final ViolationListener listener,
        final boolean isBiased) {
        this.workerName = workerName;
        this.clock = clock;
        this.listener = listener;
        this.lock = mode == ThreadMode.MULTI ? new WorkerLock(isBiased) : null;
        this.hasOwner = mode == ThreadMode.SINGLE;
        this.report = new ViolationReport(workerName, mode);
        this.owner = hasOwner ? Thread.currentThread() : null;
    }

    /**
     * Before the operation; nothing may have been changed yet.
     *
     * @throws ThreadModeViolation if the mode's rule is broken; then {@link #exit} must not be called.
     */
    public void enter(final Operation operation) {
        final WorkerLock workerLock = lock;
        if (workerLock != null) {
            if (CHECKS) {
                refuseReentry(operation);
            }
            workerLock.lock();
        } else if (CHECKS) {
            enterChecked(operation);
        }
    }

    /** After the operation, by the thread that entered. */
    public void exit(final Operation operation) {
        final WorkerLock workerLock = lock;
        if (workerLock != null) {
            workerLock.unlock();
        } else if (CHECKS) {
            exitChecked(operation);
        }
    }

    /** How many calls were refused. Any thread. */
    public long violations() {
        return violations.get();
    }

    /** The lock of a MULTI worker, null in the other modes. For its gauges; the calls go through the guard. */
    public WorkerLock workerLock() {
        return lock;
    }

    /** The owner of a SINGLE worker; null if it is detached, and in the other modes. Any thread. */
    public Thread ownerThread() {
        return owner;
    }

    /** Whether the mode lets the calling thread use the worker: in SINGLE the owner, else everybody. Any thread. */
    public boolean isOwner() {
        return !hasOwner || owner == Thread.currentThread();
    }

    /**
     * Makes another thread the owner. A guarded operation. In SERIALIZED and MULTI nobody owns the worker and nothing
     * changes. The caller orders this before the new owner's first call (by starting the thread, or handing the worker
     * over safely).
     *
     * @throws IllegalArgumentException if the thread has ended.
     * @throws io.heddle.context.CallbackException inside a callback.
     */
    public void transferTo(final Thread thread) {
        if (thread.getState() == Thread.State.TERMINATED) {
            throw new IllegalArgumentException(
                "new owner has ended: worker=" + workerName + " thread=" + thread.getName());
        }
        changeOwner(thread);
    }

    /** Makes the calling thread the owner again, instead of one that {@link #transferTo} named and that never ran. */
    public void takeBackFrom(final Thread neverStarted) {
        OWNER.compareAndSet(this, neverStarted, Thread.currentThread()); // Nobody else has seen the worker in between.
    }

    /** Leaves the worker without an owner until a thread calls {@link #attach()}. As {@link #transferTo} otherwise. */
    public void detach() {
        changeOwner(null);
    }

    /**
     * Makes the calling thread the owner of a detached worker. Any thread. Nothing if it is the owner already, and in
     * SERIALIZED and MULTI.
     *
     * @throws IllegalStateException if another thread owns it, in every build.
     * @throws io.heddle.context.CallbackException inside a callback.
     */
    public void attach() {
        DispatchToken.checkThreadNotInCallback(Operation.TRANSFER);
        final Thread me = Thread.currentThread();
        // Pairs with changeOwner(): who attaches sees what the former owner did before it detached.
        final Thread before = hasOwner ? (Thread) OWNER.compareAndExchange(this, null, me) : me;
        if (before != null && before != me) {
            throw new IllegalStateException("worker has an owner: worker=" + workerName + " owner=" + before.getName()
                + " thread=" + me.getName());
        }
    }

    private void changeOwner(final Thread newOwner) {
        DispatchToken.checkThreadNotInCallback(Operation.TRANSFER);
        enter(Operation.TRANSFER);
        try {
            if (hasOwner) {
                // Volatile: pairs with the compare-and-exchange in attach() and the read in enterChecked().
                owner = newOwner;
            }
        } finally {
            exit(Operation.TRANSFER);
        }
    }

    private void refuseReentry(final Operation operation) {
        if (lock.isHeldByCurrentThread()) {
            throw new AssertionError("worker lock entered twice by one thread: worker=" + workerName
                + " mode=MULTI operation=" + operation + " thread=" + Thread.currentThread().getName());
        }
    }

    private void enterChecked(final Operation operation) {
        final Thread me = Thread.currentThread();
        final boolean isOwner = hasOwner && owner == me;
        if (hasOwner && !isOwner && !mayClose(operation) && GuardWord.threadId(word) != me.getId()) {
            refuseForeign(me, operation);
        }
        final long mine = GuardWord.of(me.getId(), operation);
        final long seen = isOwner ? enterAsOwner(mine) : (long) WORD.compareAndExchange(this, 0L, mine);
        if (seen == 0) {
            if (holder != me) {
                HOLDER.setOpaque(this, me); // Partner: holderOf(), which compares the id.
            }
        } else if (GuardWord.threadId(seen) == GuardWord.threadId(mine)) {
            depth++;
        } else {
            refuse(me, operation, seen, holderOf(seen), GuardWord.threadId(seen), false);
        }
    }

    /**
     * Nobody else may be inside, and whoever tries is found out by not being the owner: no atomic instruction, which
     * would wait until what was sent has arrived at the other processor.
     */
    private long enterAsOwner(final long mine) {
        final long seen = (long) WORD.getOpaque(this); // Partner: exitChecked() of a former owner.
        if (seen == 0) {
            WORD.setOpaque(this, mine); // Partner: refuseForeign(), which takes a sample.
        }
        return seen;
    }

    private void exitChecked(final Operation operation) {
        final Thread me = Thread.currentThread();
        final long inside = word;
        if (GuardWord.threadId(inside) != me.getId()) {
            throw new IllegalStateException("exit without enter: worker=" + workerName + " operation=" + operation
                + " thread=" + me.getName());
        }
        if (depth > 0) {
            depth--;
            return;
        }
        final long left = hasOwner && owner == me ? exitAsOwner(inside) : (long) WORD.getAndSet(this, 0L);
        if (GuardWord.isMarked(left)) {
            tellOtherSide(me, GuardWord.operation(left));
        }
    }

    /** A mark that comes between the look and the store is lost: the intruder has its exception, we are not told. */
    private long exitAsOwner(final long inside) {
        WORD.setRelease(this, 0L); // Release: pairs with the compareAndExchange in enterChecked().
        return inside;
    }

    /** Anybody may close a worker whose owner thread has ended, and do what belongs to it inside. */
    private boolean mayClose(final Operation operation) {
        final Thread current = owner;
        return operation.isClosing() && current != null && current.getState() == Thread.State.TERMINATED;
    }

    /** The owner is elsewhere, and may or may not be inside. */
    private void refuseForeign(final Thread me, final Operation operation) {
        final long seen = word; // Volatile: a sample; pairs with nothing.
        final Thread current = owner;
        final Thread other = seen == 0 ? current : holderOf(seen);
        final long otherId = seen != 0 ? GuardWord.threadId(seen) : current == null ? 0 : current.getId();
        refuse(me, operation, seen, other, otherId, true);
    }

    private void refuse(
        final Thread me,
        final Operation operation,
        final long seen,
        final Thread other,
        final long otherId,
        final boolean isForeign) {
        violations.incrementAndGet();
        detectedNs = clock.nanoTime(); // Before the mark, so that the holder that finds the mark sees it.
        mark(seen);
        final Operation otherOperation = seen == 0 ? null : GuardWord.operation(seen);
        final ThreadModeViolation violation =
            report.violation(me, operation, other, otherId, otherOperation, isForeign);
        final int pair = operation.ordinal() << 8 | (otherOperation == null ? 0xFF : otherOperation.ordinal());
        try {
            listener.onViolation(violation, reported.add(pair));
        } catch (final Throwable failure) {
            violation.addSuppressed(failure);
        }
        throw violation;
    }

    /** Leaves a mark for the holder if it is still in the same call; if not, it has no stack to show any more. */
    private void mark(final long seen) {
        // Pairs with exitChecked(). Fails if the call has ended, or is marked already.
        if (seen != 0 && !GuardWord.isMarked(seen)) {
            WORD.compareAndSet(this, seen, GuardWord.marked(seen));
        }
    }

    private void tellOtherSide(final Thread me, final Operation operation) {
        try {
            listener.onHolderLeft(
                report.holderStack(me, operation, clock.nanoTime() - detectedNs),
                reported.add(HOLDER_SIDE | operation.ordinal()));
        } catch (final Throwable ignored) {
            // The rightful user is not to suffer from what a listener does; see ViolationListener.
        }
    }

    /** The thread in this word; null if it cannot be found. It may be just writing itself down, so look for a while. */
    private Thread holderOf(final long seen) {
        for (int i = 0; i < HOLDER_LOOKS && GuardWord.isSameCall(word, seen); i++) {
            // Partner: enterChecked(). A Thread object is safe to read however it was published.
            final Thread found = (Thread) HOLDER.getOpaque(this);
            if (found != null && found.getId() == GuardWord.threadId(seen)) {
                return found;
            }
            Thread.onSpinWait();
        }
        final Thread last = (Thread) HOLDER.getOpaque(this); // Partner: enterChecked().
        return last != null && last.getId() == GuardWord.threadId(seen) ? last : null;
    }
}
