package io.heddle.context.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A waiter's place in a {@link WorkerLock}, made once and used again and again, so that waiting allocates nothing.
 *
 * <pre>
 *            claim            publish          the holder picks it
 *   FREE ───────────► CLAIMED ───────► WAITING ───────────────────► WOKEN
 *    ▲                                ▲ │  ▲                         │ │
 *    │             not served, asleep │ │  └──── back to sleep ──────┘ │
 *    │                   for a while  │ │ over 500 µs, and awake       │
 *    │                                │ ▼                              │
 *    ├── the waiter has the lock ── STARVING                           │
 *    │                                 │ the holder hands the lock over│
 *    │                                 ▼                               │
 *    ├── the waiter has the lock ── GRANTED                            │
 *    └── the waiter has the lock ──────────────────────────────────────┘
 * </pre>
 *
 * <p>Writers: the waiter that claimed it; and, only from WAITING (to WOKEN) and from STARVING (to GRANTED), the thread
 * that holds the lock. {@link #thread} and {@link #sinceNs} are written by the waiter before it publishes WAITING.
 */
final class LockWaiter {
    static final int FREE = 0;
    static final int CLAIMED = 1;
    static final int WAITING = 2;
    static final int WOKEN = 3;
    static final int STARVING = 4;
    static final int GRANTED = 5;

    private static final VarHandle STATUS;

    static {
        try {
            STATUS = MethodHandles.lookup().findVarHandle(LockWaiter.class, "status", int.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    /** Plain: published by the release in {@link #publish}, read by the lock's holder after its acquire of status. */
    Thread thread;
    /** Plain: as {@link #thread}. From {@code System.nanoTime()}. */
    long sinceNs;
    private volatile int status;

    boolean tryClaim() {
        // Pairs with the release of FREE in free(): the next waiter's writes of thread and sinceNs come after the last
        // reads.
        return status == FREE && STATUS.compareAndSet(this, FREE, CLAIMED);
    }

    void publish(final Thread waiter, final long nowNs) {
        thread = waiter;
        sinceNs = nowNs;
        // Pairs with the acquire in status() of the holder that looks for a waiter.
        STATUS.setRelease(this, WAITING);
    }

    int status() {
        // Pairs with publish() (holder's side) and with the holder's compareAndSet to WOKEN or GRANTED (waiter's side):
        // a waiter that reads GRANTED sees everything that was done under the lock before it was handed over.
        return (int) STATUS.getAcquire(this);
    }

    boolean move(final int from, final int to) {
        // Pairs with status() of the other side; a compare-and-set because waiter and holder may both leave WAITING.
        return STATUS.compareAndSet(this, from, to);
    }

    void free() {
        thread = null;
        // Pairs with tryClaim() of the next waiter.
        STATUS.setRelease(this, FREE);
    }
}
