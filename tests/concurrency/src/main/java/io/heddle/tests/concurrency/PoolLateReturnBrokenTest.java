package io.heddle.tests.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

import java.util.concurrent.atomic.AtomicInteger;

/** {@link PoolLateReturnTest} with a count that is changed in two steps. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "Freed once.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Never freed, or twice.")
@State
public class PoolLateReturnBrokenTest {
    private final AtomicInteger freed = new AtomicInteger();
    private int outstanding;

    /** A thread that found the return stack closed. */
    @Actor
    public void releaser() {
        settle(-1);
    }

    /** The owner. */
    @Actor
    public void owner() {
        settle(1);
    }

    private void settle(final int change) {
        final int now = outstanding + change;
        outstanding = now;
        if (now == 0) {
            freed.incrementAndGet();
        }
    }

    /** Looks when both are done. */
    @Arbiter
    public void arbiter(final I_Result result) {
        result.r1 = freed.get();
    }
}
