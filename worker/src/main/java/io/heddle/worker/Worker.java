package io.heddle.worker;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Context;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.context.internal.DispatchToken;
import io.heddle.context.internal.ListenerName;
import io.heddle.context.internal.Operation;
import io.heddle.context.internal.ThreadGuard;
import io.heddle.context.internal.WorkerLock;
import io.heddle.context.spi.TransportInterface;
import java.nio.channels.SelectableChannel;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.Agent;

/**
 * A communication engine: endpoints hang on it, messages arrive at it, and nothing moves unless somebody calls {@link
 * #progress()}.
 *
 * <p><b>Threads.</b> The {@link ThreadMode} given at creation says who may call what:
 * <ul>
 * <li>SINGLE: the owner thread only, which is the creator until it hands the worker over;
 * <li>SERIALIZED: any thread, one at a time, ordered by the caller with a happens-before edge from each call to the
 * next;
 * <li>MULTI: any thread at any time.
 * </ul>
 * In every mode any thread may call {@link #await}, {@link #signal}, {@link #address()}, {@link #threadMode()}, {@link
 * #statistics()} and the accessors of names. Where checks are on (assertions enabled for Heddle, or {@code
 * heddle.thread.checks=assert}) the call that breaks the rule throws {@link io.heddle.context.ThreadModeViolation}.
 * Overlap and foreign entry are detected; a missing happens-before without overlap is not.
 *
 * <p><b>Callbacks</b> run on the thread that progresses, with no lock held, in order per endpoint. Inside one, {@code
 * progress()} and every blocking call throw, on any worker.
 */
