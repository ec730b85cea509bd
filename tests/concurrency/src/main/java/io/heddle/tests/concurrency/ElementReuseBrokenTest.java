package io.heddle.tests.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * {@link ElementReuseTest} with a read that comes after the release. Were the release a plain store, processors other
 * than x86 might move the read there; here it stands there.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The owner looked too early.")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE,
    desc = "The owner used the memory again after the holder had read it.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The holder read what was written for the next one.")
@State
public class ElementReuseBrokenTest {
    private volatile boolean home;
    private int data = 1;

    /** The holder. */
    @Actor
    public void holder(final II_Result result) {
        home = true;
        result.r1 = data;
    }

    /** The owner, and the next writer. */
    @Actor
    public void owner(final II_Result result) {
        if (home) {
            data = 2;
            result.r2 = 1;
        }
    }
}
