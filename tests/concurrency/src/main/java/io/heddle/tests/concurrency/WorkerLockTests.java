package io.heddle.tests.concurrency;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.heddle.context.internal.WorkerLock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** The worker lock: one at a time, what was done under it is seen by the next, nobody sleeps for ever. */
public final class WorkerLockTests {
    private WorkerLockTests() {
    }

    /** Several rounds each, so that spinning, barging and now and then parking occur. */
    @JCStressTest
    @Description("Plain count under the worker lock")
    @Outcome(id = "6", expect = ACCEPTABLE, desc = "every count was made alone and seen by the next")
    @Outcome(expect = FORBIDDEN, desc = "a count was lost: two threads had the lock, or unlock was no release")
    @State
    public static class MutualExclusion {
        private final WorkerLock lock = new WorkerLock();
        private int plainCount;

        private void countThrice() {
            for (int i = 0; i < 3; i++) {
                lock.lock();
                plainCount++;
                lock.unlock();
            }
        }

        @Actor
        public void first() {
            countThrice();
        }

        @Actor
        public void second() {
            countThrice();
        }

        @Arbiter
        public void count(final I_Result r) {
            r.r1 = plainCount;
        }
    }

    /** tryLock never waits, and is an acquire when it succeeds. */
    @JCStressTest
    @Description("Two plain stores under the lock are seen both or not at all by who takes it next")
    @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "the lock was taken")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "before the other")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "after the other")
    @Outcome(expect = FORBIDDEN, desc = "half of what was done under the lock was seen")
    @State
    public static class Visibility {
        private final WorkerLock lock = new WorkerLock();
        private int first;
        private int second;

        @Actor
        public void writer() {
            lock.lock();
            first = 1;
            second = 1;
            lock.unlock();
        }

        @Actor
        public void reader(final II_Result r) {
            if (lock.tryLock()) {
                r.r1 = second;
                r.r2 = first;
                lock.unlock();
            } else {
                r.r1 = -1;
                r.r2 = -1;
            }
        }
    }

    /** A waiter that goes to sleep while the lock is let go gets it. (Checks are off: another thread may unlock.) */
    @JCStressTest(Mode.Termination)
    @Description("Unlock races with a waiter that registers and parks")
    @Outcome(id = "TERMINATED", expect = ACCEPTABLE, desc = "the waiter got the lock")
    @Outcome(id = "STALE", expect = FORBIDDEN, desc = "a lost wake-up")
    @State
    public static class NoLostWakeUp {
        private final WorkerLock lock = new WorkerLock();

        public NoLostWakeUp() {
            lock.lock();
        }

        @Actor
        public void waiter() {
            lock.lock();
            lock.unlock();
        }

        @Signal
        public void holder() {
            lock.unlock();
        }
    }

    /**
     * Broken twin: looks, then sets. Shows the lost count. (A twin whose unlock is a plain store shows nothing on x86:
     * stores there are not reordered with older stores, so only the compiler could.)
     */
    @JCStressTest
    @Description("Broken twin of the worker lock: check, then set")
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "no harm this time")
    @Outcome(id = "1", expect = FORBIDDEN, desc = "two threads had the lock: what the real one forbids")
    @Outcome(expect = FORBIDDEN, desc = "not even this twin does that")
    @State
    public static class BrokenCheckThenSet {
        private volatile boolean isLocked;
        /** On a cache line of its own: beside the word it would travel with it and hardly ever be lost. */
        private final int[] plainCount = new int[64];

        private void count() {
            while (isLocked) {
                Thread.onSpinWait();
            }
            isLocked = true;
            plainCount[48]++;
            isLocked = false;
        }

        @Actor
        public void first() {
            count();
        }

        @Actor
        public void second() {
            count();
        }

        @Arbiter
        public void count(final I_Result r) {
            r.r1 = plainCount[48];
        }
    }
}
