package io.heddle.tests.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** {@link ReturnStackDrainTest} with a head that is read and emptied in two steps. */
@JCStressTest
@Outcome(id = "0, 2, 0", expect = Expect.ACCEPTABLE, desc = "Pushed in time: one drain has both.")
@Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "Pushed after the drain: the pusher tells the owner.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An element is lost or comes twice, or it lies there and nobody was told.")
@State
public class ReturnStackDrainBrokenTest {
    private final BrokenElement one = new BrokenElement();
    private final BrokenElement other = new BrokenElement();
    private final BrokenReturnStack stack = new BrokenReturnStack();

    /** One lies there before anything begins. */
    public ReturnStackDrainBrokenTest() {
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
        result.r2 = stack.drainAndCount();
    }

    /** What is left for the next drain. */
    @Arbiter
    public void arbiter(final III_Result result) {
        result.r3 = stack.drainAndCount();
    }
}
