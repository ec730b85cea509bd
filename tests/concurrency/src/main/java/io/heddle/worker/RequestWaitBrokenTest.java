package io.heddle.worker;

import io.heddle.context.Status;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;

/** {@link RequestWaitTest} with a plain word instead. */
@JCStressTest(Mode.Termination)
@Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE, desc = "The outcome was seen.")
@Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "The waiting thread never sees it.")
@State
public class RequestWaitBrokenTest {
    private Status status = Status.IN_PROGRESS;

    /** Waits without a pause. */
    @Actor
    public void waits() {
        while (status == Status.IN_PROGRESS) {
            // Nothing that could make the compiler load again what it has loaded.
        }
    }

    /** Completes it. */
    @Signal
    public void completes() {
        status = Status.OK;
    }
}
