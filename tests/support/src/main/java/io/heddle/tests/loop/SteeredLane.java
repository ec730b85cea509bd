package io.heddle.tests.loop;

import io.heddle.context.MemoryPool;
import io.heddle.context.PoolElement;
import io.heddle.context.Status;
import io.heddle.context.spi.Lane;
import io.heddle.context.spi.ReceiveBatch;
import io.heddle.context.spi.WaitState;
import org.agrona.DirectBuffer;

/**
 * One side of a steered connection.
 *
 * <p>Confined to its worker's guard, as {@link Lane} says. The two sides meet in the {@link Wire}s, in the volatile
 * fields below, and in the event queues of their interfaces; the test meets it through its {@link Steering}. No monitor
 * is held while the listener is called.
 *
 * <p>Where the SPI leaves it open: before it is ready a lane refuses with NO_RESOURCE, after its own {@link #finish}
 * with NOT_CONNECTED;
 * {@link #dispose} finishes too; a kept record may be left in the batch with a further reference, or its element's
 * place in the batch be set to null, which hands the batch's reference over; {@code onDrained} is told as soon as the
 * last record has been collected, though it may be rewound thereafter.
 *
 * <p>Longer than most because it is the whole of {@code Lane}; the ring, the descriptors and the steering are classes
 * of their own.
 */
public final class SteeredLane implements Lane {
    private final SteeredInterface side;
    private final Steering steering;
    private final String name;
    private final SteeredSettings settings;
    private Wire incoming;
    private Wire outgoing;
    private LaneElements elements;
    private SteeredLane peer;
    private Object attachment;
    private boolean unknown;
    private String goneReason;
    private boolean peerGoneTold;
    private boolean drainedTold;
    private boolean signalOwed;
    private boolean roomOwed;
    private long signalled;
    private boolean disposed;
    private boolean connected;
    /** Set by the owner; read by the peer. */
    private volatile boolean finished;
    /** The peer's farewell, not yet handled: set by the peer, cleared by the owner. */
    private volatile boolean farewell;
    /** Why nothing can be sent: set by the owner, the peer or the test, under this object's monitor, once. */
    private volatile Status ended;

    SteeredLane(final SteeredInterface side, final String name, final SteeredSettings settings) {
        this.side = side;
        this.name = name;
        this.settings = settings;
        steering = new Steering("lane " + name, side.steering());
    }

    /** Joins two new lanes, both ways; the descriptors of both are lent at once. */
    static void join(final SteeredLane near, final SteeredLane far) {
        near.peer = far;
        far.peer = near;
        far.outgoing = near.open(far.steering);
        near.outgoing = far.open(near.steering);
    }

    /** A lane that leads nowhere, for a connection that will fail. */
    void joinNothing() {
        open(steering);
        outgoing = new Wire(settings, steering, steering, () -> { });
    }

    /** Makes the direction that leads here. */
    private Wire open(final Steering writer) {
        incoming = new Wire(settings, writer, steering, () -> side.bringHome(this::strayBack));
        elements = new LaneElements("steered-" + name, settings, side, this, incoming);
        side.add(elements);
        steering.add(this);
        return incoming;
    }

    private void strayBack() {
        elements.strayBack();
        side.closeIfIdle(elements);
    }

    /** The test's hand on this side of the connection. */
    public Steering steering() {
        return steering;
    }

    /** The other side, or null if the connection failed at once. */
    public SteeredLane peer() {
        return peer;
    }

    /** The pool of this side's receive descriptors, for its gauges. */
    public MemoryPool pool() {
        return elements.pool();
    }

    @Override
    public Object attachment() {
        return attachment;
    }

    @Override
    public void attachment(final Object object) {
        attachment = object;
    }

    @Override
    public boolean isReady() {
        return connected && ended == null && !finished;
    }

    @Override
    public boolean hasReceived() {
        steering.enter(SteeredCall.HAS_RECEIVED);
        return !disposed && (farewell || incoming.hasVisible());
    }

    @Override
    public boolean hasControl() {
        steering.enter(SteeredCall.HAS_RECEIVED);
        return !disposed && farewell;
    }

    @Override
    public boolean hasRoom() {
        steering.enter(SteeredCall.HAS_ROOM);
        return isReady() && outgoing.hasRoom();
    }

    @Override
    public int control() {
        steering.enter(SteeredCall.CONTROL);
        if (!farewell) {
            return 0;
        }
        farewell = false;
        end(Status.CONNECTION_RESET, "peer closed");
        return 1;
    }

    @Override
    public int collect(final ReceiveBatch batch, final int limit) {
        steering.enter(SteeredCall.COLLECT);
        requireUndisposed("collect");
        final Status planned = steering.outcome(SteeredCall.COLLECT);
        if (planned != null) {
            fail(planned, "steered to fail at collect");
            return 0;
        }
        int added = 0;
        while (added < limit && batch.room() > 0) {
            final Wire.Slot slot = incoming.collect();
            if (slot == null) {
                break;
            }
            final String fault = firstLook(slot);
            if (fault != null) {
                incoming.rewind(slot.payload());
                fail(Status.PROTOCOL_VIOLATION, fault);
                break;
            }
            batch.add(slot.type, slot.meta, slot.payload(), slot.length, settings.keepsInPlace() ? slot.element : null);
            added++;
        }
        tellDrained();
        return added;
    }

