package io.heddle.context.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * The lock of a MULTI worker: every step runs under it, and nothing else does. Not re-entrant, by design: it is taken
 * at the outermost public call. Thread safe; platform and virtual threads alike (waiters park, no monitor is used).
 *
 * <p><b>Order.</b> {@link #unlock()} is a release, {@link #lock()} and a successful {@link #tryLock()} are acquires, on
 * the one word {@code state} or, when the lock is handed over, on the waiter's status word.
 *
 * <p><b>Bias.</b> A thread that takes the lock thousands of times without meeting another gets it without an atomic
 * instruction from then on, until another asks for it, see {@link Bias}. LOCKED and BIASED stay in the state meanwhile.
 *
 * <p><b>Allocation.</b> None, also at the first contention, but when a bias is taken away: waiters use {@value #SLOTS}
 * places made with the lock. A waiter that finds none free sleeps {@value #NO_SLOT_PARK_NS} ns at a time and looks
 * again. (The JDK's own timed park of a <em>virtual</em> thread allocates.)
 *
 * <p><b>Fairness.</b> A free lock goes to whoever comes first, which is what makes short sections cheap. A waiter that
 * has waited longer than {@value #STARVING_NS} ns asks for the lock, and the next unlock hands it over without letting
 * anybody else in. It asks awake, for {@value #AWAKE_NS} ns at a time, and sleeps {@value #MAX_PARK_NS} ns between: a
 * lock handed to a sleeper is held by nobody until that one runs, and on busy processors the others
 * come to starve meanwhile and are served in the same way. Only after {@value #ASLEEP_NS} ns, or with one processor, it
 * goes on asking in its sleep.
 *
 * <p><b>Waiting.</b> A few dozen {@code onSpinWait}, if there is more than one processor, then park: on few cores the
 * holder may be the one that is waiting for our processor. Interrupts do not end a wait; the flag is set again when the
 * lock is had.
 *
 * <pre>
 *   state   63           32 31                8 7      4     3     2       1      0
 *          ┌───────────────┬───────────────────┬────────┬──────┬────────┬──────┬──────┐
 *          │       0       │  waiters in slots │   0    │BIASED│STARVING│WOKEN │LOCKED│
 *          └───────────────┴───────────────────┴────────┴──────┴────────┴──────┴──────┘
 * </pre>
 *
 * <p><b>No wake-up is lost.</b> A waiter parks only after it saw LOCKED <em>together with</em> its own count in the
 * state: the holder's unlock is a compare-and-set on that word, so it sees the count. WOKEN says that one waiter has
 * been woken and is on its way, so that a busy lock does not wake one thread per unlock; the woken waiter takes it away
 * when it has got the lock, or, going back to sleep, in one step that also sees LOCKED. Timed parks are not
 * needed for this and are there all the same.
 */
public final class WorkerLock extends WorkerLockPad.Right {
    /** How long a waiter waits before the lock is handed to it. */
    static final long STARVING_NS = 500_000L;
    static final int SLOTS = 32;
    /** How long a starving waiter waits awake, once a round, before it sleeps again. */
    private static final long AWAKE_NS = 20_000L;
    private static final int AWAKE_LOOKS = 32;
    /** How long a waiter waits before the lock is handed to it even while it sleeps. */
    private static final long ASLEEP_NS = 10_000_000L;
    private static final long NO_SLOT_PARK_NS = 50_000L;
    private static final long MAX_PARK_NS = 1_000_000L;
    private static final int SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 100 : 0;

    private static final long LOCKED = 1L;
    private static final long WOKEN = 1L << 1;
    private static final long STARVING = 1L << 2;
    private static final long BIASED = 1L << 3;
    private static final long ONE_WAITER = 1L << 8;
    private static final long WAITERS_MASK = 0xFF_FFFFL << 8;

    private static final VarHandle STATE;
    private static final VarHandle HOLDER_ID;
    private static final VarHandle CONTENDED;
    private static final VarHandle HANDED;
    private static final VarHandle LONGEST;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(WorkerLock.class, "state", long.class);
            HOLDER_ID = lookup.findVarHandle(WorkerLock.class, "holderId", long.class);
            CONTENDED = lookup.findVarHandle(WorkerLock.class, "contended", long.class);
            HANDED = lookup.findVarHandle(WorkerLock.class, "handed", long.class);
            LONGEST = lookup.findVarHandle(WorkerLock.class, "longestWaitNs", long.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
        new WorkerLock().rehearse();
    }

    private final LockWaiter[] slots = new LockWaiter[SLOTS];
    /** While it has an owner, LOCKED and BIASED stay in the state. */
    private final Bias bias;
    /** Kept only while checks are on. Written by the holder, opaque; a reader can only recognise himself in it. */
    private long holderId;
    /** These three: written by the lock's holder, opaque so that a reader of the gauges sees whole, recent values. */
    private long contended;
    private long handed;
    private long longestWaitNs;

    public WorkerLock() {
        this(true);
    }

    /** @param isBiased whether a thread that alone takes the lock may get it more cheaply after a while. */
    public WorkerLock(final boolean isBiased) {
        this(new Bias(isBiased));
    }

    /** For tests: with a bias that comes sooner. */
    WorkerLock(final Bias bias) {
        this.bias = bias;
        for (int i = 0; i < SLOTS; i++) {
            slots[i] = new LockWaiter();
        }
    }

    /**
     * Waits until the lock is had. With checks on, an {@link AssertionError} if the calling thread has it already;
     * without them that is a deadlock.
     */
    public void lock() {
        final Thread me = Thread.currentThread();
        if (!bias.enter(me)) {
            lockUnbiased(me);
        }
        if (ThreadGuard.CHECKS) {
            noteHolder();
        }
    }

    private void lockUnbiased(final Thread me) {
        // Acquire: pairs with the compare-and-set in unlock().
        if (!STATE.compareAndSet(this, 0L, LOCKED)) {
            lockContended();
        } else if (bias.countTaken(me)) {
            settle(me);
        }
    }

    /** The holder becomes the owner of the bias, unless somebody waits whom its unlock would have to wake. */
    private void settle(final Thread me) {
        bias.settle(me);
        // After the owner: a waiter counts itself first and looks at the owner then, so one of us sees the other.
        if (!STATE.compareAndSet(this, LOCKED, LOCKED | BIASED)) {
            bias.unsettle(me);
        }
    }

    /** Takes the lock if it is free and nobody is being handed it; never waits. */
    public boolean tryLock() {
        final boolean isTaken = barge();
        if (ThreadGuard.CHECKS && isTaken) {
            noteHolder();
        }
        return isTaken;
    }

    /**
     * Lets go. Only by the thread that has the lock.
     *
     * @throws IllegalMonitorStateException if nobody has the lock; with checks on also if another thread has it.
     */
    public void unlock() {
        if (ThreadGuard.CHECKS) {
            forgetHolder();
        }
        // Release: pairs with the compare-and-set in lock(), barge() and waitInSlot().
        if (!bias.leave() && !STATE.compareAndSet(this, LOCKED, 0L)) {
            unlockContended();
        }
    }

    /**
     * Whether the calling thread has the lock. Known exactly only while {@link ThreadGuard#CHECKS} is on; otherwise
     * this says whether <em>anybody</em> has it, so that {@code assert lock.isHeldByCurrentThread()} never fails
     * wrongly.
     */
    public boolean isHeldByCurrentThread() {
        if (ThreadGuard.CHECKS) {
            // Own id or another's: only this thread could have written its own, so program order is enough.
            return (long) HOLDER_ID.getOpaque(this) == Thread.currentThread().getId();
        }
        return (state & LOCKED) != 0;
    }

    /** How often the lock was not had at once. Any thread may read. */
    public long contendedCount() {
        return (long) CONTENDED.getOpaque(this); // Partner: countContention().
    }

    /** How often it was handed to a waiter that had waited over 500 µs. Any thread may read. */
    public long handedCount() {
        return (long) HANDED.getOpaque(this); // Partner: handOver().
    }

    /** The longest time that a waiter was asleep for the lock; spinning alone is not measured. Any thread may read. */
    public long longestWaitNs() {
        return (long) LONGEST.getOpaque(this); // Partner: leaveSlot().
    }

    /** Waiters asleep or about to be: for tests. */
    int waiterCount() {
        return (int) ((state & WAITERS_MASK) >>> 8);
    }

    /** Whether nobody has it, waits for it or is on its way to it: for tests. */
    boolean isIdle() {
        final long seen = state;
        return seen == 0 || seen == (LOCKED | BIASED) && !bias.isInside();
    }

    /** Waiters that will be handed the lock: for tests. */
    int starvingCount() {
        int count = 0;
        for (final LockWaiter slot : slots) {
            count += slot.status() == LockWaiter.STARVING ? 1 : 0;
        }
        return count;
    }

    private void lockContended() {
        if (ThreadGuard.CHECKS && isHeldByCurrentThread()) {
            throw new AssertionError(
                "worker lock entered twice by one thread: thread=" + Thread.currentThread().getName());
        }
        for (int i = 0; i <= SPINS; i++) {
            if (barge()) {
                countContention();
                return;
            }
            Thread.onSpinWait();
        }
        boolean isInterrupted = false;
        LockWaiter slot = claimSlot();
        while (slot == null) {
            LockSupport.parkNanos(this, NO_SLOT_PARK_NS);
            isInterrupted |= Thread.interrupted();
            if (barge()) {
                break;
            }
            slot = claimSlot();
        }
        if (slot != null) {
            isInterrupted |= waitInSlot(slot);
        }
        countContention();
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean barge() {
        long seen;
        while (((seen = state) & LOCKED) == 0) {
            // Acquire: pairs with the release of LOCKED in unlock() and wakeOne().
            if (STATE.compareAndSet(this, seen, seen | LOCKED)) {
                return true;
            }
        }
        return takeFromOwner();
    }

    /** Takes the bias away, if there is one, waits until its owner has left, and has the lock then: LOCKED was set. */
    private boolean takeFromOwner() {
        if (!bias.revoke()) {
            return false;
        }
        bias.awaitLeft();
        STATE.getAndBitwiseAnd(this, ~BIASED); // Partner: settle().
        return true;
    }

    private LockWaiter claimSlot() {
        for (final LockWaiter slot : slots) {
            if (slot.tryClaim()) {
                return slot;
            }
        }
        return null;
    }

    /** Returns, with the lock, whether the thread was interrupted meanwhile. */
    private boolean waitInSlot(final LockWaiter slot) {
        final long startNs = System.nanoTime();
        slot.publish(Thread.currentThread(), startNs);
        // From here an unlock sees us: the slot was published before the count.
        STATE.getAndAdd(this, ONE_WAITER);
        boolean isInterrupted = false;
        while (!takeOrStay(slot)) {
            final long waitedNs = System.nanoTime() - startNs;
            if (waitedNs < STARVING_NS) {
                LockSupport.parkNanos(this, STARVING_NS - waitedNs);
            } else if (takeStarving(slot, waitedNs)) {
                break;
            } else {
                LockSupport.parkNanos(this, MAX_PARK_NS);
            }
            isInterrupted |= Thread.interrupted();
            spinWhileLocked();
        }
        leaveSlot(slot, startNs);
        return isInterrupted;
    }

    /** Awake by now: a section is shorter than another sleep. */
    private void spinWhileLocked() {
        for (int i = 0; i < SPINS && (state & LOCKED) != 0; i++) {
            Thread.onSpinWait();
        }
    }

    /**
     * Asks for the lock to be handed over and waits a little for that, awake. True if it is ours; if not, it is right
     * to sleep, as after {@link #takeOrStay}.
     */
    private boolean takeStarving(final LockWaiter slot, final long waitedNs) {
        if (slot.status() != LockWaiter.STARVING && !becomeStarving(slot)) {
            return false;
        }
        final long beginNs = System.nanoTime();
        do {
            if (takeOrStay(slot)) {
                return true;
            }
            spinWhileLockedFor(slot);
        } while (SPINS != 0 && System.nanoTime() - beginNs < AWAKE_NS);
        if (waitedNs >= ASLEEP_NS || SPINS == 0) {
            return takeOrStay(slot); // Sleeps as STARVING: nobody else gets the lock before.
        }
        slot.move(LockWaiter.STARVING, LockWaiter.WAITING); // Or it is GRANTED, which comes out now.
        return takeOrStay(slot);
    }

    private void spinWhileLockedFor(final LockWaiter slot) {
        for (int i = 0; i < AWAKE_LOOKS && slot.status() == LockWaiter.STARVING && (state & LOCKED) != 0; i++) {
            Thread.onSpinWait();
        }
    }

    /**
     * True if the lock is ours: handed over, or free and taken. False if it is right to sleep: LOCKED was seen in the
     * same word as our count and no WOKEN of ours is in it, so the holder's unlock will look for a waiter; or the
     * holder has picked us and its unpark is still to come.
     */
    private boolean takeOrStay(final LockWaiter slot) {
        while (true) {
            final int status = slot.status();
            if (status == LockWaiter.GRANTED) {
                return true;
            }
            final long seen = state;
            if ((seen & LOCKED) == 0) {
                // Acquire: pairs with the release of LOCKED in wakeOne() and unlock().
                if (STATE.compareAndSet(this, seen, (seen | LOCKED) - ONE_WAITER)) {
                    return true;
                }
            } else if (takeFromOwner()) {
                STATE.getAndAdd(this, -ONE_WAITER); // Counts itself out, as in the compare-and-set above.
                return true;
            } else if (status != LockWaiter.WOKEN || (seen & WOKEN) == 0 || backToSleep(slot, seen)) {
                return false;
            }
        }
    }

    /** A woken waiter found the lock taken again: it becomes one of the sleepers before it lets others be woken. */
    private boolean backToSleep(final LockWaiter slot, final long seen) {
        // While WOKEN is in the state nobody wakes anybody, so the slot is ours to write until the compare-and-set
        // below.
        slot.move(LockWaiter.WOKEN, LockWaiter.WAITING);
        if (STATE.compareAndSet(this, seen, seen & ~WOKEN)) {
            return true;
        }
        slot.move(LockWaiter.WAITING, LockWaiter.WOKEN);
        return false;
    }

    /** False if the holder has picked us to be woken: then that comes first. */
    private boolean becomeStarving(final LockWaiter slot) {
        if (!slot.move(LockWaiter.WAITING, LockWaiter.STARVING)) {
            return false;
        }
        // The slot first, then the bit: handOver() takes the bit away first and looks at the slots then, so one of the
        // two is seen.
        STATE.getAndBitwiseOr(this, STARVING);
        return true;
    }

    private void leaveSlot(final LockWaiter slot, final long startNs) {
        final long waitedNs = System.nanoTime() - startNs;
        // Only a holder picks a waiter to be woken, and now that is us: the status says whether WOKEN is ours to take
        // away, also if we were picked after we had looked.
        final int status = slot.status();
        if (status == LockWaiter.WOKEN) {
            STATE.getAndBitwiseAnd(this, ~WOKEN); // Partner: unlockContended().
        } else if (status == LockWaiter.GRANTED) {
            STATE.getAndAdd(this, -ONE_WAITER); // Partner: unlockContended().
        }
        if (waitedNs > longestWaitNs) {
            LONGEST.setOpaque(this, waitedNs); // Partner: longestWaitNs().
        }
        slot.free();
    }

    private void unlockContended() {
        while (true) {
            final long seen = state;
            if ((seen & LOCKED) == 0 || (seen & BIASED) != 0) {
                throw new IllegalMonitorStateException("worker lock let go by a thread that does not have it: thread="
                    + Thread.currentThread().getName());
            }
            if ((seen & STARVING) != 0) {
                if (handOver()) {
                    return;
                }
            } else if ((seen & WAITERS_MASK) == 0 || (seen & WOKEN) != 0) {
                // Release: pairs with lock(), barge() and takeOrStay().
                if (STATE.compareAndSet(this, seen, seen & ~LOCKED)) {
                    return;
                }
            } else if (wakeOne()) {
                return;
            }
        }
    }

    /** LOCKED stays set: from here on the waiter has the lock. False if no waiter starves (any more). */
    private boolean handOver() {
        STATE.getAndBitwiseAnd(this, ~STARVING); // Partner: becomeStarving().
        final LockWaiter slot = oldest(LockWaiter.STARVING);
        if (slot == null) {
            return false;
        }
        if (isStatusOfAnother(slot, LockWaiter.STARVING)) {
            STATE.getAndBitwiseOr(this, STARVING);
        }
        final Thread waiter = slot.thread;
        HANDED.setOpaque(this, handed + 1); // Partner: handedCount().
        // Release: pairs with the acquire in status(). From here on the lock is the waiter's; it counts itself out.
        if (!slot.move(LockWaiter.STARVING, LockWaiter.GRANTED)) {
            HANDED.setOpaque(this, handed - 1); // Gone back to sleep meanwhile; the lock is still ours.
            return false;
        }
        LockSupport.unpark(waiter);
        return true;
    }

    private boolean wakeOne() {
        final LockWaiter slot = oldest(LockWaiter.WAITING);
        if (slot == null) {
            return handOver(); // The only waiter is on its way to set STARVING.
        }
        final Thread waiter = slot.thread;
        if (!slot.move(LockWaiter.WAITING, LockWaiter.WOKEN)) {
            return false;
        }
        // Only a holder sets WOKEN and it is not set, so this cannot overflow. Release: pairs with barge() and
        // takeOrStay().
        STATE.getAndAdd(this, WOKEN - LOCKED);
        LockSupport.unpark(waiter);
        return true;
    }

    private boolean isStatusOfAnother(final LockWaiter slot, final int status) {
        for (final LockWaiter other : slots) {
            if (other != slot && other.status() == status) {
                return true;
            }
        }
        return false;
    }

    private LockWaiter oldest(final int status) {
        LockWaiter found = null;
        for (final LockWaiter slot : slots) {
            if (slot.status() == status && (found == null || slot.sinceNs - found.sinceNs < 0)) {
                found = slot;
            }
        }
        return found;
    }

    /** Goes once through the slow paths, whose accesses the JVM links, allocating, when they are first made. */
    private void rehearse() {
        final LockWaiter slot = claimSlot();
        slot.publish(Thread.currentThread(), System.nanoTime());
        lock();
        STATE.getAndAdd(this, ONE_WAITER);
        becomeStarving(slot);
        unlock();
        takeOrStay(slot);
        leaveSlot(slot, System.nanoTime());
        countContention();
    }

    private void countContention() {
        CONTENDED.setOpaque(this, contended + 1); // Partner: contendedCount(). The lock is held.
    }

    private void noteHolder() {
        HOLDER_ID.setOpaque(this, Thread.currentThread().getId()); // Partner: isHeldByCurrentThread().
    }

    private void forgetHolder() {
        if (!isHeldByCurrentThread()) {
            throw new IllegalMonitorStateException("worker lock let go by a thread that does not have it: thread="
                + Thread.currentThread().getName());
        }
        HOLDER_ID.setOpaque(this, 0L); // Partner: isHeldByCurrentThread().
    }
}
