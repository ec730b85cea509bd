package io.heddle.worker;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Leak;
import io.heddle.context.internal.DispatchToken;
import io.heddle.context.internal.Operation;
import java.util.ArrayList;
import java.util.List;

/**
 * The closing of a connection or a worker: stop accepting, flush, cut off, say goodbye, let go of memory, in that
 * order. One object per call; confined to the calling thread.
 */
final class Closing {
    private final WorkerCore core;
    private final DispatchToken token;
    private final CloseMode mode;
    private final long startNs;
    private final long timeoutNs;
    private boolean isTimedOut;

    Closing(final WorkerCore core, final CloseMode mode, final long timeoutNs) {
        this.core = core;
        this.token = core.token();
        this.mode = mode;
        this.timeoutNs = timeoutNs;
        startNs = System.nanoTime();
    }

    CloseReport close(final Connection connection) {
        final boolean isInside = token.isInCallback();
        if (!begin(connection, isInside)) {
            return CloseReport.CLEAN;
        }
        if (isInside) {
            core.post(WorkerCore.WORK_CLOSE);
            return CloseReport.CLEAN;
        }
        boolean isFlushed = false;
        try {
            flush(connection, Operation.CLOSE_ENDPOINT);
            isFlushed = true;
        } finally {
            if (!isFlushed) {
                connection.notClosing(); // refused by the guard, say: the call may be repeated
            }
        }
        final boolean held = acquireToken();
        if (!held) {
            // A callback of this worker runs on and on; the dispatcher does the rest when it returns.
            markClosed(connection);
            core.post(WorkerCore.WORK_CLOSE);
            return new CloseReport(0, 0, List.of(), true);
        }
        try {
            return dispose(connection);
        } finally {
            token.release();
        }
    }

    /**
     * Stops accepting sends; inside a callback also marks the connection closed, to be flushed and dropped by later
     * rounds.
     */
    private boolean begin(final Connection connection, final boolean isInside) {
        core.guard().enter(Operation.CLOSE_ENDPOINT);
        try {
            if (connection.isClosed() || connection.isClosing()) {
                return false;
            }
            connection.closing();
            connection.stopAccepting();
            if (isInside) {
                if (mode == CloseMode.FLUSH) {
                    connection.closeAfterFlush();
                }
                connection.markClosed();
            }
            return true;
        } finally {
            core.guard().exit(Operation.CLOSE_ENDPOINT);
        }
    }

    private void flush(final Connection connection, final Operation operation) {
        if (mode == CloseMode.FLUSH && connection.isWaiting()
            && !core.sleeper().awaitProgress(() -> !connection.isWaiting(), leftNs(), operation)) {
            isTimedOut = true;
        }
    }

    private void markClosed(final Connection connection) {
        core.guard().enter(Operation.CLOSE_ENDPOINT);
        try {
            connection.markClosed();
        } finally {
            core.guard().exit(Operation.CLOSE_ENDPOINT);
        }
    }

    private CloseReport dispose(final Connection connection) {
        core.guard().enter(Operation.CLOSE_ENDPOINT);
        try {
            connection.markClosed();
            final CloseReport cut = core.dispose(connection);
            return new CloseReport(cut.cutRequests(), cut.cutBytes(), List.of(), isTimedOut);
        } finally {
            core.guard().exit(Operation.CLOSE_ENDPOINT);
        }
    }

    /** Waits for the dispatcher to finish its batch. False if the deadline passed; at least one try. */
    private boolean acquireToken() {
        while (!token.tryAcquire()) {
            if (leftNs() <= 0) {
                isTimedOut = true;
                return false;
            }
            token.awaitRelease(System.nanoTime() + leftNs());
        }
        return true;
    }

    private long leftNs() {
        return timeoutNs - (System.nanoTime() - startNs);
    }

    /** Closes the worker with everything on it. Not inside a callback. */
    CloseReport closeWorker() {
        core.guard().enter(Operation.CLOSE_WORKER);
        try {
            if (core.isClosed()) {
                return CloseReport.CLEAN;
            }
            for (final Connection connection : core.connections()) {
                connection.stopAccepting();
            }
        } finally {
            core.guard().exit(Operation.CLOSE_WORKER);
        }
        core.listeners().closeAll();
        for (final Connection connection : core.connections()) {
            flush(connection, Operation.CLOSE_WORKER);
        }
        while (!token.tryAcquire()) {
            // A worker is not torn down under a running handler: beyond the deadline this is reported, and still waited
            // for.
            isTimedOut |= leftNs() <= 0;
            token.awaitRelease(System.nanoTime() + Sleeper.SLICE_NS);
        }
        try {
            return tearDown();
        } finally {
            token.release();
        }
    }

    private CloseReport tearDown() {
        CloseReport report = new CloseReport(0, 0, List.of(), isTimedOut);
        final List<String> texts = new ArrayList<>();
        core.guard().enter(Operation.CLOSE_WORKER);
        try {
            if (core.isClosed()) {
                return CloseReport.CLEAN;
            }
            for (final Connection connection : core.connections()) {
                connection.markClosed();
                report = report.plus(core.dispose(connection));
            }
            for (final Leak leak : core.closeInterfaces()) {
                texts.add(leak.text());
            }
        } finally {
            core.guard().exit(Operation.CLOSE_WORKER);
        }
        core.tellDeferred();
        return report.plus(new CloseReport(0, 0, texts, false));
    }
}
