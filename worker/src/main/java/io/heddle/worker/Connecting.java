package io.heddle.worker;

import io.heddle.context.Context;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.UnreachableException;
import io.heddle.context.internal.Guarded;
import io.heddle.context.spi.IncomingConnection;
import io.heddle.context.spi.InterfaceListener;
import io.heddle.context.spi.Lane;
import io.heddle.context.spi.TransportInterface;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How a worker comes by its connections: those it makes, by address or by name, and those its peers ask for; the list
 * of them all; and what the transports tell of them, of which the end goes to {@link Ending}.
 *
 * <p>Under the guard, but for the list, which any thread may read.
 */
final class Connecting implements InterfaceListener {
    private static final VarHandle CONNECTIONS;

    static {
        try {
            CONNECTIONS = MethodHandles.lookup().findVarHandle(Connecting.class, "connections", Connection[].class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final WorkerCore core;
    private final Context context;
    private final LanePoller poller;
    private volatile Connection[] connections = new Connection[0];
    private int count;

    Connecting(final WorkerCore core, final Context context, final LanePoller poller) {
        this.core = core;
        this.context = context;
        this.poller = poller;
    }

    /** Those not disposed of yet. Any thread. */
    Connection[] all() {
        return connections;
    }

    /** To a worker. The outcome is the connection's. */
    @Guarded
    Connection connect(final WorkerAddress address) {
        final Map<String, String> refusals = new LinkedHashMap<>();
        for (final TransportInterface each : core.interfaces()) {
            final byte[] remote = address.of(each.transport().name());
            final String refusal = remote == null ? "the peer does not use it"
                : each.transport().unreachableReason(remote);
            if (refusal == null) {
                return add(each.connect(remote), refusals);
            }
            refusals.put(each.transport().name(), refusal);
        }
        refusals.putAll(context.unusedTransports());
        throw new UnreachableException(address.toString(), refusals);
    }

    /** To whoever listens by a name. The outcome is the connection's. */
    @Guarded
    Connection connect(final String listener, final byte[] applicationData, final long waitNs) {
        final Map<String, String> refusals = new LinkedHashMap<>();
        for (final TransportInterface each : core.interfaces()) {
            if (each.transport().capabilities().hasListeners()) {
                return add(each.connect(listener, applicationData, waitNs), refusals);
            }
            refusals.put(each.transport().name(), "it has no listeners");
        }
        refusals.putAll(context.unusedTransports());
        throw new HeddleException(Status.UNSUPPORTED, "no transport of this worker has listeners: worker="
            + core.name() + " listener=" + listener + " rejected=" + refusals);
    }

    /** The application said yes to a peer. */
    @Guarded
    Connection accept(final IncomingConnection request) {
        return add(request.accept(), Map.of());
    }

    /** @param rejected the transports that were asked before, each with its reason. */
    @Guarded
    private Connection add(final Lane lane, final Map<String, String> rejected) {
        final Connection connection = new Connection(core, lane, rejected);
        ConnectionLists.add(CONNECTIONS, this, connection);
        return connection;
    }

    @Guarded
    void remove(final Connection connection) {
        ConnectionLists.remove(CONNECTIONS, this, connection);
    }

    @Guarded
    int nextNumber() {
        return count++ & Integer.MAX_VALUE;
    }

    // ---- InterfaceListener, within the step

    @Override
    @Guarded
    public void onAccepted(final Lane lane, final String peer) {
        final Connection connection = new Connection(core, lane, Map.of());
        connection.accepted(peer);
        ConnectionLists.add(CONNECTIONS, this, connection);
        poller.add(connection);
    }

    @Override
    @Guarded
    public void onConnectionRequest(final IncomingConnection request) {
        final Deferred arrival = core.listeners().arrived(request);
        if (arrival != null) {
            core.deferInStep(arrival);
        }
    }

    @Override
    @Guarded
    public void onConnected(final Lane lane, final String peer) {
        final Connection connection = (Connection) lane.attachment();
        if (!connection.isDisposed()) {
            connection.opened(peer);
            poller.add(connection);
        }
    }

    @Override
    @Guarded
    public void onPeerGone(final Lane lane, final Status status, final String reason) {
        core.ending().peerGone((Connection) lane.attachment(), status, reason);
    }

    @Override
    @Guarded
    public void onDrained(final Lane lane) {
        core.ending().drained((Connection) lane.attachment());
    }
}
