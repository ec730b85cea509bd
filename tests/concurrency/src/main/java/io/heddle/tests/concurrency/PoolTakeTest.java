package io.heddle.tests.concurrency;

import io.heddle.context.MemoryPool;
import io.heddle.context.PoolElement;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two threads take from one pool with no guard, which is forbidden to them, and still never get the same element. */
@JCStressTest
@Outcome(id = {"0, 1", "1, 0"}, expect = Expect.ACCEPTABLE, desc = "Each has its own.")
@Outcome(id = {"0, -1", "-1, 0", "1, -1", "-1, 1"}, expect = Expect.ACCEPTABLE,
    desc = "One finds the pool empty: allowed to those who break the rule.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Two holders of one element.")
@State
public class PoolTakeTest {
    private final MemoryPool pool = PoolFixture.pool(() -> { });

    /** Both elements are there and free. */
    public PoolTakeTest() {
        pool.grow(2);
    }

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
        final PoolElement element = pool.take();
        return element == null ? -1 : element.index();
    }
}
