package io.heddle.shm;

import io.heddle.context.internal.RuntimeDirectory;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Sweeps the runtime directory soon after a peer's process has ended without a farewell, so that what it left there
 * does not wait for the next context. On a thread of its own, which lives as long as one sweep takes: looking through
 * a large directory is not to keep the control thread from waking workers.
 *
 * <p>Confined to the control thread, but for {@link #close()}, which comes after its end.
 */
final class LeftoverSweep {
    /**
     * A dying process lets its sockets and its locks go at nearly the same time; of many that die at once, one sweep.
     */
    private static final long DELAY_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long CLOSE_WAIT_MS = 5_000;

    private final ControlThread control;
    private final RuntimeDirectory directory;
    private final ThreadFactory threadFactory;
    private final String threadName;
    private boolean scheduled;
    private Thread running;

    LeftoverSweep(final ControlThread control, final RuntimeDirectory directory, final ThreadFactory threadFactory,
        final String threadName) {
        this.control = control;
        this.directory = directory;
        this.threadFactory = threadFactory;
        this.threadName = threadName;
    }

    /** A process that may have left something is gone. */
    void peerEnded() {
        if (!scheduled && !control.isClosing()) {
            scheduled = true;
            control.schedule(DELAY_NS, this::begin);
        }
    }

    private void begin() {
        scheduled = false;
        if (running != null && running.isAlive()) {
            peerEnded(); // what it has looked at already may have become a leftover since
            return;
        }
        running = threadFactory.newThread(this::sweep);
        running.setName(threadName);
        running.setDaemon(true);
        running.start();
    }

    private void sweep() {
        try {
            directory.sweepLeftovers();
        } catch (final RuntimeException | Error ex) { // no file descriptors, maybe
            control.execute(() -> control.reports().error(ex)); // the next context in the directory sweeps again
        }
    }

    /** Waits for a sweep under way; one that was still to come is done here. After the control thread's end. */
    void close() {
        awaitRunning();
        if (scheduled) {
            scheduled = false;
            sweep();
        }
    }

    private void awaitRunning() {
        boolean interrupted = false;
        final long startNs = System.nanoTime();
        long restMs = CLOSE_WAIT_MS;
        while (running != null && running.isAlive() && restMs > 0) {
            try {
                running.join(restMs);
            } catch (final InterruptedException ex) {
                interrupted = true;
            }
            restMs = CLOSE_WAIT_MS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
