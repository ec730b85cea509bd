package io.heddle.tests.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** {@link ReturnStackCloseTest} with a flag beside the head. */
@JCStressTest
@Outcome(id = {"1, 0", "0, 1"}, expect = Expect.ACCEPTABLE, desc = "With the owner or with the fallback.")
@Outcome(expect = Expect.FORBIDDEN,
    desc = "Lost: it lies on a stack that nobody drains any more; or it is with both.")
@State
public class ReturnStackCloseBrokenTest {
    private final BrokenElement element = new BrokenElement();
    private final BrokenReturnStack stack = new BrokenReturnStack();

    /** A late release. */
    @Actor
    public void pusher() {
        stack.push(element);
    }

    /** The owner goes. */
    @Actor
    public void owner(final II_Result result) {
        result.r1 = stack.closeAndCount();
    }

    /** Whether the fallback has had it. */
    @Arbiter
    public void arbiter(final II_Result result) {
        result.r2 = stack.late();
    }
}