    /** What is wrong with a record, or null; marks its element as arrived. */
    private String firstLook(final Wire.Slot slot) {
        if (slot.seen) {
            return null;
        }
        final Steering.Corruption corruption = steering.takeCorruption();
        if (corruption != null) {
            slot.meta ^= corruption.metaBits();
            slot.length = corruption.lengthBytes() < 0 ? slot.length : corruption.lengthBytes();
            slot.type = corruption.type() < 0 ? slot.type : corruption.type();
        }
        if (slot.length > slot.room(settings)) {
            return "length=" + slot.length + " must be <= " + slot.room(settings);
        }
        if (slot.type < 0 || slot.type > Byte.MAX_VALUE) {
            return "type=" + slot.type + " must be >= 0 and <= 127";
        }
        if (slot.element != null && !slot.element.arrive()) {
            return "element=" + slot.element + " was not lent";
        }
        slot.seen = true;
        return null;
    }

    @Override
    public void retire(final ReceiveBatch batch, final int from, final int to) {
        steering.enter(SteeredCall.RETIRE);
        requireUndisposed("retire");
        for (int i = from; i < to; i++) {
            final PoolElement element = incoming.oldest(batch.record(i).address).element;
            if (element != null) {
                if (settings.keepsInPlace() && batch.record(i).element == null) {
                    elements.passOn();
                } else {
                    elements.leaveBatch(element);
                }
            }
            incoming.retire();
        }
        roomOwed |= from < to;
    }

    @Override
    public void rewind(final ReceiveBatch batch, final int from, final int to) {
        steering.enter(SteeredCall.REWIND);
        requireUndisposed("rewind");
        for (int i = to - 1; i >= from; i--) {
            incoming.rewind(batch.record(i).address);
        }
    }

    @Override
    public void recycle(final PoolElement element) {
        steering.enter(SteeredCall.RECYCLE);
        elements.recycle(element);
        side.closeIfIdle(elements);
        roomOwed = true;
    }

    @Override
    public boolean keepsInPlace(final PoolElement element) {
        steering.enter(SteeredCall.KEEPS_IN_PLACE);
        return settings.keepsInPlace() && !steering.isKeepingDenied();
    }

    @Override
    public int maxFragmentBytes() {
        return settings.maxFragmentBytes();
    }

    @Override
    public int maxInlineBytes() {
        return settings.maxInlineBytes();
    }

    @Override
    public Status send(final int type, final long meta, final DirectBuffer data, final int dataOffset,
        final int dataLength, final DirectBuffer header, final int headerLength) {
        steering.enter(SteeredCall.SEND);
        Status status = admit(SteeredCall.SEND, dataLength + headerLength);
        if (status == Status.OK) {
            status = outgoing.send(type, meta, data, dataOffset, dataLength, header, headerLength);
            signalOwed |= status == Status.OK;
        }
        return status;
    }

    @Override
    public Status reserve(final int length) {
        steering.enter(SteeredCall.RESERVE);
        final Status status = admit(SteeredCall.RESERVE, length);
        return status == Status.OK ? outgoing.reserve(length) : status;
    }

    /** OK, or why nothing of this length can be accepted now, whatever room there is. */
    private Status admit(final SteeredCall call, final int length) {
        final Status planned = steering.outcome(call);
        if (ended != null) {
            return ended;
        }
        if (finished || disposed) {
            return Status.NOT_CONNECTED;
        }
        if (!connected || planned == Status.NO_RESOURCE) {
            return outgoing.refuse(length);
        }
        if (planned != null) {
            cutOff(planned, "steered to fail at " + call);
            return planned;
        }
        return Status.OK;
    }

    @Override
    public long reservedAddress() {
        return outgoing.reservedAddress();
    }

    @Override
    public Status publish(final int type, final long meta, final int length) {
        steering.enter(SteeredCall.PUBLISH);
        final Status planned = steering.outcome(SteeredCall.PUBLISH);
        if (planned != null && ended == null) {
            cutOff(planned, "steered to fail at PUBLISH");
        }
        final Status status = outgoing.publish(type, meta, length);
        signalOwed |= status == Status.OK;
        return status;
    }

    @Override
    public void abandon() {
        steering.enter(SteeredCall.ABANDON);
        outgoing.abandon();
    }

    @Override
    public int unretired() {
        steering.enter(SteeredCall.UNRETIRED);
        return outgoing.unretired();
    }

    @Override
    public boolean signalNeeded() {
        steering.enter(SteeredCall.SIGNAL_NEEDED);
        final boolean owed = signalOwed;
        signalOwed = false;
        return owed && isSignalDue(false);
    }

