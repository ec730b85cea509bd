package io.heddle.tests.concurrency;

import io.heddle.context.PoolElement;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** One thread retains what another releases for the last time. */
@JCStressTest
@Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "Retained in time; the release was not the last one.")
@Outcome(id = "2, 1, 0", expect = Expect.ACCEPTABLE, desc = "Released before; the retain is refused.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A holder of an element that went home, or a reference that nobody has.")
@State
public class ElementRetainReleaseTest {
    private final PoolElement element = PoolFixture.held();
    private final int generation = element.generation();

    /** A second holder. */
    @Actor
    public void retain(final III_Result result) {
        result.r1 = PoolFixture.retain(element, generation);
    }

    /** The first holder lets go. */
    @Actor
    public void release(final III_Result result) {
        result.r2 = PoolFixture.release(element, generation);
    }

    /** Counts what is left. */
    @Arbiter
    public void arbiter(final III_Result result) {
        result.r3 = element.references();
    }
}
