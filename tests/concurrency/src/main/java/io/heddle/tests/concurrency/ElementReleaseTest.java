package io.heddle.tests.concurrency;

import io.heddle.context.PoolElement;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two threads release the one reference of an element. */
@JCStressTest
@Outcome(id = {"1, 2", "2, 1"}, expect = Expect.ACCEPTABLE, desc = "One release counts, the other is refused.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Both count, and the element comes home twice; or it is lost.")
@State
public class ElementReleaseTest {
    private final PoolElement element = PoolFixture.held();
    private final int generation = element.generation();

    /** One release. */
    @Actor
    public void first(final II_Result result) {
        result.r1 = PoolFixture.release(element, generation);
    }

    /** The other. */
    @Actor
    public void second(final II_Result result) {
        result.r2 = PoolFixture.release(element, generation);
    }
}
