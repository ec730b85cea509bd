package io.heddle.tests.concurrency;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.heddle.context.internal.DispatchToken;
import io.heddle.context.internal.Operation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** The dispatcher token: one dispatcher at a time, which sees what the last one did; a waiter always comes back. */
public final class DispatchTokenTests {
    private DispatchTokenTests() {
    }

    /** A dispatcher's own data is plain; the token hands it on. */
    @JCStressTest
    @Description("Two threads try to dispatch")
    @Outcome(id = "1, 1, 2", expect = ACCEPTABLE, desc = "one after the other, the second saw the first's count")
    @Outcome(id = {"1, 0, 1", "0, 1, 1"}, expect = ACCEPTABLE, desc = "one found the token taken")
    @Outcome(id = "1, 1, 1", expect = FORBIDDEN, desc = "two dispatchers at once, or a release that publishes nothing")
    @Outcome(expect = FORBIDDEN, desc = "nobody got a free token")
    @State
    public static class OneDispatcher {
        private final DispatchToken token = new DispatchToken("w");
        private int plainCount;

        private int dispatch() {
            if (!token.tryAcquire()) {
                return 0;
            }
            plainCount++;
            token.release();
            return 1;
        }

        @Actor
        public void first(final III_Result r) {
            r.r1 = dispatch();
        }

        @Actor
        public void second(final III_Result r) {
            r.r2 = dispatch();
        }

        @Arbiter
        public void count(final III_Result r) {
            r.r3 = plainCount;
        }
    }

    /** The mark "in a callback" is the thread's own, whoever reads the token meanwhile. */
    @JCStressTest
    @Description("A thread outside is never taken for the one inside a callback, nor the other way round")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the dispatcher is inside, the other is not")
    @Outcome(expect = FORBIDDEN, desc = "the marks of two threads were confused")
    @State
    public static class InsideIsTheDispatcherOnly {
        private final DispatchToken token = new DispatchToken("w");

        @Actor
        public void dispatcher(final II_Result r) {
            while (!token.tryAcquire()) {
                Thread.onSpinWait();
            }
            token.enterCallback();
            r.r1 = token.isInCallback() ? 1 : 0;
            token.exitCallback();
            token.release();
        }

        @Actor
        public void other(final II_Result r) {
            token.checkNotInCallback(Operation.PROGRESS);
            r.r2 = token.isInCallback() ? 1 : 0;
            if (token.tryAcquire()) {
                token.release();
            }
        }
    }

    /** The missing fence between the release and the look for waiters costs at most one millisecond, never a waiter. */
    @JCStressTest(Mode.Termination)
    @Description("Release races with a thread that begins to wait")
    @Outcome(id = "TERMINATED", expect = ACCEPTABLE, desc = "the waiter got the token")
    @Outcome(id = "STALE", expect = FORBIDDEN, desc = "the waiter sleeps for ever")
    @State
    public static class NoLostWaiter {
        private final DispatchToken token = new DispatchToken("w");

        public NoLostWaiter() {
            token.tryAcquire();
        }

        @Actor
        public void waiter() {
            while (!token.tryAcquire()) {
                token.awaitRelease(System.nanoTime() + 1_000_000_000L);
            }
        }

        @Signal
        public void dispatcher() {
            token.release();
        }
    }

    /** Broken twin: looks whether the token is free, then takes it. */
    @JCStressTest
    @Description("Broken twin of the token: check, then set")
    @Outcome(id = "1, 1, 2", expect = ACCEPTABLE, desc = "no harm this time")
    @Outcome(id = {"1, 0, 1", "0, 1, 1"}, expect = ACCEPTABLE, desc = "one found the token taken")
    @Outcome(id = "1, 1, 1", expect = FORBIDDEN, desc = "two at once: what the real one forbids")
    @Outcome(expect = FORBIDDEN, desc = "not even this twin does that")
    @State
    public static class BrokenCheckThenSet {
        private volatile boolean isTaken;
        /** On a cache line of its own: beside the word it would travel with it and hardly ever be lost. */
        private final int[] plainCount = new int[64];

        private int dispatch() {
            if (isTaken) {
                return 0;
            }
            isTaken = true;
            plainCount[48]++;
            isTaken = false;
            return 1;
        }

        @Actor
        public void first(final III_Result r) {
            r.r1 = dispatch();
        }

        @Actor
        public void second(final III_Result r) {
            r.r2 = dispatch();
        }

        @Arbiter
        public void count(final III_Result r) {
            r.r3 = plainCount[48];
        }
    }

    /**
     * Broken twin of the waiting: it registers, looks and sleeps until woken, but is woken only if the releasing thread
     * has seen it already. Without the fence a store may still be under way when the count is read (x86 does this one:
     * store, then load of another word); the two zeros together are the lost waiter that the timed park is for.
     */
    @JCStressTest
    @Description("Why the waiter does not rely on being seen")
    @Outcome(id = {"0, 1", "1, 0", "1, 1"}, expect = ACCEPTABLE, desc = "one of the two saw the other")
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "neither did: the waiter would sleep for ever")
    @State
    public static class BrokenWithoutTimedPark {
        private static final VarHandle TAKEN = handle("taken");
        private static final VarHandle WAITERS = handle("waiters");

        private int taken = 1;
        private int waiters;

        @Actor
        public void releases(final II_Result r) {
            TAKEN.setRelease(this, 0); // Partner: the acquire in waits().
            r.r1 = (int) WAITERS.getAcquire(this); // Partner: the addition in waits().
        }

        @Actor
        public void waits(final II_Result r) {
            WAITERS.getAndAdd(this, 1); // Partner: the acquire in releases().
            r.r2 = 1 - (int) TAKEN.getAcquire(this); // Partner: the release in releases().
        }

        private static VarHandle handle(final String field) {
            try {
                return MethodHandles.lookup().findVarHandle(BrokenWithoutTimedPark.class, field, int.class);
            } catch (final ReflectiveOperationException ex) {
                throw new ExceptionInInitializerError(ex);
            }
        }
    }
}
