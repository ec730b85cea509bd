package io.heddle.shm;

import io.heddle.context.AccessRefusedException;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.internal.FailPoints;
import io.heddle.context.internal.ListenerName;
import io.heddle.context.internal.NameHolder;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.concurrent.TimeUnit;

/**
 * The connector's side of a handshake: find the socket, connect, make the segment, send its name, wait for the answer.
 * Every outcome is posted to the slot, once. Confined to the control thread, but for {@link #begin} and {@link
 * #cancel}.
 */
final class ConnectAttempt implements ControlSocket.Listener {
    private static final byte[] NO_DATA = {};
    private static final long FIRST_BACK_OFF_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** So that a deadline can be computed. */
    private static final long LONGEST_WAIT_NS = TimeUnit.DAYS.toNanos(365);
    private static final long LAST_BACK_OFF_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final ShmTransport transport;
    private final ControlThread control;
    private final ShmInterface owner;
    private final ConnectTarget target;
    /** Null until the target is found. */
    private ShmAddress address;
    /** Of a target with a name: when waiting for its listener ends. */
    private long findDeadlineNs;
    private LaneSlot slot;
    private Path socketPath;
    private ControlSocket socket;
    private UserPrincipal peerUser;
    private MappedSegment segment;
    private ControlTimers.Timer deadline;
    private ControlTimers.Timer retry;
    private long backOffNs = FIRST_BACK_OFF_NS;
    private String lastProblem = "no answer";
    private boolean over;
    /** Set at once by whoever cancels, so that an attempt that has not begun costs nothing. */
    private volatile boolean unwanted;

    ConnectAttempt(final ShmTransport transport, final ShmInterface owner, final ConnectTarget target) {
        this.transport = transport;
        this.control = transport.control();
        this.owner = owner;
        this.target = target;
    }

    /** Under the worker's guard; once. */
    void begin(final LaneSlot lane) {
        control.execute(() -> {
            slot = lane;
            if (!over && !unwanted) {
                allow(control.timings().handshakeNs() + waitNs());
                findDeadlineNs = control.clock().nanoTime() + waitNs();
                attempt();
            }
        });
    }

    private long waitNs() {
        return target instanceof ConnectTarget.Name name ? Math.min(name.waitNs(), LONGEST_WAIT_NS) : 0;
    }

    private void allow(final long timeoutNs) {
        control.cancel(deadline);
        deadline = control.schedule(timeoutNs, this::timedOut);
    }

    /** The worker does not want the lane any more. Any thread. */
    void cancel() {
        unwanted = true; // volatile; partner: begin's command
        control.execute(this::giveUp);
    }

    private void timedOut() {
        fail(Status.TIMED_OUT, "not connected in time: socket=" + socketPath + " lastProblem=" + lastProblem);
    }

    private void attempt() {
        if (over) {
            return;
        }
        if (control.isClosing()) {
            fail(Status.CANCELED, "the context closes");
            return;
        }
        try {
            if (!find()) {
                return;
            }
            socketPath = address.locate(transport.directory());
            final String reason = transport.unreachableReason(address, socketPath);
            if (reason != null) {
                unreachable(reason);
            } else {
                connect();
            }
        } catch (final HeddleException ex) {
            fail(ex.status(), ex.getMessage());
        } catch (final IOException ex) {
            fail(Status.IO_ERROR, "cannot connect: socket=" + socketPath + " cause=" + ex.getMessage());
        } catch (final RuntimeException | Error ex) { // never leave a lane without an answer
            fail(Status.IO_ERROR, "cannot connect: socket=" + socketPath + " cause=" + ex);
            control.reports().error(ex);
        }
    }

    /** Whether it is known where to connect to; else waits, or has failed. */
    private boolean find() {
        if (target instanceof ConnectTarget.Address known) {
            address = known.address();
            return true;
        }
        final String name = ((ConnectTarget.Name) target).name();
        final NameHolder holder = ListenerName.find(transport.directory(), name);
        if (holder == null) {
            unreachable("no listener named " + name + ": directory=" + transport.directory() +
                (waitNs() > 0 ? " waitedNs=" + waitNs() : ""));
            return false;
        }
        try {
            address = ShmAddress.decode(holder.address());
            return true;
        } catch (final IllegalArgumentException ex) {
            fail(Status.INVALID_ADDR, "listener " + name + " pid=" + holder.pid() + ": " + ex.getMessage());
            return false;
        }
    }

    /** There is nobody: as long as a listener is awaited, looks again. */
    private void unreachable(final String reason) {
        if (waitNs() > 0 && findDeadlineNs - control.clock().nanoTime() > 0) {
            lastProblem = reason;
            retryLater();
        } else {
            fail(Status.UNREACHABLE, reason);
        }
    }

    private void retryLater() {
        retry = control.schedule(backOffNs, this::attempt);
        backOffNs = Math.min(2 * backOffNs, LAST_BACK_OFF_NS);
    }

