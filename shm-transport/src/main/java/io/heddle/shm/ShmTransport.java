package io.heddle.shm;

import io.heddle.context.ClosedException;
import io.heddle.context.ContextConfig;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.internal.RuntimeDirectory;
import io.heddle.context.spi.InterfaceListener;
import io.heddle.context.spi.InterfaceOptions;
import io.heddle.context.spi.Transport;
import io.heddle.context.spi.TransportCapabilities;
import io.heddle.context.spi.TransportContext;
import io.heddle.context.spi.TransportInterface;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The shared-memory transport of one context: its control thread, its server socket, its budget, its interfaces. Thread
 * safe.
 */
final class ShmTransport implements Transport {
    private final Path directory;
    private final ContextConfig config;
    private final String segmentPrefix;
    private final int uid;
    private final UserPrincipal user;
    private final String socketName;
    private final Geometry geometry;
    private final SegmentBudget budget;
    private final SegmentGauge gauge = new SegmentGauge();
    private final ControlThread control;
    private final LeftoverSweep leftovers;
    private final Map<Long, ShmInterface> interfaces = new ConcurrentHashMap<>();
    private volatile boolean closed;

    ShmTransport(final TransportContext context, final ControlTimings timings) {
        Preloaded.load();
        config = context.config();
        directory = context.runtimeDirectory().path();
        segmentPrefix = context.runtimeDirectory().ownerId() + "-" + context.runtimeDirectory().contextId() + "-";
        final Path socket = RuntimeDirectory.requireSocketPath(
            context.runtimeDirectory().file(RuntimeDirectory.SOCKET_SUFFIX));
        socketName = socket.getFileName().toString();
        try {
            user = Files.getOwner(directory);
            uid = (Integer) Files.getAttribute(directory, "unix:uid");
        } catch (final IOException ex) {
            throw new HeddleException(Status.IO_ERROR, "cannot look at the runtime directory: directory=" + directory,
                ex);
        }
        final String contextName = Long.toHexString(context.contextId());
        geometry = Geometry.of(config);
        budget = new SegmentBudget(config.sharedMemoryLimitBytes());
        control = new ControlThread(
            contextName, context.threadFactory(), config.nanoClock(), timings,
                new ControlReports(context.errorHandler()));
        leftovers = new LeftoverSweep(control, context.runtimeDirectory(), context.threadFactory(),
            "heddle-sweep-" + contextName);
        boolean started = false;
        try {
            new Acceptor(this, control, socket);
            started = true;
        } finally {
            control.start();
            if (!started) {
                control.close();
            }
        }
    }

    @Override
    public String name() {
        return ShmTransportProvider.NAME;
    }

    @Override
    public TransportCapabilities capabilities() {
        return new TransportCapabilities(Math.min(config.inlineMaxBytes(), LaneLayout.maxRingRecordBytes(geometry)),
            LaneLayout.MAX_DESCRIPTOR_BYTES, true, true, true, true);
    }

    @Override
    public String unreachableReason(final byte[] address) {
        try {
            final ShmAddress decoded = ShmAddress.decode(address);
            final String reason = unreachableReason(decoded, decoded.locate(directory));
            if (reason == null && decoded.layoutVersion() != LaneLayout.LAYOUT_VERSION) {
                return "other layout version: local=" + LaneLayout.LAYOUT_VERSION + " remote=" +
                    decoded.layoutVersion();
            }
            return reason;
        } catch (final IllegalArgumentException ex) {
            return ex.getMessage();
        }
    }

