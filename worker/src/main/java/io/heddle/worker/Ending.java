package io.heddle.worker;

import io.heddle.context.CloseMode;
import io.heddle.context.PoolElement;
import io.heddle.context.Status;
import io.heddle.context.internal.Guarded;
import io.heddle.context.internal.Operation;
import io.heddle.context.internal.ThreadGuard;
import java.time.Duration;

/**
 * How connections end: by the peer, by a fault of the peer or of the lane, or by a close, which disposes of them.
 *
 * <p>Under the guard and with the token, but where a method says otherwise.
 */
final class Ending {
    private final WorkerCore core;
    private final ThreadGuard guard;
    private final LanePoller poller;
    private final Dispatcher dispatcher;
    private final TimedWork timed;

    Ending(final WorkerCore core, final LanePoller poller, final Dispatcher dispatcher, final TimedWork timed) {
        this.core = core;
        guard = core.guard();
        this.poller = poller;
        this.dispatcher = dispatcher;
        this.timed = timed;
    }

    /** Nothing can be sent any more; what the peer had published is still to be collected. */
    @Guarded
    void peerGone(final Connection connection, final Status status, final String reason) {
        if (connection.isDisposed()) {
            return;
        }
        if (status == Status.PROTOCOL_VIOLATION) {
            core.counts().protocolViolations++;
        }
        connection.gone(status, reason);
        core.removeWaiting(connection);
        if (connection.isLingering()) {
            core.post(WorkerCore.WORK_CLOSE); // nothing is left to be flushed
        }
        if (connection.pollIndex < 0) {
            poller.add(connection);
        } else {
            poller.activate(connection);
        }
    }

    /** After {@link #peerGone}, within the step: everything the peer had published has been collected. */
    @Guarded
    void drained(final Connection connection) {
        dropHalf(connection);
        if (!connection.isDisposed() && !connection.isClosed() && !connection.isSilenced()) {
            core.deferInStep(new PeerGone(connection));
        }
    }

    /**
     * The peer broke the protocol above the transport: its connection ends, and its lane is not looked at any more. As
     * after every failure the connection, and the memory of its lane, are the application's until it closes them. By
     * the dispatcher, outside of the guard.
     */
    void violated(final Connection connection, final String field) {
        guard.enter(Operation.CLOSE_ENDPOINT);
        try {
            poller.remove(connection);
            silence(connection, Status.PROTOCOL_VIOLATION, "the peer broke the protocol: " + field);
        } finally {
            guard.exit(Operation.CLOSE_ENDPOINT);
        }
    }

    /** A lane threw: nothing of it is looked at any more, and no other lane is the worse for it. */
    @Guarded
    void broken(final Connection connection, final Throwable cause) {
        poller.remove(connection);
        silence(connection, Status.IO_ERROR, "the lane cannot be read: " + cause);
    }

    /** The peer has part of a message whose rest cannot be had: it is told the end instead. Under the guard alone. */
    @Guarded
    void midway(final Connection connection, final String reason) {
        connection.lane().finish();
        silence(connection, Status.CANCELED, reason);
    }

    @Guarded
    private void silence(final Connection connection, final Status status, final String reason) {
        if (!connection.isFailed()) {
            connection.gone(status, reason);
            connection.silence();
            core.removeWaiting(connection);
            connection.lane().finish(); // the peer's own sends must not wait for ever
            core.defer(new PeerGone(connection));
            if (connection.isLingering()) {
                core.post(WorkerCore.WORK_CLOSE);
            }
        }
    }

    /** A connection is flushed by later rounds before it is disposed of. Under the guard alone. */
    @Guarded
    void linger(final Connection connection, final long endNs) {
        if (!connection.isLingering()) {
            timed.lingers();
        }
        connection.linger(endNs);
    }

    /** Disposes of the connections that whoever closed them could not dispose of. */
    @Guarded
    void disposeOfClosed() {
        final long nowNs = System.nanoTime();
        for (final Connection connection : core.connections()) {
            if (connection.isToBeDisposed(nowNs)) {
                dispose(connection);
            }
        }
    }

    /** No batch in dispatch: says goodbye and drops every reference to the lane. Nothing if it was done. */
    @Guarded
    void dispose(final Connection connection) {
        if (!connection.markDisposed()) {
            return;
        }
        if (connection.isLingering()) {
            timed.lingersNoMore();
        }
        connection.refuseSends(Status.CANCELED);
        dispatcher.forget(connection);
        core.connecting().remove(connection);
        poller.remove(connection);
        connection.lane().finish();
        dropHalf(connection);
        connection.lane().dispose();
    }

    /** A message whose rest will not come. */
    @Guarded
    private void dropHalf(final Connection connection) {
        final PoolElement half = connection.reassembly().close();
        if (half != null && half.release(half.generation())) {
            half.reclaim();
            core.keeping().put(half);
        }
    }

    /** The peer is gone and everything it had sent was delivered. */
    private record PeerGone(Connection connection) implements Deferred {
        @Override
        public void tell() {
            final ConnectionErrorHandler handler = connection.endNotice().handler();
            connection.endNotice().tell();
            if (handler == null && !connection.wasOpened() && !connection.isClosing()) {
                connection.core().reports().notConnected(connection);
            }
            if (handler == null && connection.isAccepted() && connection.wrapper() == null) {
                // The peer connected and went, and the application never had an endpoint that it could close.
                connection.close(CloseMode.FORCE, Duration.ZERO);
            }
        }
    }
}
