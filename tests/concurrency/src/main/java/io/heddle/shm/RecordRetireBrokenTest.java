package io.heddle.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** {@link RecordRetireTest} with a receiver that retires its batch before it reads it. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Every record was read once, whole and in its turn.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A record was overwritten while it was read, or lost, or read twice.")
@State
public class RecordRetireBrokenTest {
    private final RecordCheck check = new RecordCheck(true);

    /** The sender. */
    @Actor
    public void sender() {
        check.write();
    }

    /** The receiver. */
    @Actor
    public void receiver() {
        check.read();
    }

    /** Reads what is left, and the score. */
    @Arbiter
    public void arbiter(final II_Result result) {
        check.readRest();
        result.r1 = check.mistakes();
        result.r2 = check.lost();
    }
}
