package io.heddle.worker;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.internal.Guarded;
import io.heddle.context.internal.Operation;
import io.heddle.context.internal.ThreadGuard;
import io.heddle.context.spi.IncomingConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A name by which peers find a worker; for the {@code endpoints} module.
 *
 * <p>Closing is a use of the worker, by the rules of its mode, and once it is closed free for any thread.
 */
public final class NamedListener {
    private static final int FIRST_CLEANING = 64;

    private final WorkerCore core;
    private final ThreadGuard guard;
    private final String name;
    private final PendingConnectionHandler handler;
    /** Under the guard. Those whose peer has gone are taken out now and then. */
    private final ArrayList<PendingConnection> unanswered = new ArrayList<>();
    private int cleanAt = FIRST_CLEANING;
    /** Written under the guard; the dispatcher reads it before each callback. */
    private volatile boolean closed;
    /** Whether a close has seen that no callback runs any more. Only ever set. */
    private volatile boolean quiet;

    NamedListener(final WorkerCore core, final String name, final PendingConnectionHandler handler) {
        this.core = core;
        this.guard = core.guard();
        this.name = name;
        this.handler = handler;
    }

    /** The name. */
    public String name() {
        return name;
    }

    /** The worker. */
    public Worker worker() {
        return core.worker();
    }

    /** Whether it was closed, or its worker. */
    public boolean isClosed() {
        return closed;
    }

    /** A peer asks. What will tell the application. */
    @Guarded
    Deferred arrived(final IncomingConnection incoming) {
        if (unanswered.size() >= cleanAt) {
            unanswered.removeIf(request -> !request.isWaiting());
            cleanAt = Math.max(FIRST_CLEANING, 2 * unanswered.size());
        }
        final PendingConnection request = new PendingConnection(core, this, incoming);
        unanswered.add(request);
        return new Arrival(request, handler);
    }

    @Guarded
    void answered(final PendingConnection request) {
        unanswered.remove(request);
    }

    /** Those that are kept for the close, for tests. */
    int unansweredCount() {
        return unanswered.size();
    }

    /**
     * Gives the name back and refuses what is not answered yet. Outside of a callback it returns when no callback of
     * the worker runs any more, or the deadline has passed. Idempotent. Both modes do the same: there is nothing to
     * flush.
     *
     * @return as cut requests, the peers that were still waiting for an answer.
     */
    public CloseReport close(final CloseMode mode, final Duration deadline) {
        if (quiet) {
            return CloseReport.CLEAN;
        }
        final long startNs = System.nanoTime();
        final int refused = closed ? 0 : Math.max(0, refuseAll());
        core.listeners().unlisten(name);
        if (core.token().isInCallback()) {
            return new CloseReport(refused, 0, List.of(), false);
        }
        final boolean isQuiet = core.quietMoments().await(startNs + TimeUnit.NANOSECONDS.convert(deadline));
        quiet |= isQuiet;
        return new CloseReport(refused, 0, List.of(), !isQuiet);
    }

    /** How many were refused; -1 if it was closed before. */
    int refuseAll() {
        guard.enter(Operation.CLOSE_LISTENER);
        try {
            if (closed) {
                return -1;
            }
            closed = true;
            core.listeners().remove(this);
            int refused = 0;
            for (final PendingConnection request : unanswered) {
                refused += request.refuse() ? 1 : 0;
            }
            unanswered.clear();
            return refused;
        } finally {
            guard.exit(Operation.CLOSE_LISTENER);
        }
    }

    @Override
    public String toString() {
        return "listener " + name + " worker=" + core.name();
    }

    /** A request on its way to the application. */
    private record Arrival(PendingConnection request, PendingConnectionHandler handler) implements Deferred {
        @Override
        public void tell() {
            if (request.isWaiting()) {
                try {
                    handler.onRequest(request);
                } catch (final Throwable ex) {
                    if (request.isLate(ex)) {
                        return; // the peer or the listener went at this moment: nothing that the application did wrong
                    }
                    if (!request.isAnswered()) {
                        request.reject("the listener's handler failed");
                    }
                    throw ex;
                }
            }
        }

        @Override
        public Connection connection() {
            return null;
        }
    }
}
