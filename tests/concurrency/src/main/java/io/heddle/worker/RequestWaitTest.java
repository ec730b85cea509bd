package io.heddle.worker;

import io.heddle.context.Status;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;

/** A thread that spins on a request comes to see its outcome. */
@JCStressTest(Mode.Termination)
@Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE, desc = "The outcome was seen.")
@Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "The waiting thread never sees it.")
@State
public class RequestWaitTest {
    private final Request request = new Request(null, null, null);

    /** Waits without a pause. */
    @Actor
    public void waits() {
        while (!request.isDone()) {
            // Nothing that could make the compiler load again what it has loaded.
        }
    }

    /** Completes it. */
    @Signal
    public void completes() {
        request.complete(Status.OK);
    }
}
