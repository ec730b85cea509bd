package io.heddle.tests.concurrency;

import io.heddle.context.PoolElement;
import io.heddle.context.internal.ReturnStack;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** One thread pushes while the owner closes the stack. */
@JCStressTest
@Outcome(id = {"1, 0", "0, 1"}, expect = Expect.ACCEPTABLE, desc = "With the owner or with the fallback.")
@Outcome(expect = Expect.FORBIDDEN,
    desc = "Lost: it lies on a stack that nobody drains any more; or it is with both.")
@State
public class ReturnStackCloseTest {
    private final PoolElement element = PoolFixture.returned();
    private int late;
    private final ReturnStack stack = new ReturnStack(element -> late++);

    /** A late release. */
    @Actor
    public void pusher() {
        stack.push(element);
    }

    /** The owner goes. */
    @Actor
    public void owner(final II_Result result) {
        result.r1 = PoolFixture.count(stack.close());
    }

    /** Whether the fallback has had it. */
    @Arbiter
    public void arbiter(final II_Result result) {
        result.r2 = late;
    }
}
