package io.heddle.tests.concurrency;

import io.heddle.context.internal.GuardedBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two threads take one view back. */
@JCStressTest
@Outcome(id = {"1, 0", "0, 1"}, expect = Expect.ACCEPTABLE, desc = "One of them took it back.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Both did, and will release the element twice; or nobody did.")
@State
public class ViewRevokeTest {
    private final View view = new View();

    /** One. */
    @Actor
    public void first(final II_Result result) {
        result.r1 = view.shut() ? 1 : 0;
    }

    /** The other. */
    @Actor
    public void second(final II_Result result) {
        result.r2 = view.shut() ? 1 : 0;
    }

    private static final class View extends GuardedBuffer {
        View() {
            point(64, 64);
        }

        boolean shut() {
            return revokeOnce();
        }
    }
}
