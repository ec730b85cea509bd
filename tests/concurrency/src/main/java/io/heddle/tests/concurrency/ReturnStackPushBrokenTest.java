package io.heddle.tests.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** {@link ReturnStackPushTest} without the compare-and-set. */
@JCStressTest
@Outcome(id = {"1, 0, 2", "0, 1, 2"}, expect = Expect.ACCEPTABLE,
    desc = "Both are there, and one pusher tells the owner.")
@Outcome(expect = Expect.FORBIDDEN, desc = "One is lost, or nobody or everybody tells the owner.")
@State
public class ReturnStackPushBrokenTest {
    private final BrokenElement one = new BrokenElement();
    private final BrokenElement other = new BrokenElement();
    private final BrokenReturnStack stack = new BrokenReturnStack();

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
        result.r3 = stack.drainAndCount();
    }
}
