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
 * The acceptor's side of a handshake: wait for the hello, wait for the listener's answer if the hello names one, map
 * and check the segment, unlink it, answer. A failure is told to the peer, and to the lane if the worker knows of it
 * or else to the error handler. Confined to the control thread, but for {@link #accept} and {@link #reject}.
 */
final class AcceptAttempt implements ControlSocket.Listener {
    private final ShmTransport transport;
    private final ControlThread control;
    private final UserPrincipal peerUser;
    private ControlSocket socket;
    private ControlTimers.Timer deadline;
    /** While a listener's answer is awaited, and after. */
    private ParkedRequest parked;
    private ShmListener listener;
    /** Why the answer comes too late, once {@link #parked} is over. */
    private Status lateStatus;
    private String lateReason;

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
            peerEnded();
            return;
        }
        if (opcode != FrameDescriptor.HELLO || parked != null) {
            throw new ControlViolation("opcode", "value=" + opcode +
                (parked == null ? " does not begin a connection" : " before the answer to a hello"));
        }
        control.cancel(deadline);
        try {
            greeted(Hello.decode(version, body));
        } catch (final VersionMismatchException ex) {
            control.reports().error(ex);
            refuse(ex.status(), ex.getMessage());
        }
    }

    private void greeted(final Hello hello) {
        FailPoints.at("shm.accept.greeted");
        final ShmInterface target = transport.interfaceOf(hello.interfaceId());
        if (target == null) {
            SegmentFile.unlink(file(hello));
            refuse(Status.UNREACHABLE, "no such worker: interfaceId=" + hello.interfaceId() + "; it was closed");
        } else if (hello.listener().isEmpty()) {
            open(hello, target, new LaneSlot(target, null, null), false);
        } else {
            park(hello, target);
        }
    }

    // ---- a listener is asked

    private void park(final Hello hello, final ShmInterface target) {
        listener = target.listenerOf(hello.listener());
        if (listener == null) {
            SegmentFile.unlink(file(hello));
            refuse(Status.UNREACHABLE, "no listener named " + hello.listener() + "; it was closed");
            return;
        }
        if (!listener.enter()) {
            SegmentFile.unlink(file(hello));
            refuse(Status.NO_RESOURCE, "listener " + hello.listener() + " has too many requests without an answer: " +
                "waiting=" + ShmListener.MAX_WAITING);
            return;
        }
        final ParkedRequest request = new ParkedRequest(target, this, hello, peerUser.getName(),
            PeerIdentity.describe(hello.pid(), hello.workerName(), peerUser));
        parked = request;
        deadline = control.schedule(control.timings().handshakeNs(), this::unanswered);
        target.post(() -> target.listener().onConnectionRequest(request),
            () -> request.reject(Status.UNREACHABLE, "the listener's worker was closed"));
    }

    private void unanswered() {
        final String reason = "listener " + listener.name() + " did not answer in time; does its worker progress?";
        if (end(Status.TIMED_OUT, reason)) {
            refuse(Status.TIMED_OUT, reason);
        }
    }

    private void peerEnded() {
        if (parked != null && end(Status.CONNECTION_RESET, "the peer ended before it was accepted")) {
            SegmentFile.unlink(file(parked.hello()));
        }
    }

    /** Nobody waits for an answer any more. False if that was so already. */
    private boolean end(final Status status, final String reason) {
        if (lateStatus != null) {
            return false;
        }
        lateStatus = status;
        lateReason = reason;
        parked.over();
        listener.leave();
        control.cancel(deadline);
        return true;
    }

    /** The listener says yes. Any thread. */
    void accept(final LaneSlot slot) {
        control.execute(() -> {
            if (end(Status.CANCELED, "was answered before")) {
                open(parked.hello(), transport.interfaceOf(parked.hello().interfaceId()), slot, true);
            } else {
                slot.postFailed(lateStatus, lateReason);
            }
        });
    }

    /** The listener says no. Any thread. */
    void reject(final Status status, final String reason) {
        control.execute(() -> {
            if (end(status, reason)) {
                SegmentFile.unlink(file(parked.hello()));
                refuse(status, reason);
            }
        });
    }

    // ---- the connection

    /** @param isExpected whether the worker knows of the lane, and is to be told of a failure. */
    private void open(final Hello hello, final ShmInterface target, final LaneSlot slot, final boolean isExpected) {
        MappedSegment segment = null;
        Geometry geometry = null;
        try {
            if (target == null) {
                throw new HeddleException(Status.UNREACHABLE, "the worker was closed");
            }
            segment = transport.openSegment(transport.directory(), hello.segmentName(), hello.segmentBytes());
            FailPoints.at("shm.accept.mapped");
            geometry = SegmentHeader.verify(segment.address(), segment.bytes());
            FailPoints.at("shm.accept.before-unlink");
        } catch (final RuntimeException | InternalError ex) { // InternalError: a page of the segment has no memory
            if (segment != null) {
                segment.unmap(); // no lane has seen it
            }
            SegmentFile.unlink(file(hello));
            failed(ex, slot, isExpected);
            return;
        }
        SegmentFile.unlink(file(hello));
        FailPoints.at("shm.accept.unlinked");
        final ShmConnection link = new ShmConnection(transport, socket, slot, transport.directory());
        socket.listener(link);
        slot.postOpened(
            segment, geometry, false, link, PeerIdentity.describe(hello.pid(), hello.workerName(), peerUser));
        socket.send(new Welcome(
            target.options().workerId(), ProcessHandle.current().pid(), target.options().workerName()).encode());
        FailPoints.at("shm.accept.welcomed");
    }

    private void failed(final Throwable cause, final LaneSlot slot, final boolean isExpected) {
        final Status status = cause instanceof HeddleException ? ((HeddleException) cause).status()
            : Status.SHMEM_SEGMENT;
        final boolean hasLeft = socket.hasPeerLeft(); // and has taken its segment away: then nothing is wrong here
        if (isExpected) {
            slot.postFailed(hasLeft ? Status.CONNECTION_RESET : status, hasLeft
                ? "the peer ended before the connection stood" : "cannot accept: " + cause.getMessage());
        } else if (!hasLeft) {
            control.reports().error(cause);
        }
        refuse(status, cause.getMessage());
    }

    private Path file(final Hello hello) {
        return transport.directory().resolve(hello.segmentName());
    }

    private void refuse(final Status status, final String text) {
        socket.send(new Refused(status, text).encode());
        socket.closeWhenSent();
    }

    @Override
    public void onWake() {
        // nothing to wake before the answer
    }

    @Override
    public void onEnd(final Status status, final String reason) {
        control.cancel(deadline);
        if (status == Status.CONNECTION_RESET) {
            transport.leftovers().peerEnded();
        }
        peerEnded();
    }
}