    @Override
    public boolean signalNeededForRoom() {
        steering.enter(SteeredCall.SIGNAL_NEEDED_FOR_ROOM);
        final boolean owed = roomOwed;
        roomOwed = false;
        return owed && isSignalDue(true);
    }

    private boolean isSignalDue(final boolean forRoom) {
        if (peer == null) {
            return false;
        }
        // Pairs with the volatile write in SteeredInterface.waitState: the peer's look that follows it finds what was
        // done
        // before this.
        final long word = peer.side.waitState();
        if (word < WaitState.ARMED || word == signalled || forRoom && (word & 1) == 0) {
            return false;
        }
        signalled = word;
        return true;
    }

    @Override
    public void signal() {
        steering.enter(SteeredCall.SIGNAL);
        if (peer != null) {
            peer.side.wakeUp();
        }
    }

    @Override
    public void finish() {
        steering.enter(SteeredCall.FINISH);
        sayFarewell();
    }

    private void sayFarewell() {
        if (!finished) {
            finished = true;
            if (outgoing.isReserved()) {
                outgoing.abandon();
            }
            if (peer != null) {
                peer.farewell = true;
                peer.side.wakeUp();
            }
        }
    }

    @Override
    public void dispose() {
        steering.enter(SteeredCall.DISPOSE);
        disposeNow();
    }

    /** As {@link #dispose}, for an interface that closes over lanes which were forgotten. */
    void disposeNow() {
        if (!disposed) {
            sayFarewell();
            disposed = true;
            steering.remove(this);
            elements.dispose();
            side.forget(this);
            side.closeIfIdle(elements);
            if (peer != null) {
                peer.end(Status.CONNECTION_RESET, "peer closed");
            }
        }
    }

    @Override
    public String describe() {
        return "transport=steered lane=" + name + " ready=" + isReady() + " ended=" + ended + " finished=" + finished +
            " pool_in_use=" + elements.pool().inUse() + '/' + elements.pool().limit() + " in={" + incoming +
            "} out={" + outgoing + '}';
    }

    @Override
    public String toString() {
        return "SteeredLane{" + name + '}';
    }

    // ---- within the transport

    Wire incoming() {
        return incoming;
    }

    /**
     * Tells the owner that its connection is made; what ended a lane that the owner did not know of is told after that.
     */
    void announce(final boolean accepted, final String peerText) {
        connected = true;
        if (!peerGoneTold && !disposed) {
            if (accepted) {
                side.listener().onAccepted(this, peerText);
            } else {
                side.listener().onConnected(this, peerText);
            }
        }
        unknown = false;
        if (goneReason != null) {
            tellPeerGone(goneReason);
        }
    }

    /** The owner has not heard of this lane yet. */
    void hide() {
        unknown = true;
    }

    /** The connection ends for both; nothing more of what the peer had published is read here. */
    private void fail(final Status status, final String reason) {
        elements.cut();
        cutOff(status, reason);
    }

    void killPeer() {
        cutOff(Status.CONNECTION_RESET, "peer killed");
    }

    private void cutOff(final Status status, final String reason) {
        outgoing.close(status);
        incoming.close(Status.CONNECTION_RESET);
        end(status, reason);
        if (peer != null) {
            peer.end(Status.CONNECTION_RESET, reason);
        }
    }

    /** Nothing can be sent from here any more; the owner is told at its next step. Any thread, first one wins. */
    void end(final Status status, final String reason) {
        synchronized (this) {
            if (ended != null) {
                return;
            }
            ended = status;
        }
        outgoing.close(status);
        side.post(() -> tellPeerGone(reason));
    }

    /** Whether the connection is over, told or not. Any thread. */
    boolean isEnded() {
        synchronized (this) {
            return ended != null;
        }
    }

    private void tellPeerGone(final String reason) {
        if (unknown) {
            goneReason = reason;
        } else if (!peerGoneTold && !disposed) {
            peerGoneTold = true;
            side.listener().onPeerGone(this, ended, reason);
            tellDrained();
        }
    }

    private void tellDrained() {
        if (peerGoneTold && !drainedTold && !disposed && incoming.isDrained()) {
            drainedTold = true;
            side.listener().onDrained(this);
        }
    }

    private void requireUndisposed(final String operation) {
        if (disposed) {
            throw new IllegalStateException(operation + " after dispose: lane=" + name);
        }
    }

    // ---- the test's side

    boolean deliverOne() {
        final boolean delivered = incoming.deliver();
        side.wakeUpIfArmed();
        return delivered;
    }

    int giveCredits(final int most) {
        final int given = outgoing.giveCredits(most);
        side.wakeUpIfArmed();
        return given;
    }

    int giveRoom(final int most) {
        final int given = outgoing.giveRoom(most);
        side.wakeUpIfArmed();
        return given;
    }

    void reconsiderIncoming() {
        incoming.reconsider();
        side.wakeUpIfArmed();
    }

    void reconsiderOutgoing() {
        outgoing.reconsider();
        side.wakeUpIfArmed();
    }
}
