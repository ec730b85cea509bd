package io.heddle.tests.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** {@link ViewRevokeTest} without the compare-and-set. */
@JCStressTest
@Outcome(id = {"1, 0", "0, 1"}, expect = Expect.ACCEPTABLE, desc = "One of them took it back.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Both did, and will release the element twice; or nobody did.")
@State
public class ViewRevokeBrokenTest {
    private long address = 64;

    /** One. */
    @Actor
    public void first(final II_Result result) {
        result.r1 = shut() ? 1 : 0;
    }

    /** The other. */
    @Actor
    public void second(final II_Result result) {
        result.r2 = shut() ? 1 : 0;
    }

    private boolean shut() {
        final boolean open = address != 0;
        address = 0;
        return open;
    }
}