public final class Worker implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final Context context;
    private final ThreadMode mode;
    private final String name;
    private final WorkerCore core;
    private final ThreadGuard guard;
    private final WorkerAddress address;
    /** The worker, as the context closes it. */
    private final ClosedByContext dependent = new ClosedByContext(this);

    private Worker(final Context context, final ThreadMode mode, final String name) {
        this.context = context;
        this.mode = mode;
        this.name = name;
        core = new WorkerCore(this, context, mode, name);
        guard = core.guard();
        final Map<String, byte[]> addresses = new LinkedHashMap<>();
        for (final TransportInterface each : core.interfaces()) {
            addresses.put(each.transport().name(), each.address());
        }
        address = WorkerAddress.of(addresses);
    }

    /**
     * Makes a worker. In SINGLE the calling thread owns it.
     *
     * @param mode fixed for the worker's life; what is asked for is obtained, or this throws.
     */
    public static Worker create(final Context context, final ThreadMode mode) {
        return create(context, mode, "worker-" + NUMBER.incrementAndGet());
    }

    /** As the other, with a name for messages, counters and thread names. */
    public static Worker create(final Context context, final ThreadMode mode, final String name) {
        Objects.requireNonNull(mode, "mode");
        final Worker worker = new Worker(Objects.requireNonNull(context, "context"), mode,
            Objects.requireNonNull(name, "name"));
        try {
            context.register(worker.dependent);
        } catch (final RuntimeException ex) {
            worker.close(CloseMode.FORCE, Duration.ZERO);
            throw ex;
        }
        return worker;
    }

    WorkerCore core() {
        return core;
    }

    ClosedByContext dependent() {
        return dependent;
    }

    /** The name given, or a number. */
    public String name() {
        return name;
    }

    /** The mode this worker really has. */
    public ThreadMode threadMode() {
        return mode;
    }

    /** The context. */
    public Context context() {
        return context;
    }

    /** How peers reach this worker. */
    public WorkerAddress address() {
        return address;
    }

    /** The longest header of an active message. */
    public int maxHeaderBytes() {
        return ActiveMessageMeta.MAX_HEADER_BYTES;
    }

    /** The longest payload: {@code heddle.message.max}. */
    public long maxMessageBytes() {
        return core.messageMaxBytes();
    }

    /**
     * Who receives active messages of an id. Takes effect with the next batch.
     *
     * @param id      0 to 65535.
     * @param handler null removes; messages of an id without handler are dropped, counted and told of once.
     */
    public void onActiveMessage(final int id, final ActiveMessageHandler handler) {
        if ((id & ~ActiveMessageMeta.MAX_ID) != 0) {
            throw new HeddleException(Status.INVALID_PARAM, "id=" + id + " must be >= 0 and <= "
                + ActiveMessageMeta.MAX_ID);
        }
        guard.enter(Operation.REGISTER_HANDLER);
        try {
            core.requireNotClosing("onActiveMessage");
            core.dispatcher().register(id, handler);
        } finally {
            guard.exit(Operation.REGISTER_HANDLER);
        }
    }

    /** Who is told what nobody can be thrown at; null for the log. Any thread. */
    public void onError(final WorkerErrorHandler handler) {
        core.reports().errorHandler(handler);
    }

    /**
     * Moves everything on by one bounded round and runs the callbacks that are due. Never blocks, makes no system call
     * on the data path.
     *
     * @return how much was done; 0 if there was nothing, or another thread is dispatching.
     * @throws io.heddle.context.CallbackException inside a callback.
     */
    public int progress() {
        return core.progress(Operation.PROGRESS);
    }

    /**
     * Prepares for sleeping: {@link Status#OK} if there is nothing to do, and then whatever comes wakes {@link #await};
     * {@link Status#BUSY} if there is something to do first, or {@link #signal()} was called since.
     *
     * @throws HeddleException with UNSUPPORTED if {@code heddle.wakeup=off}.
     */
    public Status arm() {
        guard.enter(Operation.ARM);
        try {
            core.requireOpen("arm");
            return core.sleeper().arm();
        } finally {
            guard.exit(Operation.ARM);
        }
    }

    /**
     * Sleeps until something comes, after {@link #arm()} said OK; at once otherwise. Any thread, also several: each
     * wake-up wakes all of them, also if one of them arms again before the others run.
     *
     * @return whether it was woken; false if the time is over or the thread was interrupted.
     */
    public boolean await(final Duration timeout) {
        return core.sleeper().await(timeout.toNanos());
    }

    /** Wakes whoever awaits, or makes the next {@link #arm()} say BUSY once. Any thread, in every mode. */
    public void signal() {
        core.sleeper().signal();
    }

    /**
     * For an application's own {@link java.nio.channels.Selector}: a channel that becomes readable when something
     * comes after {@link #arm()} said OK, as {@link #await} would return. Ask for it first, then:
     * <pre>{@code
     * worker.selectableChannel().register(selector, SelectionKey.OP_READ, mine);
     * while (running) {
     *     while (worker.progress() > 0) { }
     *     if (worker.arm() == Status.OK) {
     *         selector.select(key -> { });
     *     }
     * }
     * }</pre>
     *
     * <p>It stays readable, once per arming however much comes, until the next {@code arm()} that says OK, which
     * empties it; a worker that is not armed never makes it readable. Do not read from it, close it or make it
     * blocking. Closing the worker closes it; who does so from another thread wakes the selector then, as with any
     * channel. Any thread, in every mode; always the same channel.
     *
     * @throws HeddleException with UNSUPPORTED if {@code heddle.wakeup=off}.
     */
    public SelectableChannel selectableChannel() {
        return core.sleeper().selectableChannel();
    }

    /** A request that is done when every send of every endpoint made before has been handed over. */
    public Request flush() {
        guard.enter(Operation.FLUSH);
        try {
            return Flush.all(core);
        } finally {
            guard.exit(Operation.FLUSH);
        }
    }

    /** SINGLE: makes another thread the owner. By the owner, not inside a callback. */
    public void transferTo(final Thread thread) {
        guard.transferTo(thread);
    }

    /**
     * SINGLE: leaves the worker without an owner until a thread calls {@link #attach()}. By the owner, not inside a
     * callback.
     */
    public void detach() {
        guard.detach();
    }

    /** SINGLE: makes the calling thread the owner of a detached worker. */
    public void attach() {
        guard.attach();
    }

    /** SINGLE: the owner, null if detached; null in the other modes. */
    public Thread ownerThread() {
        return guard.ownerThread();
    }

    /** This worker's progress as an Agrona agent; {@code onClose} does not close the worker. */
    public Agent agent() {
        return new WorkerAgent(this);
    }

    /** For the {@code endpoints} module: begins to connect; never blocks. */
    public Connection connect(final WorkerAddress remote) {
        guard.enter(Operation.CREATE_ENDPOINT);
        try {
            core.requireNotClosing("connect");
            return core.connecting().connect(remote);
        } finally {
            guard.exit(Operation.CREATE_ENDPOINT);
        }
    }

    /**
     * For the {@code endpoints} module: begins to connect to whoever listens by that name; never blocks.
     *
     * @param applicationData at most {@link #maxApplicationDataBytes()}; not kept.
     * @param waitNs          how long to wait for such a listener.
     */
    public Connection connect(final String listener, final byte[] applicationData, final long waitNs) {
        if (!ListenerName.isValid(listener) || applicationData.length > maxApplicationDataBytes() || waitNs < 0) {
            throw new HeddleException(Status.INVALID_PARAM, "listener=" + listener + " must be 1 to 64 of A-Z a-z 0-9 "
                + ". _ -, applicationDataBytes=" + applicationData.length + " must be <= " + maxApplicationDataBytes()
                + ", waitNs=" + waitNs + " must be >= 0");
        }
        guard.enter(Operation.CREATE_ENDPOINT);
        try {
            core.requireNotClosing("connect");
            return core.connecting().connect(listener, applicationData, waitNs);
        } finally {
            guard.exit(Operation.CREATE_ENDPOINT);
        }
    }

    /** For the {@code endpoints} module: makes this worker known by a name. Makes system calls. */
    public NamedListener listen(final String listener, final PendingConnectionHandler handler) {
        if (!ListenerName.isValid(listener)) {
            throw new HeddleException(Status.INVALID_PARAM, "listener=" + listener
                + " must be 1 to 64 of A-Z a-z 0-9 . _ -");
        }
        return core.listeners().open(listener, Objects.requireNonNull(handler, "handler"));
    }

    /** The most that can be sent along with a connect to a listener. */
    public int maxApplicationDataBytes() {
        return TransportInterface.MAX_APPLICATION_DATA_BYTES;
    }

    /** Counts and gauges. Any thread. */
    public WorkerStatistics statistics() {
        final WorkerCounts c = core.counts();
        final Keeping keeping = core.keeping();
        final WorkerLock lock = guard.workerLock();
        return new WorkerStatistics(c.messagesSent, c.bytesSent, c.messagesReceived, c.bytesReceived, c.bytesCopied,
            c.dropped, c.postponed, c.callbacksFailed, core.waitingCount(), c.sendsRefused, core.connections().length,
            keeping.heldElements(), keeping.pools().memoryBytes(), keeping.pools().cachedBytes(),
            keeping.poolsExhausted(), keeping.poolsRefused(), c.homecomings, guard.violations(), c.protocolViolations,
            c.payloadsChanged, core.sleeper().wakeUps(),
            lock == null ? 0 : lock.contendedCount(), lock == null ? 0 : lock.handedCount(),
            lock == null ? 0 : lock.longestWaitNs());
    }

    /**
     * Name, mode, names it listens by, transports used and rejected with the reason, statistics, and one line per
     * endpoint: transport, credits, pools, what it waits for. Any thread; what changes meanwhile may be shown half
     * changed.
     */
    public String describe() {
        final StringBuilder text = new StringBuilder("worker name=").append(name).append(" threadMode=").append(mode)
            .append(" checks=")
            .append(ThreadGuard.CHECKS ? "assert" : "off").append(" listeners=").append(core.listeners().names())
            .append(" transports=").append(core.transportNames()).append(" rejected=")
            .append(context.unusedTransports()).append(' ').append(statistics())
            .append(" droppedHandlesFound=").append(core.keeping().droppedHandles()).append('\n');
        for (final Connection connection : core.connections()) {
            text.append(connection.describe()).append('\n');
        }
        return text.toString();
    }

    /** Whether it was closed. */
    public boolean isClosed() {
        return core.isClosed();
    }

    /**
     * Closes listeners and endpoints, then the worker. What the application keeps stays readable until released, and is
     * reported. Idempotent; safe against every other call; each of several closes keeps its own mode and deadline.
     *
     * <p>Returns when no callback runs any more. If one runs beyond the deadline, which is for everything together,
     * that is reported, and the worker ends when the callback returns: until then it is not {@link #isClosed()}.
     *
     * @return what this call has cut off, and what the application keeps.
     * @throws io.heddle.context.CallbackException inside a callback.
     */
    public CloseReport close(final CloseMode closeMode, final Duration deadline) {
        DispatchToken.checkThreadNotInCallback(Operation.CLOSE_WORKER);
        return new Closing(core, closeMode, deadline).closeWorker();
    }

    /** {@link #close(CloseMode, Duration)} with FLUSH and {@code heddle.close.timeout}; leaks are logged. */
    @Override
    public void close() {
        final CloseReport report = close(CloseMode.FLUSH, Duration.ofNanos(context.config().closeTimeoutNs()));
        for (final String leak : report.leaks()) {
            core.reports().warn("{} worker={}", leak, name);
        }
    }

    @Override
    public String toString() {
        return "worker " + name + " mode=" + mode;
    }
}
