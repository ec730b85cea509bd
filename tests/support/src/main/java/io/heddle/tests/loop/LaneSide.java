package io.heddle.tests.loop;

import io.heddle.context.Leak;
import io.heddle.context.PoolElement;
import io.heddle.context.Status;
import io.heddle.context.internal.ReturnStack;
import io.heddle.context.spi.IncomingConnection;
import io.heddle.context.spi.InterfaceListener;
import io.heddle.context.spi.InterfaceOptions;
import io.heddle.context.spi.Lane;
import io.heddle.context.spi.ReceiveBatch;
import io.heddle.context.spi.Transport;
import io.heddle.context.spi.TransportInterface;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One side of a {@link LanePair}: what a worker would be, without its logic. Writes down what the listener is told.
 *
 * <p>Confined, but for {@link #wakeUps} and the release of elements.
 */
public final class LaneSide implements InterfaceListener, AutoCloseable {
    /** Records that {@link #batch} can take. */
    public static final int BATCH_RECORDS = 64;

    private final String name;
    private final TransportInterface side;
    private final ReturnStack returns = new ReturnStack(element -> element.pool().lateReturn(element));
    private final ReceiveBatch batch = new ReceiveBatch(BATCH_RECORDS);
    private final List<String> tidings = new ArrayList<>();
    private final List<Leak> leaks = new ArrayList<>();
    private final AtomicInteger wakeUps = new AtomicInteger();
    private Lane lane;
    private boolean connected;
    private Status gone;
    private boolean drained;
    private boolean disposed;

    LaneSide(final Transport transport, final String name) {
        this.name = name;
        final long workerId = ThreadLocalRandom.current().nextLong();
        side = transport.openInterface(
            new InterfaceOptions(workerId, name, this, returns, wakeUps::incrementAndGet), this);
    }

    /** The interface. */
    public TransportInterface side() {
        return side;
    }

    /** The lane; on the accepting side only after it has been told. */
    public Lane lane() {
        return lane;
    }

    void lane(final Lane made) {
        lane = made;
    }

    /** Where released elements of this side go. */
    public ReturnStack returns() {
        return returns;
    }

    /** The batch that {@link #collect} fills. */
    public ReceiveBatch batch() {
        return batch;
    }

    /** Everything the listener was told, in order. */
    public List<String> tidings() {
        return tidings;
    }

    /** What was kept when the interface was closed. */
    public List<Leak> leaks() {
        return leaks;
    }

    /** How often the transport woke this side. Any thread. */
    public int wakeUps() {
        return wakeUps.get();
    }

    /** Whether the connection has been told. */
    public boolean isConnected() {
        return connected;
    }

    /** What {@code onPeerGone} said, or null. */
    public Status gone() {
        return gone;
    }

    /** Whether {@code onDrained} has been told. */
    public boolean isDrained() {
        return drained;
    }

    /** Events, control records and released elements. */
    public int step() {
        int done = side.step(System.nanoTime());
        if (lane != null && !disposed) {
            done += lane.control();
        }
        PoolElement element = returns.drain();
        while (element != null) {
            final PoolElement older = element.unlink();
            element.reclaim();
            ((Lane) element.lane()).recycle(element);
            done++;
            element = older;
        }
        return done;
    }

    /** Fills the batch anew. */
    public int collect() {
        batch.clear();
        return lane.collect(batch, BATCH_RECORDS);
    }

    /** Gives everything in the batch back. */
    public void retire() {
        lane.retire(batch, 0, batch.size());
        batch.clear();
    }

    /** A copy of one record's bytes. */
    public byte[] bytes(final int index) {
        final byte[] copy = new byte[batch.record(index).length];
        new UnsafeBuffer(batch.record(index).address, copy.length).getBytes(0, copy);
        return copy;
    }

    /** Collects and retires once; gives the metas of the records, in order. */
    public List<Long> receive() {
        final int records = collect();
        final List<Long> metas = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            metas.add(batch.record(i).meta);
        }
        retire();
        return metas;
    }

    /** Lets one reference go, as the last holder's release does. Any thread. */
    public void release(final PoolElement element, final int generation) {
        if (element.release(generation)) {
            returns.push(element);
        }
    }

    @Override
    public void onAccepted(final Lane accepted, final String peer) {
        lane = accepted;
        connected = true;
        tidings.add("accepted");
    }

    @Override
    public void onConnectionRequest(final IncomingConnection request) {
        tidings.add("requested");
        request.reject(Status.UNSUPPORTED, "lanes are connected by address here");
    }

    @Override
    public void onConnected(final Lane made, final String peer) {
        connected = true;
        tidings.add("connected");
    }

    @Override
    public void onPeerGone(final Lane ended, final Status status, final String reason) {
        gone = status;
        tidings.add("gone " + status);
    }

    @Override
    public void onDrained(final Lane ended) {
        drained = true;
        tidings.add("drained");
    }

    /** Disposes of the lane, as a worker that closes an endpoint would. Idempotent. */
    public void dispose() {
        if (lane != null && !disposed) {
            disposed = true;
            lane.finish();
            lane.dispose();
        }
    }

    @Override
    public void close() {
        dispose();
        leaks.addAll(side.close());
        PoolElement element = returns.close();
        while (element != null) {
            final PoolElement older = element.unlink();
            element.pool().lateReturn(element);
            element = older;
        }
    }

    @Override
    public String toString() {
        return "name=" + name + " tidings=" + tidings + " lane=" + (lane == null ? "none" : lane.describe());
    }
}
