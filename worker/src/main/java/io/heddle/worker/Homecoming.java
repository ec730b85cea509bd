package io.heddle.worker;

import io.heddle.context.PoolElement;
import io.heddle.context.internal.Guarded;
import io.heddle.context.internal.ReturnStack;
import io.heddle.context.spi.Lane;

/**
 * Takes elements whose last reference was let go, on whatever thread, back to the lanes and pools that they came from:
 * so many in a step, the others in the next.
 *
 * <p>Under the guard and with the token.
 */
final class Homecoming {
    private static final int PER_STEP = 1024;

    private final WorkerCore core;
    private final ReturnStack returns;
    private final Dispatcher dispatcher;
    /** Taken from the stack, and not come to yet. */
    private PoolElement chain;

    Homecoming(final WorkerCore core, final ReturnStack returns, final Dispatcher dispatcher) {
        this.core = core;
        this.returns = returns;
        this.dispatcher = dispatcher;
    }

    /** How many were taken back. */
    @Guarded
    int take() {
        PoolElement element = chain != null ? chain : returns.drain();
        int taken = 0;
        while (element != null && taken < PER_STEP) {
            final PoolElement next = element.unlink();
            chain = next; // before anything that may throw
            element.reclaim();
            recycle(element);
            element = next;
            taken++;
        }
        if (element != null || !returns.isEmpty()) {
            core.post(WorkerCore.WORK_RETURNS);
        }
        core.counts().homecomings += taken;
        return taken;
    }

    /** A TAKEN element goes where it came from. */
    @Guarded
    private void recycle(final PoolElement element) {
        if (element.lane() instanceof Lane lane) {
            lane.recycle(element);
            dispatcher.roomMade(lane);
        } else {
            core.keeping().put(element);
        }
    }

    /** Takes all there are; what comes later goes to the pools' late returns. */
    @Guarded
    void close() {
        do {
            take();
        } while (chain != null);
        PoolElement last = returns.close();
        while (last != null) {
            final PoolElement next = last.unlink();
            last.reclaim();
            recycle(last);
            last = next;
        }
    }
}
