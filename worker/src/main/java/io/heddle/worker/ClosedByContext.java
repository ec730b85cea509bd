package io.heddle.worker;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.context.internal.Dependent;
import io.heddle.context.internal.ThreadGuard;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A worker as its context closes it, which any thread may ask for: by the closing thread where the mode lets it, else
 * by the worker's progress thread, which may use the worker in every mode. Thread safe.
 */
final class ClosedByContext implements Dependent {
    private static final long LONGEST_NS = TimeUnit.DAYS.toNanos(365);
    /** For the way from the progress thread to the closing one. */
    private static final long GRACE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Worker worker;

    ClosedByContext(final Worker worker) {
        this.worker = worker;
    }

    @Override
    public String refusal() {
        final ThreadGuard guard = worker.core().guard();
        final Thread owner = guard.ownerThread();
        final boolean isForeign = !worker.isClosed() && !guard.isOwner() && owner != null && owner.isAlive();
        return isForeign && progressThread() == null ? "worker=" + worker.name() + " mode=" + worker.threadMode()
            + " is owned by thread=" + owner.getName() + ", which lives: close the worker there first, or hand it over"
            : null;
    }

    /** If it is for the progress thread to close the worker; else null. */
    private ProgressThread progressThread() {
        final ProgressThread progress = worker.core().progressThread();
        return worker.threadMode() == ThreadMode.MULTI || progress == null
            || progress.thread() == Thread.currentThread() ? null : progress;
    }

    @Override
    public CloseReport close(final CloseMode mode, final Duration deadline) {
        final ProgressThread progress = progressThread();
        if (progress != null) {
            final Handed handed = new Handed(mode, Math.min(LONGEST_NS, TimeUnit.NANOSECONDS.convert(deadline)));
            if (handed.isDoneBy(progress)) {
                return handed.report;
            }
        }
        if (worker.threadMode() == ThreadMode.SINGLE && worker.ownerThread() == null) {
            worker.attach();
        }
        return worker.close(mode, deadline);
    }

    /** The close as a task of the progress thread. */
    private final class Handed implements Runnable {
        private final CloseMode mode;
        private final long timeoutNs;
        private final long startNs = System.nanoTime();
        private volatile boolean begun;
        private volatile CloseReport report = new CloseReport(0, 0, List.of(), true);

        Handed(final CloseMode mode, final long timeoutNs) {
            this.mode = mode;
            this.timeoutNs = timeoutNs;
        }

        @Override
        public void run() {
            begun = true;
            report = worker.close(mode, Duration.ofNanos(Math.max(0, leftNs())));
        }

        /** False if the thread has ended before; else {@link #report} says what became of it. */
        boolean isDoneBy(final ProgressThread progress) {
            final Future<?> closing = progress.execute(this);
            boolean interrupted = false;
            try {
                while (true) {
                    try {
                        closing.get(leftNs() + GRACE_NS, TimeUnit.NANOSECONDS);
                        return true;
                    } catch (final InterruptedException ex) {
                        interrupted = true;
                    }
                }
            } catch (final TimeoutException ex) {
                return true; // a callback does not return; the worker is closed when it does
            } catch (final CancellationException ex) {
                return false;
            } catch (final ExecutionException ex) {
                if (!begun) {
                    return false;
                }
                throw new HeddleException(Status.CANCELED, "cannot close with the context: worker=" + worker.name(),
                    ex.getCause());
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        private long leftNs() {
            return timeoutNs - (System.nanoTime() - startNs);
        }
    }
}
