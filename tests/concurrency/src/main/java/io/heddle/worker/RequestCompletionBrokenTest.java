package io.heddle.worker;

import io.heddle.context.Status;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** {@link RequestCompletionTest} with an operation that is told done while it still writes. (A plain store of the
 * status, in the right place, shows nothing on x86, which keeps the order of stores.) */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Not done yet.")
@Outcome(id = "1, 42", expect = Expect.ACCEPTABLE, desc = "Done, with all that was done.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Done, and what the operation wrote is missing; or another outcome.")
@State
public class RequestCompletionBrokenTest {
    private final Request request = new Request(null, null, null);
    private int written;

    /** The worker's side. */
    @Actor
    public void completes() {
        request.complete(Status.OK);
        written = 42;
    }

    /** The application's side, on whatever thread. */
    @Actor
    public void looks(final II_Result result) {
        if (request.isDone()) {
            result.r1 = request.status() == Status.OK ? 1 : 2;
            result.r2 = written;
        }
    }
}
