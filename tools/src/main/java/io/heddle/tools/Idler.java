package io.heddle.tools;

import io.heddle.context.Status;
import io.heddle.worker.Worker;
import java.time.Duration;

/** What the one thread of a side does between calls of progress that found nothing. Confined to that thread. */
final class Idler {
    private static final int SPINS_BEFORE_SLEEP = 10_000;
    private static final Duration NAP = Duration.ofMillis(10);

    private final Worker worker;
    private final boolean spinning;
    private final boolean canSleep;
    private int empty;

    Idler(final Worker worker, final boolean spinning) {
        this.worker = worker;
        this.spinning = spinning;
        canSleep = worker.context().config().isWakeupEnabled();
    }

    /**
     * To be called with what progress returned. Spinning means a tight loop: nothing is done here then.
     *
     * @return whether it slept, at most {@link #NAP}.
     */
    boolean idle(final int work) {
        if (spinning) {
            return false;
        }
        if (work > 0) {
            empty = 0;
        } else if (++empty > SPINS_BEFORE_SLEEP && canSleep && worker.arm() == Status.OK) {
            worker.await(NAP);
            return true;
        }
        return false;
    }
}
