package io.heddle.worker;

import io.heddle.context.Status;
import io.heddle.context.internal.Guarded;

/** A flush of every connection of a worker: done when the last of their flushes is. Confined to the worker's guard. */
final class Flush {
    private final WorkerCore core;
    private final Request whole;
    private int left;
    private Status outcome = Status.OK;

    private Flush(final WorkerCore core) {
        this.core = core;
        whole = new Request(core.worker(), null, null);
    }

    @Guarded
    static Request all(final WorkerCore core) {
        final Flush flush = new Flush(core);
        for (final Connection connection : core.connections()) {
            if (connection.waits().isWaiting()) {
                flush.left++;
                connection.queueFlush(flush::partDone);
            }
        }
        return flush.left == 0 ? Request.DONE : flush.whole;
    }

    private void partDone(final Request part, final Status status) {
        if (status != Status.OK) {
            outcome = status;
        }
        if (--left == 0) {
            core.outcomes().finishFromCallback(whole, outcome);
        }
    }
}
