package io.heddle.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Eight descriptors sent by means of two credit words: none is overwritten before it was read. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "In the end every descriptor can be borrowed, once.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A credit was lost or doubled, or an honest sender refused.")
@State
public class CreditRoundTest {
    private final CreditCheck check = new CreditCheck();

    /** The sender. */
    @Actor
    public void sender() {
        check.send();
    }

    /** The receiver. */
    @Actor
    public void receiver() {
        check.receive();
    }

    /** Counts the credits when all is quiet. */
    @Arbiter
    public void arbiter(final II_Result result) {
        check.finish();
        result.r1 = check.missing();
        result.r2 = check.mistakes();
    }
}
