package io.heddle.context.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Lets the one thread that always takes a lock go in and out of it without an atomic instruction, until another thread
 * asks for the lock.
 *
 * <p><b>Why.</b> On x86 an atomic instruction waits until every store before it has arrived: after each sent record
 * that is the record's own cache line, which the receiver had. Measured so, a send of 8 bytes costs a MULTI worker
 * three times what it costs a SINGLE one, and nearly all of that is this wait.
 *
 * <p><b>How.</b> The owner stores {@code inside}, then looks whether it still is the owner. Who takes the bias away
 * stores the owner, then looks at {@code inside}. Between a store and the look at another word each needs a fence. The
 * owner's is free: who takes the bias away stops the owner for a moment, by asking for its stack ({@link
 * Thread#getStackTrace()}), and no HotSpot thread gives its stack, or leaves native code, without having made its
 * stores visible. Then either the owner's look came before, and its {@code inside} is seen, or it comes after, and it
 * finds itself no owner any more. That is a property of HotSpot, not of the language: elsewhere nobody ever becomes an
 * owner.
 *
 * <p><b>Cost.</b> Taking the bias away takes a stop of that thread (on JDK 17, of all threads) and allocates the stack:
 * 163 µs in the median on JDK 17, 136 on 25, 1.1 ms at most (two virtual CPUs of an AMD EPYC 9005, 2026-12-01). So
 * nobody becomes an owner before it has taken the lock {@value #FIRST_STREAK} times in a row without meeting anybody,
 * {@value #LONGER} times as often after each time the bias was taken away, and not at all after the fifth time. {@code
 * heddle.lock.bias=off} leaves all that out.
 *
 * <p>Threads: {@link #enter} and {@link #leave} by the thread that takes or has the lock; {@link #countTaken} and
 * {@link #settle} by its holder; all else by any thread.
 */
final class Bias {
    /** So many uncontended takings in a row before a thread becomes the owner. */
    static final int FIRST_STREAK = 10_000;
    /** By so much longer has the streak to be after each time the bias was taken away. */
    static final int LONGER = 16;

    private static final boolean IS_POSSIBLE = isPossible(System.getProperty("java.vm.name", ""));
    private static final Object BEING_TAKEN = new Object();
    private static final int LOOKS = 1000;
    private static final long PARK_NS = 20_000L;
    private static final long RETRY_NS = 1_000_000L;
    private static final VarHandle OWNER;
    private static final VarHandle INSIDE;
    private static final VarHandle HELD;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            OWNER = lookup.findVarHandle(Bias.class, "owner", Object.class);
            INSIDE = lookup.findVarHandle(Bias.class, "inside", int.class);
            HELD = lookup.findVarHandle(Bias.class, "isHeld", boolean.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final int longer;
    /** Returns when the thread has made visible whatever it had stored before. */
    private final Consumer<Thread> stop;
    /** The owning thread; null for none; {@link #BEING_TAKEN} while it is being taken away. */
    private volatile Object owner;
    /** 1 while the owner is inside or about to look whether it may be. Written by that thread alone. */
    private int inside;
    /** Whether the lock's holder came in by the bias. Under the lock. */
    private boolean isHeld;
    /** Who became the owner last. Under the lock. */
    private Thread lastOwner;
    /** Who took the lock last, other than by the bias, and how often in a row. Under the lock. */
    private Thread lastTaker;
    private int streak;
    /** How long a streak makes an owner. Written while the owner is being changed, read under the lock. */
    private int neededStreak;

    /** @param isWanted otherwise nobody ever becomes the owner. */
    Bias(final boolean isWanted) {
        this(isWanted && IS_POSSIBLE ? FIRST_STREAK : Integer.MAX_VALUE, LONGER, Thread::getStackTrace);
    }

    /** For tests: sooner, more often, or with another way to stop a thread. */
    Bias(final int firstStreak, final int longer, final Consumer<Thread> stop) {
        neededStreak = firstStreak;
        this.longer = longer;
        this.stop = stop;
    }

    static boolean isPossible(final String vmName) {
        return vmName.contains("HotSpot") || vmName.startsWith("OpenJDK");
    }

    /** Goes in, if the calling thread is the owner and not inside already. */
    boolean enter(final Thread me) {
        if (OWNER.getOpaque(this) != me || isHeld) { // Opaque: only this thread could make it become this thread.
            return false;
        }
        INSIDE.setOpaque(this, 1); // Partner: isInside().
        // Keeps the compiler from moving the look before the store; the processor is kept from it by revoke().
        VarHandle.acquireFence();
        if (OWNER.getOpaque(this) != me) { // Partner: revoke().
            INSIDE.setRelease(this, 0); // As in leave().
            return false;
        }
        isHeld = true;
        return true;
    }

    /** Goes out, if the holder came in by the bias; otherwise does nothing and is false. By the lock's holder. */
    boolean leave() {
        if (!isHeld) {
            return false;
        }
        isHeld = false;
        INSIDE.setRelease(this, 0); // Release: pairs with isInside().
        return true;
    }

    /** The holder took the lock otherwise than by the bias. Whether it is time to {@link #settle}. */
    boolean countTaken(final Thread me) {
        if (lastTaker != me) {
            lastTaker = me;
            streak = 0;
            return false;
        }
        if (++streak < neededStreak) {
            return false;
        }
        streak = 0;
        return neededStreak != Integer.MAX_VALUE && mayOwn(me);
    }

    /** A subclass could answer for its stack by itself, and a virtual thread has none when it is unmounted. */
    private static boolean mayOwn(final Thread me) {
        return me.getClass() == Thread.class;
    }

    /** The lock's holder becomes the owner, and is inside by the bias from here on. */
    void settle(final Thread me) {
        lastOwner = me;
        HELD.setRelease(this, true); // After the last owner; pairs with isHeldBy().
        INSIDE.setOpaque(this, 1); // Before the owner, which is volatile; partner: isInside().
        owner = me;
    }

    /** Takes back what {@link #settle} did, unless another thread is taking the bias away and waits for us to leave. */
    void unsettle(final Thread me) {
        if (OWNER.compareAndSet(this, me, null)) { // Pairs with revoke().
            leave();
        }
    }

    /**
     * Takes the bias away from its owner. When this returns true the former owner does not come in any more; it may
     * still be inside.
     *
     * @return false if there is no owner, or it is the calling thread, or another thread is about to take it away.
     */
    boolean revoke() {
        final Object seen = owner;
        if (!(seen instanceof Thread) || seen == Thread.currentThread()
            || !OWNER.compareAndSet(this, seen, BEING_TAKEN)) { // Pairs with the looks in enter().
            return false;
        }
        stop((Thread) seen);
        neededStreak = (int) Math.min(Integer.MAX_VALUE, (long) neededStreak * longer);
        owner = null; // Volatile: pairs with isOwned().
        return true;
    }

    private void stop(final Thread thread) {
        boolean isDone = false;
        while (!isDone) {
            try {
                stop.accept(thread);
                isDone = true;
            } catch (final Throwable ex) {
                // No memory for the stack at this moment: nobody may have the lock before this was done.
                LockSupport.parkNanos(RETRY_NS);
            }
        }
    }

    /** Waits, after {@link #revoke}, until the former owner has left. */
    void awaitLeft() {
        for (int looks = 0; isInside(); looks++) {
            if (looks < LOOKS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(this, PARK_NS);
            }
        }
    }

    /** Whether somebody owns it, or it is being taken away. */
    boolean isOwned() {
        return owner != null;
    }

    /** Whether the owner, or who was it last, is inside; perhaps also while it only looks. */
    boolean isInside() {
        return (int) INSIDE.getAcquire(this) != 0; // Pairs with leave().
    }

    /** Whether the calling thread is inside. */
    boolean isHeldBy(final Thread me) {
        // Acquire: pairs with settle(). What it compares was written by this thread, or is another's.
        return (boolean) HELD.getAcquire(this) && lastOwner == me;
    }
}
