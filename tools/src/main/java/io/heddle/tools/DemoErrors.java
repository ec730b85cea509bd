package io.heddle.tools;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadModeViolation;
import io.heddle.worker.Connection;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerErrorHandler;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Prints the first violation of the thread mode, wherever it was thrown, in its own words, which are written for
 * newcomers. Thread safe.
 */
final class DemoErrors implements WorkerErrorHandler {
    private static final int MAX_FRAMES = 12;
    private static final int MAX_LINES = 20;

    private final PrintStream out;
    private final Runnable before;
    private final AtomicBoolean seen = new AtomicBoolean();
    private final AtomicInteger others = new AtomicInteger();
    private final AtomicBoolean refused = new AtomicBoolean();
    private volatile boolean cutOff;

    /** {@code before} runs before anything is printed. */
    DemoErrors(final PrintStream out, final Runnable before) {
        this.out = out;
        this.before = before;
    }

    boolean hasSeenOne() {
        return seen.get();
    }

    /** Whether a connection failed, so that what is missing will not come. */
    boolean isCutOff() {
        return cutOff;
    }

    /** Of many only the first is printed. */
    void tell(final ThreadModeViolation violation) {
        if (seen.compareAndSet(false, true)) {
            before.run();
            out.println("demo: a thread-mode violation was caught. The stream goes on with releaseAsync().");
            out.println(violation.getMessage());
            out.println("  stack of the call that was refused:");
            Arrays.stream(violation.getStackTrace()).limit(MAX_FRAMES).forEach(frame -> out.println("    at " + frame));
            out.flush();
        }
    }

    /** A release was refused by the pool: the worker counts them all, the first is printed. */
    void refused(final HeddleException refusal) {
        if (refused.compareAndSet(false, true)) {
            before.run();
            out.println("demo: a release was refused: " + OneLineErrors.oneLine(refusal));
        }
    }

    /** The producer is gone; whether the stream was complete by then, the caller knows. */
    void cutOff(final Status status, final String reason) {
        cutOff = true;
        before.run();
        out.println("demo: the connection ended: status=" + status + " reason=" + reason);
    }

    @Override
    public void onError(
        final Worker worker,
        final Connection connection,
        final Status status,
        final Throwable problem) {
        if (problem instanceof ThreadModeViolation violation) {
            tell(violation);
        } else if (problem != null && others.incrementAndGet() <= MAX_LINES) {
            before.run();
            out.println("demo: " + OneLineErrors.oneLine(problem));
        }
    }
}
