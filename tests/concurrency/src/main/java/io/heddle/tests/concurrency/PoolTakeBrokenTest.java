package io.heddle.tests.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** {@link PoolTakeTest} with a free stack that is the only truth, as in pools whose elements have no state. */
@JCStressTest
@Outcome(id = {"0, 1", "1, 0"}, expect = Expect.ACCEPTABLE, desc = "Each has its own.")
@Outcome(id = {"0, -1", "-1, 0", "1, -1", "-1, 1"}, expect = Expect.ACCEPTABLE,
    desc = "One finds the pool empty: allowed to those who break the rule.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Two holders of one element.")
@State
public class PoolTakeBrokenTest {
    private final int[] free = {1, 0};
    private int freeCount = 2;

    /** One take. */
    @Actor
    public void first(final II_Result result) {
        result.r1 = take();
    }

    /** The other. */
    @Actor
    public void second(final II_Result result) {
        result.r2 = take();
    }

    private int take() {
        final int count = freeCount;
        if (count == 0) {
            return -1;
        }
        freeCount = count - 1;
        return free[count - 1];
    }
}
