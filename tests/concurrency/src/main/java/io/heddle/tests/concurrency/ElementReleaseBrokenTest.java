package io.heddle.tests.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** {@link ElementReleaseTest} without the compare-and-set. */
@JCStressTest
@Outcome(id = {"1, 2", "2, 1"}, expect = Expect.ACCEPTABLE, desc = "One release counts, the other is refused.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Both count, and the element comes home twice; or it is lost.")
@State
public class ElementReleaseBrokenTest {
    private final BrokenElement element = new BrokenElement();

    /** One release. */
    @Actor
    public void first(final II_Result result) {
        result.r1 = element.release();
    }

    /** The other. */
    @Actor
    public void second(final II_Result result) {
        result.r2 = element.release();
    }
}
