package io.heddle.tests.concurrency;

import io.heddle.context.PoolElement;
import io.heddle.context.internal.ReturnStack;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** One thread pushes while the owner drains what is there already. */
@JCStressTest
@Outcome(id = "0, 2, 0", expect = Expect.ACCEPTABLE, desc = "Pushed in time: one drain has both.")
@Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "Pushed after the drain: the pusher tells the owner.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An element is lost or comes twice, or it lies there and nobody was told.")
@State
public class ReturnStackDrainTest {
    private final PoolElement one = PoolFixture.returned();
    private final PoolElement other = PoolFixture.returned();
    private final ReturnStack stack = new ReturnStack(late -> { });

    /** One lies there before anything begins. */
    public ReturnStackDrainTest() {
        stack.push(one);
    }

    /** Another one comes home. */
    @Actor
    public void pusher(final III_Result result) {
        result.r1 = stack.push(other) ? 1 : 0;
    }

    /** The owner. */
    @Actor
    public void owner(final III_Result result) {
        result.r2 = PoolFixture.count(stack.drain());
    }

    /** What is left for the next drain. */
    @Arbiter
    public void arbiter(final III_Result result) {
        result.r3 = PoolFixture.count(stack.drain());
    }
}
