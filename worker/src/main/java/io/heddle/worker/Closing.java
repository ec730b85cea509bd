package io.heddle.worker;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Status;
import io.heddle.context.internal.DispatchToken;
import io.heddle.context.internal.Guarded;
import io.heddle.context.internal.Operation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The closing of a connection or a worker: stop accepting, flush, cut off, say goodbye, let go of memory, in that
 * order. Every step may be taken by several closers, and by the dispatcher where it has the token and they do not get
 * it; so each closer keeps its own deadline. One object per call; confined to the calling thread.
 */
final class Closing {
    private static final long LAST_WAIT_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final WorkerCore core;
    private final DispatchToken token;
    private final CloseMode mode;
    private final long startNs;
    private final long timeoutNs;
    private boolean isTimedOut;

    Closing(final WorkerCore core, final CloseMode mode, final Duration timeout) {
        this.core = core;
        this.token = core.token();
        this.mode = mode;
        timeoutNs = TimeUnit.NANOSECONDS.convert(timeout);
        startNs = System.nanoTime();
    }

    CloseReport close(final Connection connection) {
        if (connection.isDisposed()) {
            return CloseReport.CLEAN; // any thread may close what is closed, in every mode
        }
        if (token.isInCallback()) {
            return closeLater(connection);
        }
        stopAccepting(connection);
        flush(connection, Operation.CLOSE_ENDPOINT);
        final CloseReport cut = cutOff(connection);
        while (!connection.isDisposed() && !disposeIfFree(connection)) {
            core.post(WorkerCore.WORK_CLOSE); // the dispatcher disposes of it, if this thread never gets the token
            if (isLate()) {
                break;
            }
            token.awaitRelease(startNs + timeoutNs);
        }
        return report(cut);
    }

    /** Inside a callback nothing is waited for: later rounds flush and dispose. */
    private CloseReport closeLater(final Connection connection) {
        final CloseReport cut;
        core.guard().enter(Operation.CLOSE_ENDPOINT);
        try {
            if (connection.isDisposed()) {
                return CloseReport.CLEAN;
            }
            connection.stopAccepting();
            connection.markClosed();
            if (mode == CloseMode.FORCE) {
                connection.refuseSends(Status.CANCELED);
            } else if (connection.waits().isWaiting()) {
                core.ending().linger(connection, startNs + timeoutNs);
            }
            cut = connection.takeCut();
        } finally {
            core.guard().exit(Operation.CLOSE_ENDPOINT);
        }
        core.post(WorkerCore.WORK_CLOSE);
        return cut;
    }

    private void stopAccepting(final Connection connection) {
        core.guard().enter(Operation.CLOSE_ENDPOINT);
        try {
            connection.stopAccepting();
        } finally {
            core.guard().exit(Operation.CLOSE_ENDPOINT);
        }
    }

    private void flush(final Connection connection, final Operation operation) {
        if (mode == CloseMode.FLUSH && connection.waits().isWaiting()
            && !core.sleeper().awaitProgress(() -> !connection.waits().isWaiting(), leftNs(), operation)) {
            isTimedOut = true;
        }
    }

    /** No callback begins any more, and nothing is flushed. */
    private CloseReport cutOff(final Connection connection) {
        core.guard().enter(Operation.CLOSE_ENDPOINT);
        try {
            return cut(connection);
        } finally {
            core.guard().exit(Operation.CLOSE_ENDPOINT);
        }
    }

    @Guarded
    private CloseReport cut(final Connection connection) {
        connection.markClosed();
        connection.refuseSends(Status.CANCELED);
        return connection.takeCut();
    }

    /** Whether the token was to be had. */
    private boolean disposeIfFree(final Connection connection) {
        if (!token.tryAcquire()) {
            return false;
        }
        try {
            core.guard().enter(Operation.CLOSE_ENDPOINT);
            try {
                core.ending().dispose(connection);
            } finally {
                core.guard().exit(Operation.CLOSE_ENDPOINT);
            }
        } finally {
            token.release();
        }
        return true;
    }

    /** Whether the deadline has passed: a callback runs on and on, and the dispatcher does the rest when it returns. */
    private boolean isLate() {
        final boolean isLate = leftNs() <= 0;
        isTimedOut |= isLate;
        return isLate;
    }

    private CloseReport report(final CloseReport cut) {
        return isTimedOut ? cut.plus(new CloseReport(0, 0, List.of(), true)) : cut;
    }

    private long leftNs() {
        return timeoutNs - (System.nanoTime() - startNs);
    }

    /** Closes the worker with everything on it. Not inside a callback. */
    CloseReport closeWorker() {
        if (core.isClosed()) {
            return CloseReport.CLEAN;
        }
        begin();
        core.listeners().closeAll();
        for (final Connection connection : core.connections()) {
            flush(connection, Operation.CLOSE_WORKER);
        }
        final CloseReport cut = cutOffAll();
        while (!core.isClosed() && !tearDownIfFree()) {
            core.tearDown().request();
            if (isLate()) {
                token.awaitRelease(System.nanoTime() + LAST_WAIT_NS);
                tearDownIfFree(); // for a dispatcher that was just leaving, and has not seen the request
                break;
            }
            token.awaitRelease(startNs + timeoutNs);
        }
        return report(cut.plus(core.tearDown().takeReport()));
    }

    private void begin() {
        core.guard().enter(Operation.CLOSE_WORKER);
        try {
            core.closing();
            for (final Connection connection : core.connections()) {
                connection.stopAccepting();
            }
        } finally {
            core.guard().exit(Operation.CLOSE_WORKER);
        }
    }

    private CloseReport cutOffAll() {
        CloseReport report = CloseReport.CLEAN;
        core.guard().enter(Operation.CLOSE_WORKER);
        try {
            for (final Connection connection : core.connections()) {
                report = report.plus(cut(connection));
            }
        } finally {
            core.guard().exit(Operation.CLOSE_WORKER);
        }
        return report;
    }

    private boolean tearDownIfFree() {
        if (!token.tryAcquire()) {
            return false;
        }
        try {
            core.tearDown().run();
        } finally {
            token.release();
        }
        return true;
    }
}
