package io.heddle.tests.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** {@link ElementReuseTest} with a plain word for the whole way home. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The owner looked too early.")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE,
    desc = "The owner used the memory again after the holder had read it.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The holder, before its release, read what was written for the next one.")
@State
@HiddenOnX86("no store of a processor passes an earlier load of it, and the compilers here leave the two in order")
public class ElementReuseBrokenTest {
    private boolean home;
    private int data = 1;

    /** The holder. */
    @Actor
    public void holder(final II_Result result) {
        result.r1 = data;
        home = true;
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
