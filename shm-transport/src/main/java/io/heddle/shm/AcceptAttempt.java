package io.heddle.shm;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.VersionMismatchException;
import io.heddle.context.internal.FailPoints;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;

/**
 * The acceptor's side of a handshake: wait for the hello, map and check the segment, unlink it, answer. Nobody on this
 * side has asked for the connection, so a failure is told to the peer and to the error handler only. Confined to the
 * control thread.
 */
final class AcceptAttempt implements ControlSocket.Listener {
    private final ShmTransport transport;
    private final ControlThread control;
    private final UserPrincipal peerUser;
    private ControlSocket socket;
    private ControlTimers.Timer deadline;

    AcceptAttempt(final ShmTransport transport, final UserPrincipal peerUser) {
        this.transport = transport;
        this.control = transport.control();
        this.peerUser = peerUser;
    }

    void begin(final SocketChannel channel) throws IOException {
        socket = new ControlSocket(control, channel, this);
        deadline = control.schedule(control.timings().handshakeNs(), socket::close);
    }

    @Override
    public void onFrame(final byte opcode, final int version, final ByteBuffer body) throws ControlViolation {
        if (opcode == FrameDescriptor.FAREWELL) {
            control.cancel(deadline);
            socket.close();
            return;
        }
        if (opcode != FrameDescriptor.HELLO) {
            throw new ControlViolation("opcode", "value=" + opcode + " does not begin a connection");
        }
        control.cancel(deadline);
        try {
            accept(Hello.decode(version, body));
        } catch (final VersionMismatchException ex) {
            control.reports().error(ex);
            refuse(ex.status(), ex.getMessage());
        }
    }

    private void accept(final Hello hello) {
        final Path file = transport.directory().resolve(hello.segmentName());
        final ShmInterface target = transport.interfaceOf(hello.interfaceId());
        MappedSegment segment = null;
        Geometry geometry = null;
        try {
            if (target == null) {
                throw new HeddleException(Status.UNREACHABLE, "no such worker: interfaceId=" + hello.interfaceId() +
                    "; it was closed");
            }
            segment = transport.openSegment(transport.directory(), hello.segmentName(), hello.segmentBytes());
            FailPoints.at("shm.accept.mapped");
            geometry = SegmentHeader.verify(segment.address(), segment.bytes());
            FailPoints.at("shm.accept.before-unlink");
        } catch (final RuntimeException | InternalError ex) { // InternalError: a page of the segment has no memory
            if (segment != null) {
                segment.unmap(); // no lane has seen it
            }
            SegmentFile.unlink(file);
            if (target != null) {
                control.reports().error(ex);
            }
            refuse(ex instanceof HeddleException ? ((HeddleException) ex).status() : Status.SHMEM_SEGMENT,
                ex.getMessage());
            return;
        }
        SegmentFile.unlink(file);
        open(hello, target, segment, geometry);
    }

    private void open(final Hello hello, final ShmInterface target, final MappedSegment segment,
        final Geometry geometry) {
        final LaneSlot slot = new LaneSlot(target, null, null);
        final ShmConnection link = new ShmConnection(transport, socket, slot, transport.directory());
        socket.listener(link);
        slot.postOpened(
            segment, geometry, false, link, PeerIdentity.describe(hello.pid(), hello.workerName(), peerUser));
        socket.send(new Welcome(
            target.options().workerId(), ProcessHandle.current().pid(), target.options().workerName()).encode());
    }

    private void refuse(final Status status, final String text) {
        socket.send(new Refused(status, text).encode());
        socket.closeWhenSent();
    }

    @Override
    public void onWake() {
        // nothing to wake before a hello
    }

    @Override
    public void onEnd(final Status status, final String reason) {
        control.cancel(deadline);
    }
}