    private void connect() throws IOException {
        final SocketChannel channel;
        try {
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        } catch (final IOException ex) {
            fail(Status.IO_ERROR, "cannot open a socket: cause=" + ex.getMessage() +
                "; are file descriptors left (ulimit -n)?");
            return;
        }
        boolean handedOver = false;
        try {
            channel.configureBlocking(false);
            if (!isConnected(channel)) {
                return;
            }
            peerUser = PeerIdentity.require(channel, transport.user());
            socket = new ControlSocket(control, channel, this);
            handedOver = true;
            sayHello();
        } finally {
            if (!handedOver) {
                channel.close();
            }
        }
    }

    /** A Unix-domain connect is done or refused at once; a full backlog is one of the refusals, and passes. */
    private boolean isConnected(final SocketChannel channel) throws IOException {
        try {
            if (channel.connect(UnixDomainSocketAddress.of(socketPath))) {
                return true;
            }
            lastProblem = "connect not finished";
        } catch (final ConnectException ex) {
            unreachable("no process listens: socket=" + socketPath + " cause=" + ex.getMessage());
            return false;
        } catch (final SocketException ex) {
            if (!Files.isWritable(socketPath)) {
                fail(Status.UNREACHABLE, "cannot connect: socket=" + socketPath + " cause=" + ex.getMessage());
                return false;
            }
            lastProblem = "the peer's backlog is full or: " + ex.getMessage();
        }
        retryLater();
        return false;
    }

    private void sayHello() {
        FailPoints.at("shm.connect.connected");
        segment = transport.createSegment(socketPath.getParent(), transport.geometry().segmentBytes());
        SegmentHeader.write(segment.address(), transport.geometry());
        FailPoints.at("shm.create.before-ready");
        SegmentHeader.markReady(segment.address());
        FailPoints.at("shm.create.before-name");
        lastProblem = "connected, no answer; is the process stopped?";
        String listener = "";
        byte[] data = NO_DATA;
        if (target instanceof ConnectTarget.Name name) {
            listener = name.name();
            data = name.data();
            // The acceptor's own deadline comes first, so that its refusal says what is wrong.
            allow(2 * control.timings().handshakeNs());
        }
        socket.send(new Hello(
            address.interfaceId(), owner.options().workerId(), ProcessHandle.current().pid(), segment.bytes(),
            segment.name(), owner.options().workerName(), listener, data).encode());
        FailPoints.at("shm.connect.greeted");
    }

    @Override
    public void onFrame(final byte opcode, final int version, final ByteBuffer body) throws ControlViolation {
        if (opcode == FrameDescriptor.WELCOME) {
            welcomed(Welcome.decode(body));
        } else if (opcode == FrameDescriptor.REFUSED) {
            final Refused refused = Refused.decode(body);
            fail(refused.status(), "refused by the peer: " + refused.text());
        } else if (opcode == FrameDescriptor.FAREWELL) {
            fail(Status.UNREACHABLE, "the peer's context closed during the handshake: socket=" + socketPath);
        } else {
            throw new ControlViolation("opcode", "value=" + opcode + " does not answer a hello");
        }
    }

    private void welcomed(final Welcome welcome) {
        FailPoints.at("shm.connect.welcomed");
        over = true;
        control.cancel(deadline);
        SegmentFile.unlink(file()); // gone already, if the peer keeps its word
        final ShmConnection link = new ShmConnection(transport, socket, slot, socketPath.getParent());
        socket.listener(link);
        slot.postOpened(
            segment, transport.geometry(), true, link, PeerIdentity.describe(welcome.pid(), welcome.workerName(),
                peerUser));
    }

    @Override
    public void onWake() {
        // The peer's lane was open before ours; what it has sent is found when ours opens.
    }

    @Override
    public void onEnd(final Status status, final String reason) {
        if (status == Status.CONNECTION_RESET) {
            transport.leftovers().peerEnded();
        }
        fail(status, reason == null ? "the peer ended during the handshake: socket=" + socketPath : reason);
    }

    private void fail(final Status status, final String reason) {
        if (!over) {
            giveUp();
            slot.postFailed(status, reason);
            if (status == Status.REJECTED && target instanceof ConnectTarget.Address) {
                control.reports().refusal(reason, new AccessRefusedException(reason));
            }
        }
    }

    private void giveUp() {
        if (over) {
            return;
        }
        over = true;
        control.cancel(deadline);
        control.cancel(retry);
        if (socket != null) { // first, so that an acceptor that misses the segment finds that nobody waits
            socket.send(FrameBody.finished(FrameBody.begin(FrameDescriptor.FAREWELL)));
            socket.closeWhenSent();
        }
        if (segment != null) {
            SegmentFile.unlink(file());
            segment.unmap(); // no lane has seen it
        }
    }

    private Path file() {
        return socketPath.resolveSibling(segment.name());
    }
}
