package io.heddle.endpoints;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.worker.NamedListener;
import io.heddle.worker.Worker;
import java.time.Duration;
import java.util.Objects;

/**
 * A name by which this worker is found by peers that share its runtime directory, until it is closed or the process
 * ends; then the name is free at once.
 *
 * <p>Creating and closing are uses of the worker, by the rules of its {@link io.heddle.context.ThreadMode}; a request
 * that nobody answers for want of progress waits up to five seconds, and no more than 4,096 wait at once.
 */
public final class Listener implements AutoCloseable {
    private final NamedListener named;

    private Listener(final NamedListener named) {
        this.named = named;
    }

    /**
     * Listens by a name. Makes system calls; the first request may be told before this returns.
     *
     * @param name    1 to 64 of letters, digits, dot, underscore and hyphen.
     * @param handler told of each request.
     * @throws io.heddle.context.HeddleException ALREADY_EXISTS if a living process has the name, with its pid;
     *     INVALID_PARAM if it is no name; UNSUPPORTED if no transport has listeners.
     */
    public static Listener create(final Worker worker, final String name, final ConnectionRequestHandler handler) {
        Objects.requireNonNull(handler, "handler");
        return new Listener(worker.listen(name, pending -> handler.onRequest(new ConnectionRequest(pending))));
    }

    /** The name. */
    public String name() {
        return named.name();
    }

    /** The worker. */
    public Worker worker() {
        return named.worker();
    }

    /** Whether it was closed, or its worker. */
    public boolean isClosed() {
        return named.isClosed();
    }

    /**
     * Gives the name back and refuses the requests that are not answered yet; connections made by it stay. Outside of a
     * callback it returns when no callback of the worker runs any more, or the deadline has passed. Idempotent.
     *
     * @param mode no difference here: there is nothing to flush.
     * @return as cut requests, the peers that were still waiting for an answer.
     */
    public CloseReport close(final CloseMode mode, final Duration deadline) {
        return named.close(mode, deadline);
    }

    /** {@link #close(CloseMode, Duration)} with {@code heddle.close.timeout}. */
    @Override
    public void close() {
        close(CloseMode.FLUSH, Duration.ofNanos(named.worker().context().config().closeTimeoutNs()));
    }

    @Override
    public String toString() {
        return named.toString();
    }
}
