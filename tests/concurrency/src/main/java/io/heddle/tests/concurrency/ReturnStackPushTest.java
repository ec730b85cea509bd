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

/** Two threads push. */
@JCStressTest
@Outcome(id = {"1, 0, 2", "0, 1, 2"}, expect = Expect.ACCEPTABLE,
    desc = "Both are there, and one pusher tells the owner.")
@Outcome(expect = Expect.FORBIDDEN, desc = "One is lost, or nobody or everybody tells the owner.")
@State
public class ReturnStackPushTest {
    private final PoolElement one = PoolFixture.returned();
    private final PoolElement other = PoolFixture.returned();
    private final ReturnStack stack = new ReturnStack(late -> { });

    /** One push. */
    @Actor
    public void first(final III_Result result) {
        result.r1 = stack.push(one) ? 1 : 0;
    }

    /** The other. */
    @Actor
    public void second(final III_Result result) {
        result.r2 = stack.push(other) ? 1 : 0;
    }

    /** The owner comes when both are done. */
    @Arbiter
    public void arbiter(final III_Result result) {
        result.r3 = PoolFixture.count(stack.drain());
    }
}
