package io.heddle.shm;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.internal.FailPoints;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * An established connection, as the control thread sees it: growth, wakes, the end. Confined to the control thread, but
 * for what {@link LaneLink} promises.
 */
final class ShmConnection implements LaneLink, ControlSocket.Listener {
    private static final int MAX_PENDING_GROWTHS = 64;
    private static final int MAX_PEER_GROWTHS = 1024;
    private static final String RING_ALONE = "no more receive buffers, messages take the ring: ";

    private final ShmTransport transport;
    private final ControlThread control;
    private final ControlSocket socket;
    private final ConnectionEvents events;
    private final Path directory;
    private final Map<Integer, Pending> pending = new HashMap<>();
    private final PeerPulse pulse;
    /** What the peer said when it gave this connection up, or null. */
    private Refused refused;
    private int peerGrowths;
    private boolean peerFarewell;
    private boolean farewellSent;
    private boolean ended;

    /** A further segment that the peer has not mapped yet. */
    private record Pending(Growth growth, MappedSegment segment) {
    }

    /** @param directory where both sides find each other's segments: that of the socket. */
    ShmConnection(final ShmTransport transport, final ControlSocket socket, final ConnectionEvents events,
        final Path directory) {
        this.transport = transport;
        this.control = transport.control();
        this.socket = socket;
        this.events = events;
        this.directory = directory;
        pulse = new PeerPulse(control, socket, transport.config().peerTimeoutNs(), this::silent);
    }

    // ---- for the lane, any thread

    @Override
    public void requestGrowth(final int firstId, final int count, final long elementBytes) {
        control.execute(() -> grow(firstId, count, elementBytes));
    }

    @Override
    public void growthLater(final long delayNs) {
        control.execute(() -> {
            if (!ended) {
                control.schedule(delayNs, () -> {
                    if (!ended) {
                        events.postGrowthDue();
                    }
                });
            }
        });
    }

    @Override
    public void signal() {
        socket.signal();
    }

    @Override
    public void finish() {
        control.execute(this::sayFarewell);
    }

    @Override
    public void close() {
        control.execute(() -> {
            if (!ended) {
                sayFarewell();
                end();
                socket.closeWhenSent();
            }
        });
    }

    @Override
    public void unmap(final MappedSegment segment) {
        control.unmap(segment);
    }

    // ---- control thread

    private void sayFarewell() {
        if (!ended && !farewellSent) {
            farewellSent = true;
            socket.send(FrameBody.finished(FrameBody.begin(FrameDescriptor.FAREWELL)));
        }
    }

    private void grow(final int firstId, final int count, final long elementBytes) {
        if (ended) {
            return;
        }
        if (!Growth.isPossible(firstId, count, elementBytes) || pending.containsKey(firstId)) {
            refuseGrowth(
                elementBytes, "impossible growth: firstId=" + firstId + " count=" + count + " elementBytes=" +
                    elementBytes);
        } else if (pending.size() >= MAX_PENDING_GROWTHS) {
            refuseGrowth(elementBytes, "the peer has not answered earlier growths: pending=" + pending.size());
        } else {
            try {
                final MappedSegment segment = transport.createSegment(directory, count * elementBytes);
                final Growth growth = new Growth(firstId, count, elementBytes, segment.bytes(), segment.name());
                pending.put(firstId, new Pending(growth, segment));
                FailPoints.at("shm.grow.before-name");
                socket.send(growth.encode());
            } catch (final HeddleException ex) {
                refuseGrowth(elementBytes, ex.getMessage());
                control.reports().refusal(RING_ALONE, new HeddleException(ex.status(), RING_ALONE + ex.getMessage(),
                    ex));
            }
        }
    }

    private void refuseGrowth(final long elementBytes, final String reason) {
        events.postGrowthRefused(elementBytes, reason);
        socket.send(Growth.encodeFailed(elementBytes));
    }

