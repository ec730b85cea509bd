package io.heddle.tests.concurrency;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.heddle.context.ThreadMode;
import io.heddle.context.ThreadModeViolation;
import io.heddle.context.internal.Operation;
import io.heddle.context.internal.ThreadGuard;
import io.heddle.context.internal.ViolationListener;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The debug guard of a SERIALIZED worker: two calls that overlap are never both let in. The count that both change is
 * plain.
 */
public final class ThreadGuardTests {
    private ThreadGuardTests() {
    }

    /** Switches the checks on before the guard's class is initialized; each jcstress fork runs one test. */
    abstract static class Checked implements ViolationListener {
        static {
            System.setProperty("heddle.thread.checks", "assert");
        }

        final AtomicInteger holderReports = new AtomicInteger();
        final ThreadGuard guard = new ThreadGuard("w", ThreadMode.SERIALIZED, System::nanoTime, this);
        int plainCount;

        @Override
        public void onViolation(final ThreadModeViolation violation, final boolean firstOfPair) {
            // Counted by the guard.
        }

        @Override
        public void onHolderLeft(final Throwable exactStack, final boolean firstOfOperation) {
            holderReports.incrementAndGet();
        }

        /** 1 if let in, 0 if refused. */
        final int call(final Operation operation) {
            try {
                guard.enter(operation);
            } catch (final ThreadModeViolation violation) {
                return 0;
            }
            plainCount++;
            guard.exit(operation);
            return 1;
        }
    }

    /** Both in, and both counted; or one refused, and only the other counted. */
    @JCStressTest
    @Description("Two unordered calls on a SERIALIZED worker, checks on")
    @Outcome(id = "1, 1, 2", expect = ACCEPTABLE, desc = "one after the other; the exit's release orders the counts")
    @Outcome(id = {"1, 0, 1", "0, 1, 1"}, expect = ACCEPTABLE, desc = "they overlapped: the second was refused")
    @Outcome(id = "1, 1, 1", expect = FORBIDDEN, desc = "both were let in at once and one count was lost")
    @Outcome(id = "0, 0, 0", expect = FORBIDDEN, desc = "both refused: nobody had the right")
    @Outcome(expect = FORBIDDEN, desc = "a refused call changed something")
    @State
    public static class NeverBothInside extends Checked {
        @Actor
        public void progress(final III_Result r) {
            r.r1 = call(Operation.PROGRESS);
        }

        @Actor
        public void release(final III_Result r) {
            r.r2 = call(Operation.RELEASE);
        }

        @Arbiter
        public void count(final III_Result r) {
            r.r3 = plainCount;
        }
    }

    /** The holder tells its side at most once per call, and never without a violation. */
    @JCStressTest
    @Description("The mark that a refused call leaves is found by the overlapped one, once")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "no overlap")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "overlap; the holder found the mark")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "overlap; the holder left before the mark was made")
    @Outcome(expect = FORBIDDEN, desc = "a mark without a violation, or found twice")
    @State
    public static class MarkIsFoundOnce extends Checked {
        @Actor
        public void progress() {
            call(Operation.PROGRESS);
        }

        @Actor
        public void release() {
            call(Operation.RELEASE);
        }

        @Arbiter
        public void reports(final II_Result r) {
            r.r1 = (int) guard.violations();
            r.r2 = holderReports.get();
        }
    }

    /** Broken twin: looks whether somebody is inside, then writes itself down. Both get in, and a count is lost. */
    @JCStressTest
    @Description("Broken twin of the guard: check, then set")
    @Outcome(id = "1, 1, 2", expect = ACCEPTABLE, desc = "no harm this time")
    @Outcome(id = {"1, 0, 1", "0, 1, 1"}, expect = ACCEPTABLE, desc = "the overlap was seen")
    @Outcome(id = "1, 1, 1", expect = FORBIDDEN, desc = "both inside at once: what the real guard forbids")
    @Outcome(expect = FORBIDDEN, desc = "not even this twin does that")
    @State
    public static class BrokenCheckThenSet {
        private volatile long word;
        /** On a cache line of its own: beside the word it would travel with it and hardly ever be lost. */
        private final int[] plainCount = new int[64];

        private int call(final long me) {
            if (word != 0) {
                return 0;
            }
            word = me;
            plainCount[48]++;
            word = 0;
            return 1;
        }

        @Actor
        public void progress(final III_Result r) {
            r.r1 = call(1);
        }

        @Actor
        public void release(final III_Result r) {
            r.r2 = call(2);
        }

        @Arbiter
        public void count(final III_Result r) {
            r.r3 = plainCount[48];
        }
    }
}
