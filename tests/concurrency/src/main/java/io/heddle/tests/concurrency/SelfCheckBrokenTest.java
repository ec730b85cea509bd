package io.heddle.tests.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Always shows its forbidden outcome, so that a run which overlooks forbidden outcomes is found out. */
@JCStressTest
@Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "Never happens.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Always happens.")
@State
public class SelfCheckBrokenTest {
    /** Reports a constant. */
    @Actor
    public void first(final II_Result result) {
        result.r1 = 1;
    }

    /** Reports a constant. */
    @Actor
    public void second(final II_Result result) {
        result.r2 = 1;
    }
}
