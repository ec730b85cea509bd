package io.heddle.context.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * The threads that wait for a {@link DispatchToken}, in places made beforehand. Thread safe. A thread that finds no
 * place sleeps all the same and wakes by itself.
 */
final class TokenWaiters {
    static final long MAX_PARK_NS = 1_000_000L;
    private static final int PLACES = 16;
    /** Long enough for a store that was under way to arrive. */
    private static final int SPINS = 64;
    private static final VarHandle COUNT;

    static {
        try {
            COUNT = MethodHandles.lookup().findVarHandle(TokenWaiters.class, "count", int.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final AtomicReferenceArray<Thread> places = new AtomicReferenceArray<>(PLACES);
    /** Upper bound of the places taken. */
    private volatile int count;
    /** Where the next waker begins to look. Plain: a race only changes who is woken first. */
    private int next;

    boolean await(final DispatchToken token, final long deadlineNs) {
        final Thread me = Thread.currentThread();
        COUNT.getAndAdd(this, 1); // Pairs with the read in wakeOne().
        final int place = sitDown(me);
        try {
            for (int i = 0; i < SPINS; i++) {
                if (!token.isHeld()) {
                    return true;
                }
                Thread.onSpinWait();
            }
            final long leftNs = deadlineNs - System.nanoTime();
            if (leftNs > 0) {
                LockSupport.parkNanos(this, Math.min(leftNs, MAX_PARK_NS));
            }
            return !token.isHeld();
        } finally {
            if (place >= 0) {
                places.compareAndSet(place, me, null); // Partner: wakeOne(), which may have taken us out.
            }
            COUNT.getAndAdd(this, -1); // Pairs with the read in wakeOne().
        }
    }

    void wakeOne() {
        if (count == 0) { // Pairs with the addition in await(); may miss one that is being made, see DispatchToken.
            return;
        }
        final int first = next;
        for (int i = 0; i < PLACES; i++) {
            final int place = first + i & PLACES - 1;
            final Thread waiter = places.get(place); // Volatile: pairs with sitDown().
            if (waiter != null && places.compareAndSet(place, waiter, null)) {
                next = place + 1;
                LockSupport.unpark(waiter);
                return;
            }
        }
    }

    int count() {
        return count;
    }

    private int sitDown(final Thread me) {
        for (int place = 0; place < PLACES; place++) {
            if (places.get(place) == null && places.compareAndSet(place, null, me)) { // Pairs with wakeOne().
                return place;
            }
        }
        return -1;
    }
}
