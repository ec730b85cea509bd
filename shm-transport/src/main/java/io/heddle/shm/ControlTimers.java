package io.heddle.shm;

import java.util.PriorityQueue;

/** What the control thread has to do later. Confined to it. */
final class ControlTimers {
    static final long NONE = Long.MAX_VALUE;

    private final PriorityQueue<Timer> timers = new PriorityQueue<>((a, b) -> Long.signum(a.deadlineNs - b.deadlineNs));

    /** A thing to do at a time; by identity. */
    static final class Timer {
        private final long deadlineNs;
        private final Runnable action;

        private Timer(final long deadlineNs, final Runnable action) {
            this.deadlineNs = deadlineNs;
            this.action = action;
        }
    }

    Timer add(final long deadlineNs, final Runnable action) {
        final Timer timer = new Timer(deadlineNs, action);
        timers.add(timer);
        return timer;
    }

    /** Forgets a timer, so that it wakes nobody; null and one that has run are no error. */
    void cancel(final Timer timer) {
        if (timer != null) {
            timers.remove(timer);
        }
    }

    /** Takes the next action that is due, or null. */
    Runnable poll(final long nowNs) {
        final Timer first = timers.peek();
        return first != null && first.deadlineNs - nowNs <= 0 ? timers.remove().action : null;
    }

    /** Nanoseconds to the next action, at least 0, or {@link #NONE}. */
    long delayNs(final long nowNs) {
        final Timer first = timers.peek();
        return first == null ? NONE : Math.max(0, first.deadlineNs - nowNs);
    }
}
