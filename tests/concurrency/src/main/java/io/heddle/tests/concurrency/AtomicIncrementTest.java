package io.heddle.tests.concurrency;

import java.util.concurrent.atomic.AtomicInteger;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Shows that the pipeline runs: two increments are never lost. */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Both increments are there.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An increment was lost.")
@State
public class AtomicIncrementTest {
    private final AtomicInteger value = new AtomicInteger();

    /** One increment. */
    @Actor
    public void first() {
        value.incrementAndGet();
    }

    /** The other. */
    @Actor
    public void second() {
        value.incrementAndGet();
    }

    /** Looks when both are done. */
    @Arbiter
    public void arbiter(final I_Result result) {
        result.r1 = value.get();
    }
}
