package io.heddle.tests.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** {@link ElementRetainReleaseTest} without the compare-and-set. */
@JCStressTest
@Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "Retained in time; the release was not the last one.")
@Outcome(id = "2, 1, 0", expect = Expect.ACCEPTABLE, desc = "Released before; the retain is refused.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A holder of an element that went home, or a reference that nobody has.")
@State
public class ElementRetainReleaseBrokenTest {
    private final BrokenElement element = new BrokenElement();

    /** A second holder. */
    @Actor
    public void retain(final III_Result result) {
        result.r1 = element.retain();
    }

    /** The first holder lets go. */
    @Actor
    public void release(final III_Result result) {
        result.r2 = element.release();
    }

    /** Counts what is left. */
    @Arbiter
    public void arbiter(final III_Result result) {
        result.r3 = element.references();
    }
}