    /**
     * Looks at the file system only. The version is left to the handshake, which tells both sides.
     *
     * @param socket where the address was found, or null.
     */
    String unreachableReason(final ShmAddress address, final Path socket) {
        if (socket == null) {
            final Path theirs = Path.of(address.directory());
            if (!Files.isDirectory(theirs)) {
                return "directory missing: directory=" + theirs + "; is it shared with the peer's container?";
            }
            if (!theirs.equals(directory) && !Files.isExecutable(theirs)) {
                return "directory closed to us: directory=" + theirs + " peerUid=" + address.uid() + " uid=" + uid;
            }
            return "socket missing: socket=" + theirs.resolve(address.socketName()) +
                "; the peer's context is closed, or in its container that directory is another one";
        }
        try {
            RuntimeDirectory.requireSocketPath(socket);
            final UserPrincipal owner = Files.getOwner(socket.getParent());
            return owner.equals(user) ? null
                : "not ours: directory=" + socket.getParent() + " owner=" + owner.getName() + " must be owner=" +
                    user.getName();
        } catch (final HeddleException ex) {
            return ex.getMessage();
        } catch (final IOException ex) {
            return "cannot look at the directory: directory=" + socket.getParent() + " cause=" + ex.getMessage();
        }
    }

    @Override
    public TransportInterface openInterface(final InterfaceOptions options, final InterfaceListener listener) {
        if (closed) {
            throw new ClosedException("transport=" + name(), "openInterface");
        }
        final ShmInterface opened = new ShmInterface(this, ThreadLocalRandom.current().nextLong(), options, listener);
        interfaces.put(opened.interfaceId(), opened);
        return opened;
    }

    @Override
    public void execute(final Runnable task, final long delayNs) {
        control.execute(delayNs == 0 ? task : () -> control.schedule(delayNs, task));
    }

    @Override
    public String describeLayout() {
        return LaneLayout.describe(Geometry.of(config()));
    }

    @Override
    public String describe() {
        return String.join(
            System.lineSeparator(),
            "transport=" + name(),
            "shm.directory=" + directory,
            "shm.socket=" + socketName,
            "shm.layout.version=" + LaneLayout.LAYOUT_VERSION,
            "shm.protocol.version=" + FrameDescriptor.PROTOCOL_VERSION,
            "shm.lane.bytes=" + geometry.segmentBytes(),
            "shm.limit.bytes=" + budget.limitBytes(),
            "shm.used.bytes=" + budget.usedBytes(),
            "shm.maps=" + gauge.liveMaps(),
            "shm.mapped.bytes=" + gauge.liveBytes(),
            "shm.interfaces=" + interfaces.size(),
            "shm.peer.timeout.ns=" + config.peerTimeoutNs(),
            "shm.control.errors=" + control.reports().errors(),
            "shm.control.violations=" + control.reports().violations(),
            "shm.control.refusals=" + control.reports().refusals());
    }

    @Override
    public void close() {
        closed = true;
        control.close();
        leftovers.close();
    }

    // ---- for this package

    ContextConfig config() {
        return config;
    }

    Path directory() {
        return directory;
    }

    UserPrincipal user() {
        return user;
    }

    Geometry geometry() {
        return geometry;
    }

    ControlThread control() {
        return control;
    }

    LeftoverSweep leftovers() {
        return leftovers;
    }

    SegmentGauge gauge() {
        return gauge;
    }

    SegmentBudget budget() {
        return budget;
    }

    /** Any thread. */
    ShmAddress addressOf(final long interfaceId) {
        return new ShmAddress(LaneLayout.LAYOUT_VERSION, uid, interfaceId, directory.toString(), socketName);
    }

    /** Null if it is not, or no longer, there. Any thread. */
    ShmInterface interfaceOf(final long interfaceId) {
        return interfaces.get(interfaceId);
    }

    void forget(final ShmInterface closedInterface) {
        interfaces.remove(closedInterface.interfaceId());
    }

    /** A new segment of zeros in a directory that the peer sees too. Control thread. */
    MappedSegment createSegment(final Path where, final long bytes) {
        final String name = segmentPrefix + Long.toHexString(ThreadLocalRandom.current().nextLong()) +
            SegmentFile.SUFFIX;
        return SegmentFile.create(where, name, bytes, budget, gauge);
    }

    /** A segment that the peer has named. Control thread. */
    MappedSegment openSegment(final Path where, final String name, final long minBytes) {
        return SegmentFile.open(where, name, minBytes, user, gauge);
    }
}