    @Override
    public void onFrame(final byte opcode, final int version, final ByteBuffer body) throws ControlViolation {
        switch (opcode) {
            case FrameDescriptor.GROW -> mapGrowth(Growth.decode(body));
            case FrameDescriptor.GROW_ACK -> {
                final Pending answered = takePending(body);
                FrameBody.end(body);
                SegmentFile.unlink(directory.resolve(answered.segment.name()));
                events.postGrowthMapped(answered.growth, answered.segment, this);
            }
            case FrameDescriptor.GROW_NAK -> {
                final Pending answered = takePending(body);
                final String reason = FrameBody.takeText(body, "growNak.text");
                drop(answered);
                events.postGrowthRefused(answered.growth.elementBytes(), "the peer could not map it: " + reason);
            }
            case FrameDescriptor.GROW_FAILED -> {
                final long elementBytes = FrameBody.takeLong(body, "growFailed.elementBytes");
                FrameBody.end(body);
                events.postPeerGrowthRefused(elementBytes);
            }
            case FrameDescriptor.REFUSED -> refused = Refused.decode(body);
            case FrameDescriptor.PING -> {
                FrameBody.end(body);
                socket.send(FrameBody.finished(FrameBody.begin(FrameDescriptor.PONG)));
            }
            case FrameDescriptor.PONG -> {
                FrameBody.end(body);
                pulse.answered();
            }
            case FrameDescriptor.FAREWELL -> {
                peerFarewell = true;
                events.wake(); // the peer's last record in the control ring was not signalled
            }
            default -> throw new ControlViolation("opcode", "value=" + opcode +
                " does not belong into an open connection");
        }
    }

    private Pending takePending(final ByteBuffer body) throws ControlViolation {
        final long firstId = FrameBody.takeLong(body, "growAnswer.firstId");
        final Pending answered = firstId == (int) firstId ? pending.remove((int) firstId) : null;
        if (answered == null) {
            throw new ControlViolation("growAnswer.firstId", "value=" + firstId + " was not asked for");
        }
        return answered;
    }

    private void mapGrowth(final Growth growth) {
        final Path file = directory.resolve(growth.segmentName());
        try {
            if (++peerGrowths > MAX_PEER_GROWTHS) {
                throw new HeddleException(Status.EXCEEDS_LIMIT, "growths=" + peerGrowths + " must be <= " +
                    MAX_PEER_GROWTHS);
            }
            final MappedSegment segment = transport.openSegment(directory, growth.segmentName(), growth.segmentBytes());
            FailPoints.at("shm.grow.peer-mapped");
            SegmentFile.unlink(file);
            FailPoints.at("shm.grow.peer-unlinked");
            events.postPeerGrowthMapped(growth, segment, this);
            socket.send(growth.encodeAck());
        } catch (final HeddleException ex) {
            SegmentFile.unlink(file);
            events.postPeerGrowthRefused(growth.elementBytes());
            socket.send(growth.encodeNak(ex.getMessage()));
        }
    }

    @Override
    public void onWake() {
        events.wake();
    }

    @Override
    public void onEnd(final Status status, final String reason) {
        if (ended) {
            return;
        }
        end();
        if (status == Status.CONNECTION_RESET) {
            if (!peerFarewell && refused == null) {
                transport.leftovers().peerEnded();
            }
            events.postFailed(status, refused != null ? "given up by the peer: " + refused.text()
                : peerFarewell ? "closed" : "process ended");
        } else {
            events.postFailed(status, reason);
        }
    }

    /** The peer's process exists, since its socket does, and does not answer. */
    private void silent() {
        final long timeoutNs = transport.config().peerTimeoutNs();
        end();
        socket.send(new Refused(Status.ENDPOINT_TIMEOUT, "this process did not answer for peerTimeoutNs=" + timeoutNs)
            .encode());
        socket.closeWhenSent();
        events.postFailed(Status.ENDPOINT_TIMEOUT, "the peer's process does not answer: peerTimeoutNs=" + timeoutNs
            + "; is it stopped?");
    }

    private void end() {
        ended = true;
        pulse.stop();
        dropPending();
    }

    private void dropPending() {
        pending.values().forEach(this::drop);
        pending.clear();
    }

    /** Nobody has seen the segment's address yet, so it goes at once. */
    private void drop(final Pending dropped) {
        SegmentFile.unlink(directory.resolve(dropped.segment.name()));
        dropped.segment.unmap();
    }
}
