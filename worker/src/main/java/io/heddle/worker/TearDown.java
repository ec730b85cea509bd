package io.heddle.worker;

import io.heddle.context.CloseReport;
import io.heddle.context.Leak;
import io.heddle.context.internal.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The last step of a worker's close, done once: by a closing thread that gets the dispatcher token, or, if that is
 * taken again and again or held by a handler that does not return, by the dispatcher at the end of its round.
 *
 * <p>Thread safe; {@link #run()} needs the token.
 */
final class TearDown {
    private final WorkerCore core;
    private final AtomicReference<CloseReport> untaken = new AtomicReference<>(CloseReport.CLEAN);
    private volatile boolean wanted;

    TearDown(final WorkerCore core) {
        this.core = core;
    }

    /** Has it done by whoever dispatches, at the end of the round. */
    void request() {
        wanted = true; // volatile, before the post; partner: isWanted(), by a round that finds work or is within it
        core.post(WorkerCore.WORK_CLOSE);
    }

    boolean isWanted() {
        return wanted;
    }

    /** What was cut off and is kept; to the first who asks. */
    CloseReport takeReport() {
        return untaken.getAndSet(CloseReport.CLEAN);
    }

    /** With the token, outside of a callback, the guard entered or not. Nothing if it was done. */
    void run() {
        wanted = false;
        CloseReport report = CloseReport.CLEAN;
        core.guard().enter(Operation.CLOSE_WORKER);
        try {
            if (core.isClosed()) {
                return;
            }
            for (final Connection connection : core.connections()) {
                connection.stopAccepting();
                connection.markClosed();
                core.ending().dispose(connection);
                report = report.plus(connection.takeCut());
            }
            final List<String> texts = new ArrayList<>();
            for (final Leak leak : core.closeInterfaces()) {
                texts.add(leak.text());
            }
            untaken.set(report.plus(new CloseReport(0, 0, texts, false)));
        } finally {
            core.guard().exit(Operation.CLOSE_WORKER);
        }
        core.tellDeferred();
    }
}
