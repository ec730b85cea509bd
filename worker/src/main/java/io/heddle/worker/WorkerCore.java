package io.heddle.worker;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.HeddleException;
import io.heddle.context.Leak;
import io.heddle.context.MemoryPool;
import io.heddle.context.PoolElement;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.context.UnreachableException;
import io.heddle.context.internal.DispatchToken;
import io.heddle.context.internal.Guarded;
import io.heddle.context.internal.LoggingViolationListener;
import io.heddle.context.internal.Operation;
import io.heddle.context.internal.ReturnStack;
import io.heddle.context.internal.ThreadGuard;
import io.heddle.context.internal.TokenHolder;
import io.heddle.context.spi.IncomingConnection;
import io.heddle.context.spi.InterfaceListener;
import io.heddle.context.spi.InterfaceOptions;
import io.heddle.context.spi.Lane;
import io.heddle.context.spi.Transport;
import io.heddle.context.spi.TransportInterface;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a worker is made of: guard, token, interfaces, connections, and the word in which work is visible.
 *
 * <p>Rules of this class: the transport step runs under the guard and with the token; the look runs with the token
 * alone; application code runs with the token and never under the worker lock. Longer than most, as the one place where
 * these three meet.
 */
final class WorkerCore implements InterfaceListener {
    static final int WORK_RETURNS = 1;
    static final int WORK_EVENTS = 1 << 1;
    static final int WORK_RESUME = 1 << 2;
    static final int WORK_DEFERRED = 1 << 3;
    static final int WORK_CLOSE = 1 << 4;

    private static final Logger LOGGER = LoggerFactory.getLogger(Worker.class);
    private static final int MAX_LOG_LINES = 20;
    private static final int RETURNS_PER_STEP = 1024;
    private static final int CLOCK_ROUNDS = 64;
    private static final int IDLE_CLOCK_ROUNDS = 4096;
    /** Some ten milliseconds. */
    private static final int LONG_IDLE_ROUNDS = 1 << 20;
    /** Some 10 ns each: measured best between 3 and 6, on processors near each other and far apart. */
    private static final int REST_PAUSES = 4;
    /** Memory that the system did not have may be there now, though nothing came back to this worker. */
    private static final long STALL_RETRY_NS = TimeUnit.SECONDS.toNanos(1);
    private static final VarHandle WORK;
    private static final VarHandle WAITING;
    private static final VarHandle CONNECTIONS;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            WORK = lookup.findVarHandle(WorkerCore.class, "work", int.class);
            WAITING = lookup.findVarHandle(WorkerCore.class, "waiting", Connection[].class);
            CONNECTIONS = lookup.findVarHandle(WorkerCore.class, "connections", Connection[].class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final Worker worker;
    private final Context context;
    private final String name;
    private final boolean isMulti;
    private final ThreadGuard guard;
    private final DispatchToken token;
    private final NanoClock clock;
    private final long messageMaxBytes;
    private final int sendPendingMax;
    private final TransportInterface[] interfaces;
    private final ReturnStack returns = new ReturnStack(element -> element.pool().lateReturn(element));
    private final KeptPools kept;
    private final DroppedHandles dropped;
    private final LanePoller poller = new LanePoller();
    private final DeferredQueue deferred = new DeferredQueue();
    private final WakeUp wakeUp;
    private final WorkerCounts counts = new WorkerCounts();
    private final PublishedCounts published;
    private final Dispatcher dispatcher;
    private final Sleeper sleeper;
    private final Listeners listeners;
    private final StallWatch stallWatch;
    /** Whose thread does what the worker's own must not. */
    private final Transport first;
    private final TearDown tearDown = new TearDown(this);
    private final AtomicInteger logLines = new AtomicInteger();

    /**
     * What there is to do that no lane shows. Bits are set by any thread and taken by the holder of the token, under
     * the guard.
     */
    private volatile int work;
    /**
     * Connections where somebody waits for room: changed under the guard, copied on change, so that the look may read
     * it.
     */
    private volatile Connection[] waiting = new Connection[0];
    private volatile Connection[] connections = new Connection[0];
    private volatile WorkerErrorHandler errorHandler;
    private volatile ProgressThread progressThread;
    /** Its close has begun: nothing new is made. Written under the guard. */
    private volatile boolean closing;
    private volatile boolean closed;
    /** Connections that were closed inside a callback and are flushed still. Written under the guard. */
    private volatile int lingering;
    /** Counts, on request, the moments at which no callback was running. Written with the token. */
    private volatile long quietMoments;
    private PoolElement homeChain;
    private int firstWaiting;
    private int connectionCount;
    private int rounds;
    private int idleRounds;
    /** By the clock, with the token. */
    private long stallRetryNs;
    /** Read once per so many rounds: dates what is kept, no more. */
    private volatile long coarseNs;

    @Guarded
    WorkerCore(final Worker worker, final Context context, final ThreadMode mode, final String name) {
        final ContextConfig config = context.config();
        first = context.transports().get(0);
        this.worker = worker;
        this.context = context;
        this.name = name;
        isMulti = mode == ThreadMode.MULTI;
        clock = config.nanoClock();
        coarseNs = clock.nanoTime();
        stallRetryNs = coarseNs;
        final LoggingViolationListener listener = new LoggingViolationListener(error -> tellError(null,
            Status.INVALID_PARAM, error));
        guard = new ThreadGuard(name, mode, clock, listener, config.isLockBiased());
        token = new DispatchToken(name, config.isLockBiased());
        listeners = new Listeners(this, guard);
        messageMaxBytes = config.messageMaxBytes();
        sendPendingMax = config.sendPendingMax();
        kept = new KeptPools(this, config, () -> coarseNs);
        dropped = DroppedHandles.of(this, config);
        published = new PublishedCounts(context.counters().newWorkerCounters(name), config.poolLimitBytes());
        dispatcher = new Dispatcher(this, kept, poller, counts);
        final WakeChannel wakeChannel = new WakeChannel(name, task -> first.execute(task, 0));
        wakeUp = new WakeUp(wakeChannel::ring);
        sleeper = new Sleeper(this, wakeChannel, wakeUp, config.isWakeupEnabled());
        stallWatch = new StallWatch(this, first, config.epochClock());
        interfaces = openInterfaces();
    }

    /** All or none. */
    @Guarded
    private TransportInterface[] openInterfaces() {
        final List<TransportInterface> opened = new ArrayList<>();
        try {
            for (final Transport transport : context.transports()) {
                opened.add(transport.openInterface(new InterfaceOptions(ThreadLocalRandom.current().nextLong(), name,
                    this, returns, this::postEvents), this));
            }
            return opened.toArray(new TransportInterface[0]);
        } catch (final RuntimeException ex) {
            opened.forEach(each -> closeQuietly(each::close, ex));
            closeQuietly(published::close, ex);
            throw ex;
        }
    }

    private static void closeQuietly(final Runnable close, final RuntimeException cause) {
        try {
            close.run();
        } catch (final RuntimeException ex) {
            cause.addSuppressed(ex);
        }
    }

    Worker worker() {
        return worker;
    }

    String name() {
        return name;
    }

    ThreadGuard guard() {
        return guard;
    }

    DispatchToken token() {
        return token;
    }

    Listeners listeners() {
        return listeners;
    }

    Sleeper sleeper() {
        return sleeper;
    }

    Dispatcher dispatcher() {
        return dispatcher;
    }

    WorkerCounts counts() {
        return counts;
    }

    TransportInterface[] interfaces() {
        return interfaces;
    }

    /** In the order of preference. */
    List<String> transportNames() {
        return Arrays.stream(interfaces).map(each -> each.transport().name()).toList();
    }

    long messageMaxBytes() {
        return messageMaxBytes;
    }

    int sendPendingMax() {
        return sendPendingMax;
    }

    boolean isMulti() {
        return isMulti;
    }

    boolean isClosed() {
        return closed;
    }

    long nanoTime() {
        return clock.nanoTime();
    }

    /** The time of a few rounds ago, for which nobody's clock is asked. */
    long coarseNs() {
        return coarseNs;
    }

    void progressThread(final ProgressThread progress) {
        progressThread = progress;
    }

    /** Null if there is none. */
    ProgressThread progressThread() {
        return progressThread;
    }

    TearDown tearDown() {
        return tearDown;
    }

    // ---- from any thread

    /**
     * Makes work visible and wakes a sleeper. The work itself was published before, by a full fence or a volatile
     * store.
     */
    void post(final int bit) {
        if ((work & bit) != bit) {
            WORK.getAndBitwiseOr(this, bit); // Full fence; partner: takeWork().
        }
        wakeUp.wake();
    }

    private void postEvents() {
        post(WORK_EVENTS);
        stallWatch.begin();
    }

    /** An element's last reference was let go. Exempt from the guard: a push onto a heap-side stack. */
    void cameHome(final PoolElement element) {
        if (returns.push(element)) {
            post(WORK_RETURNS);
        }
    }

    // ---- the round

    /** One round, guarded as part of the operation; what a MULTI worker locks, it locks inside. */
    int progress(final Operation operation) {
        if (isMulti) {
            return round();
        }
        guard.enter(operation);
        try {
            return round();
        } finally {
            guard.exit(operation);
        }
    }

    /** One round of progress; the guard is entered already unless this worker is MULTI. How much was done. */
    int round() {
        if (!token.tryAcquire(Operation.PROGRESS)) {
            return 0;
        }
        try {
            if (closed) {
                return 0;
            }
            if (dispatcher.isAnswerExpected()) {
                return stepAndRest();
            }
            final Connection found = poller.look();
            return found != null || hasOtherWork() ? stepAndDispatch(found) : idle();
        } catch (final InternalError ex) {
            return findLostMemory(ex);
        } finally {
            token.release();
        }
    }

    /**
     * A fault in mapped memory is thrown by compiled code a little later than it happens, so it may come past the lane
     * that would have caught it: every lane is asked, and if one has lost its memory, that was it.
     */
    private int findLostMemory(final InternalError error) {
        int lost = 0;
        if (isMulti) {
            guard.enter(Operation.PROGRESS);
        }
        try {
            for (final Connection connection : connections) {
                lost += connection.lane().endIfMemoryLost() ? 1 : 0;
            }
        } finally {
            if (isMulti) {
                guard.exit(Operation.PROGRESS);
            }
        }
        if (lost == 0) {
            throw error;
        }
        return lost;
    }

    /** Whether there is anything to do besides what lanes have received, without the lock. */
    @TokenHolder
    private boolean hasOtherWork() {
        return work != 0 || dispatcher.isRetirePending() || mayGoOn() || isLingerOver();
    }

    /** Whether there is anything to do at all, at any lane; before sleeping. */
    @TokenHolder
    boolean lookAtAll() {
        return hasOtherWork() || poller.lookAtAll();
    }

    /** Whether any lane has received something. */
    @TokenHolder
    boolean hasReceived() {
        return poller.lookAtAll();
    }

    /** Whether a transport has something to tell. */
    @TokenHolder
    boolean hasEvents() {
        for (final TransportInterface each : interfaces) {
            if (each.hasEvents()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a pending send, or who asked to be told, may have room. */
    @TokenHolder
    private boolean mayGoOn() {
        for (final Connection connection : waiting) {
            if (connection.mayGoOn()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a connection that was closed inside a callback has been flushed for long enough; then it is work. */
    private boolean isLingerOver() {
        if (lingering == 0) {
            return false;
        }
        final long nowNs = System.nanoTime();
        for (final Connection connection : connections) {
            if (connection.isLingerOver(nowNs)) {
                post(WORK_CLOSE);
                return true;
            }
        }
        return false;
    }

    /** Everything but the lanes, and a moment's rest: nothing can have come yet, and looking would be in the way. */
    private int stepAndRest() {
        final int done = stepAndDispatch(null);
        for (int i = 0; i < REST_PAUSES; i++) {
            Thread.onSpinWait();
        }
        return done;
    }

    private int stepAndDispatch(final Connection found) {
        if ((++rounds & CLOCK_ROUNDS - 1) == 0 || (work & WORK_EVENTS) != 0) {
            coarseNs = clock.nanoTime(); // the application's clock: not under the lock
            retryStalled();
            isLingerOver();
        }
        int done;
        if (isMulti) {
            guard.enter(Operation.PROGRESS);
        }
        try {
            done = step(found);
        } finally {
            if (isMulti) {
                guard.exit(Operation.PROGRESS);
            }
        }
        done += dispatcher.dispatch(deferredTaken);
        if (tearDown.isWanted()) {
            tearDown.run();
            return done;
        }
        sleeper.worked();
        return done;
    }

    private int deferredTaken;

    /** The transport step: everything that changes lanes, pools and worker state. */
    @Guarded
    private int step(final Connection found) {
        if ((rounds & CLOCK_ROUNDS - 1) == 0) {
            published.publish(this);
        }
        idleRounds = 0;
        dispatcher.retire();
        int done = 0;
        if (work != 0) {
            done = takeWork();
        }
        dispatcher.collect(found);
        if (waiting.length != 0) {
            done += advanceWaiting();
        }
        deferredTaken = deferred.isEmpty() ? 0 : deferred.take();
        return done;
    }

    @Guarded
    private int takeWork() {
        // Full fence before what was posted is looked at; partner: post().
        final int bits = (int) WORK.getAndSet(this, 0);
        boolean isWhole = false;
        try {
            final int done = doWork(bits);
            isWhole = true;
            return done;
        } finally {
            if (!isWhole) {
                post(bits); // what was not come to is not forgotten
            }
        }
    }

    @Guarded
    private int doWork(final int bits) {
        int done = 0;
        if ((bits & WORK_RETURNS) != 0) {
            done += takeReturns();
        }
        if ((bits & WORK_EVENTS) != 0) {
            for (final TransportInterface each : interfaces) {
                done += each.step(coarseNs);
                if (each.hasEvents()) {
                    post(WORK_EVENTS);
                }
            }
        }
        if ((bits & WORK_RESUME) != 0) {
            done += dispatcher.resume();
        }
        if ((bits & WORK_CLOSE) != 0) {
            closeRequested();
        }
        return done;
    }

    @Guarded
    private int takeReturns() {
        PoolElement element = homeChain != null ? homeChain : returns.drain();
        int taken = 0;
        while (element != null && taken < RETURNS_PER_STEP) {
            final PoolElement next = element.unlink();
            homeChain = next; // before anything that may throw
            element.reclaim();
            recycle(element);
            element = next;
            taken++;
        }
        if (element != null || !returns.isEmpty()) {
            post(WORK_RETURNS);
        }
        counts.homecomings += taken;
        return taken;
    }

    /** A TAKEN element goes where it came from. */
    @Guarded
    private void recycle(final PoolElement element) {
        if (element.lane() instanceof Lane lane) {
            lane.recycle(element);
            dispatcher.roomMade(lane);
        } else {
            kept.put(element);
            dispatcher.messageRoomMade();
        }
    }

    /** Sends what waits, one connection after the other, a different one first each time. */
    @Guarded
    private int advanceWaiting() {
        final Connection[] now = waiting;
        int done = 0;
        firstWaiting = firstWaiting + 1 < now.length ? firstWaiting + 1 : 0;
        for (int i = 0; i < now.length; i++) {
            final int index = firstWaiting + i;
            final Connection connection = now[index < now.length ? index : index - now.length];
            if (connection.mayGoOn() || connection.isContent()) {
                if (connection.advance()) {
                    removeWaiting(connection);
                    if (connection.isLingering()) {
                        post(WORK_CLOSE);
                    }
                }
                done++;
                dispatcher.published(connection.lane());
            }
        }
        return done;
    }

    /** Nothing to do: now is the time for the clock and the counters, once after work and now and then. */
    private int idle() {
        final int idle = ++idleRounds;
        if (idle == CLOCK_ROUNDS) {
            published.publish(this);
        } else if (idle == LONG_IDLE_ROUNDS) {
            published.publishPools(this); // allocates a little
        } else if ((idle & IDLE_CLOCK_ROUNDS - 1) == 0) {
            coarseNs = clock.nanoTime();
            retryStalled();
        }
        return 0;
    }

    /** Lets those that wait for memory try again, once in a while. */
    @TokenHolder
    private void retryStalled() {
        if (dispatcher.hasPaused() && coarseNs - stallRetryNs >= STALL_RETRY_NS) {
            stallRetryNs = coarseNs;
            dispatcher.messageRoomMade();
        }
    }

    /** Whether there is something that only a look finds, at its time: for a sleeper that does not look. */
    @TokenHolder
    boolean hasTimed() {
        return lingering != 0 || dispatcher.hasStalled();
    }

    /** As {@link #lookAtAll()}, in the middle of a long sleep. */
    @TokenHolder
    boolean lookWhileAsleep() {
        if (dispatcher.hasPaused()) {
            coarseNs = clock.nanoTime();
            retryStalled();
        }
        return lookAtAll();
    }

    // ---- InterfaceListener, within the step

    @Override
    @Guarded
    public void onAccepted(final Lane lane, final String peer) {
        final Connection connection = new Connection(this, lane, Map.of());
        connection.accepted(peer);
        addConnection(connection);
        poller.add(connection);
    }

    @Override
    @Guarded
    public void onConnectionRequest(final IncomingConnection request) {
        final Deferred arrival = listeners.arrived(request);
        if (arrival != null) {
            deferred.add(arrival);
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
        final Connection connection = (Connection) lane.attachment();
        if (!connection.isDisposed()) {
            if (status == Status.PROTOCOL_VIOLATION) {
                counts.protocolViolations++;
            }
            connection.gone(status, reason);
            removeWaiting(connection);
            if (connection.isLingering()) {
                post(WORK_CLOSE); // nothing is left to be flushed
            }
            if (connection.pollIndex < 0) {
                poller.add(connection);
            } else {
                poller.activate(connection);
            }
        }
    }

    @Override
    @Guarded
    public void onDrained(final Lane lane) {
        final Connection connection = (Connection) lane.attachment();
        dropHalf(connection);
        if (!connection.isDisposed() && !connection.isClosed() && !connection.isSilenced()) {
            deferred.add(new PeerGone(connection));
        }
    }

    // ---- connections, under the guard

    @Guarded
    Connection connect(final WorkerAddress address) {
        final Map<String, String> refusals = new LinkedHashMap<>();
        for (final TransportInterface each : interfaces) {
            final byte[] remote = address.of(each.transport().name());
            final String refusal = remote == null ? "the peer does not use it"
                : each.transport().unreachableReason(remote);
            if (refusal == null) {
                return connection(each.connect(remote), refusals);
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
        for (final TransportInterface each : interfaces) {
            if (each.transport().capabilities().hasListeners()) {
                return connection(each.connect(listener, applicationData, waitNs), refusals);
            }
            refusals.put(each.transport().name(), "it has no listeners");
        }
        refusals.putAll(context.unusedTransports());
        throw new HeddleException(Status.UNSUPPORTED, "no transport of this worker has listeners: worker=" + name
            + " listener=" + listener + " rejected=" + refusals);
    }

    /** The application said yes to a peer. */
    @Guarded
    Connection accepted(final IncomingConnection request) {
        return connection(request.accept(), Map.of());
    }

    /** @param rejected the transports that were asked before, each with its reason. */
    @Guarded
    private Connection connection(final Lane lane, final Map<String, String> rejected) {
        final Connection connection = new Connection(this, lane, rejected);
        addConnection(connection);
        return connection;
    }

    @Guarded
    int nextNumber() {
        return connectionCount++ & Integer.MAX_VALUE;
    }

    @Guarded
    private void addConnection(final Connection connection) {
        add(CONNECTIONS, connection);
    }

    Connection[] connections() {
        return connections;
    }

    @Guarded
    void addWaiting(final Connection connection) {
        add(WAITING, connection);
        wakeUp.wake(); // who sleeps has asked its peers for no signal when there is room
    }

    @Guarded
    void removeWaiting(final Connection connection) {
        remove(WAITING, connection);
    }

    /**
     * Compare-and-set, though the guard orders these: where thread modes are not checked, calls that overlap against
     * the rule lose no connection. Partner: those who read the lists without the guard.
     */
    private void add(final VarHandle list, final Connection connection) {
        Connection[] now;
        do {
            now = (Connection[]) list.getVolatile(this);
        } while (!list.compareAndSet(this, now, with(now, connection)));
    }

    /** As {@link #add}. */
    private void remove(final VarHandle list, final Connection connection) {
        Connection[] now;
        Connection[] less;
        do {
            now = (Connection[]) list.getVolatile(this);
            less = without(now, connection);
        } while (less != now && !list.compareAndSet(this, now, less));
    }

    private static Connection[] with(final Connection[] array, final Connection connection) {
        final Connection[] more = Arrays.copyOf(array, array.length + 1);
        more[array.length] = connection;
        return more;
    }

    private static Connection[] without(final Connection[] array, final Connection connection) {
        for (int i = 0; i < array.length; i++) {
            if (array[i] == connection) {
                final Connection[] less = new Connection[array.length - 1];
                System.arraycopy(array, 0, less, 0, i);
                System.arraycopy(array, i + 1, less, i, less.length - i);
                return less;
            }
        }
        return array;
    }

    // ---- keeping

    ReceivedData newHandle() {
        return dropped == null ? new ReceivedData() : dropped.newHandle();
    }

    /** Handles that were dropped without release, and found. */
    long droppedHandles() {
        return dropped == null ? 0 : dropped.found();
    }

    @Guarded
    void keep(final Connection connection, final PoolElement element, final long address, final int bytes,
        final ReceivedData mine) {
        if (element != null && isWorthKeeping(element, bytes)
            && (!(element.lane() instanceof Lane lane) || lane.keepsInPlace(element))) {
            element.retain(element.generation());
            mine.hold(element, address, bytes);
            return;
        }
        final PoolElement copy = kept.takeCopy(connection, bytes);
        UnsafeApi.copyMemory(address, copy.address(), bytes);
        copy.hold();
        counts.bytesCopied += bytes;
        mine.hold(copy, copy.address(), bytes);
    }

    /** At most half of the element's memory would be wasted: always so with a message over 64 KiB. */
    private static boolean isWorthKeeping(final PoolElement element, final int bytes) {
        return element.capacityBytes() <= 2L * bytes;
    }

    /** Memory for a long message, HELD once; null while the budget does not allow it. By the dispatcher. */
    PoolElement takeMessage(final Connection connection, final int bytes) {
        guard.enter(Operation.RETAIN);
        try {
            final PoolElement element = kept.takeMessage(connection, bytes);
            if (element != null) {
                element.hold();
            }
            return element;
        } finally {
            guard.exit(Operation.RETAIN);
        }
    }

    /** The dispatcher has delivered a long message: its memory goes back unless somebody keeps it. */
    void dropMessage(final PoolElement element) {
        if (element.release(element.generation())) {
            guard.enter(Operation.RELEASE);
            try {
                element.reclaim();
                kept.put(element);
                dispatcher.messageRoomMade();
            } finally {
                guard.exit(Operation.RELEASE);
            }
        }
    }

    /**
     * The peer broke the protocol above the transport: its connection ends, and its lane is not looked at any more. As
     * after every failure the connection, and the memory of its lane, are the application's until it closes them. By
     * the dispatcher.
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

    /** A lane threw: nothing of it is looked at any more, and no other lane is the worse for it. Token and guard. */
    @Guarded
    void broken(final Connection connection, final Throwable cause) {
        poller.remove(connection);
        silence(connection, Status.IO_ERROR, "the lane cannot be read: " + cause);
    }

    @Guarded
    private void silence(final Connection connection, final Status status, final String reason) {
        if (!connection.isFailed()) {
            connection.gone(status, reason);
            connection.silence();
            removeWaiting(connection);
            connection.lane().finish(); // the peer's own sends must not wait for ever
            deferred.add(new PeerGone(connection));
            post(connection.isLingering() ? WORK_DEFERRED | WORK_CLOSE : WORK_DEFERRED);
        }
    }

    /** Somebody wants to know of an end that came before. Any thread. */
    void tellEndLater(final Connection connection) {
        deferred.add(new Told(connection, connection::tellEnd));
        post(WORK_DEFERRED);
    }

    // ---- outcomes

    void countSent(final int bytes) {
        counts.messagesSent++;
        counts.bytesSent += bytes;
    }

    void countRefusedSend() {
        counts.sendsRefused++;
    }

    /** An operation is done: its handler, if any, is told by the next dispatch. */
    @Guarded
    void finish(final Request request, final Status status) {
        if (request.complete(status)) {
            deferred.add(new Completion(request));
            post(WORK_DEFERRED);
        } else {
            wakeUp.wake();
        }
    }

    /** As {@link #finish}, for a request whose parts are told of by the dispatcher. */
    void finishFromCallback(final Request request, final Status status) {
        guard.enter(Operation.FLUSH);
        try {
            finish(request, status);
        } finally {
            guard.exit(Operation.FLUSH);
        }
    }

    boolean cancel(final Request request) {
        guard.enter(Operation.CANCEL);
        try {
            final PendingOperation operation = request.operation();
            return operation != null && operation.connection().cancel(operation);
        } finally {
            guard.exit(Operation.CANCEL);
        }
    }

    @Guarded
    void payloadChanged(final Connection connection, final int id, final int bytes) {
        counts.payloadsChanged++;
        // The logger is not to run under the lock.
        defer(new Told(connection, () -> warn("payload of a pending send was changed before it went out: worker={} {} "
            + "id={} lengthBytes={}; it belongs to the send until its request is done", name, connection, id, bytes)));
    }

    @Guarded
    void tellErrorLater(final Connection connection, final Status status, final Throwable error) {
        defer(new Told(connection, () -> tellError(connection, status, error)));
    }

    /** The peer has part of a message whose rest cannot be had: it is told the end instead. */
    @Guarded
    void endMidway(final Connection connection, final String reason) {
        connection.lane().finish();
        silence(connection, Status.CANCELED, reason);
    }

    void errorHandler(final WorkerErrorHandler handler) {
        errorHandler = handler;
    }

    /** Tells the application's error handler, or logs. Never under the worker lock; never throws. */
    void tellError(final Connection connection, final Status status, final Throwable error) {
        final WorkerErrorHandler handler = errorHandler;
        if (handler == null) {
            if (!(error instanceof io.heddle.context.ThreadModeViolation)) {
                warn("unhandled error: worker={} {} status={}", name, connection == null ? "" : connection, status,
                    error);
            }
            return;
        }
        try {
            handler.onError(worker, connection, status, error);
        } catch (final Throwable second) {
            warn("the error handler itself threw: worker={}", name, second);
        }
    }

    /** Nobody is told of the end, unless by what was sent. The handler may be set a moment late: no more than news. */
    private void notConnected(final Connection connection) {
        if (logLines.incrementAndGet() <= MAX_LOG_LINES) {
            LOGGER.info("not connected, and no error handler: worker={} status={} {}", name, connection.status(),
                connection.failure());
        }
    }

    void warn(final String format, final Object... arguments) {
        if (logLines.incrementAndGet() <= MAX_LOG_LINES) {
            LOGGER.warn(format, arguments);
        }
    }

    // ---- waiting

    /** Progresses until the condition holds or the time is over; leaves it to another thread where one progresses. */
    boolean awaitProgress(final java.util.function.BooleanSupplier condition, final long timeoutNs,
        final Operation operation) {
        DispatchToken.checkThreadNotInCallback(operation);
        return sleeper.awaitProgress(condition, timeoutNs, operation);
    }

    // ---- the end

    CloseReport close(final Connection connection, final CloseMode mode, final Duration timeout) {
        return new Closing(this, mode, timeout).close(connection);
    }

    /** The worker's close has begun. */
    @Guarded
    void closing() {
        closing = true;
    }

    /** A connection is flushed by later rounds before it is disposed of. */
    @Guarded
    void linger(final Connection connection, final long endNs) {
        if (!connection.isLingering()) {
            lingering++;
        }
        connection.linger(endNs);
    }

    /** Under the guard and with the token: connections that whoever closed them could not dispose of. */
    @Guarded
    private void closeRequested() {
        quietMoments++; // Partner: awaitQuiet().
        final long nowNs = System.nanoTime();
        for (final Connection connection : connections) {
            if (connection.isToBeDisposed(nowNs)) {
                dispose(connection);
            }
        }
    }

    /**
     * Waits until no callback runs that began before this call. Outside of a callback.
     *
     * @return false if the deadline, on the scale of {@code System.nanoTime()}, has passed.
     */
    boolean awaitQuiet(final long deadlineNs) {
        // Volatile, after whatever callbacks must not be seen by any more; partner: closeRequested().
        final long seen = quietMoments;
        while (!token.tryAcquire()) {
            if (quietMoments != seen) {
                return true;
            }
            if (System.nanoTime() - deadlineNs >= 0) {
                return false;
            }
            post(WORK_CLOSE); // a dispatcher that takes the token again and again lets nobody else have it
            token.awaitRelease(deadlineNs);
        }
        token.release();
        return true;
    }

    /** Under the guard and with the token, no batch in dispatch: says goodbye and drops every reference to the lane. */
    @Guarded
    void dispose(final Connection connection) {
        if (!connection.markDisposed()) {
            return;
        }
        if (connection.isLingering()) {
            lingering--;
        }
        connection.refuseSends(Status.CANCELED);
        dispatcher.forget(connection);
        remove(CONNECTIONS, connection);
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
            kept.put(half);
        }
    }

    /** Under the guard and with the token: after every connection was disposed of. What the application keeps. */
    @Guarded
    List<Leak> closeInterfaces() {
        closed = true;
        do {
            takeReturns();
        } while (homeChain != null);
        PoolElement last = returns.close();
        while (last != null) {
            final PoolElement next = last.unlink();
            last.reclaim();
            recycle(last);
            last = next;
        }
        final List<Leak> leaks = new ArrayList<>();
        for (final TransportInterface each : interfaces) {
            leaks.addAll(each.close());
        }
        leaks.addAll(kept.close());
        published.publishPools(this);
        published.close();
        context.unregister(worker.dependent());
        sleeper.end();
        return leaks;
    }

    /** Tells what was left to tell. With the token, not under the lock. */
    void tellDeferred() {
        int count;
        guard.enter(Operation.CLOSE_WORKER);
        try {
            count = deferred.take();
        } finally {
            guard.exit(Operation.CLOSE_WORKER);
        }
        dispatcher.tell(count);
    }

    Deferred deferredTaken(final int index) {
        return deferred.taken(index);
    }

    @Guarded
    void defer(final Deferred each) {
        deferred.add(each);
        post(WORK_DEFERRED);
    }

    // ---- gauges, any thread

    long heldElements() {
        long sum = kept.inUse();
        for (final TransportInterface each : interfaces) {
            sum += each.heldElements();
        }
        return sum;
    }

    long poolsExhausted() {
        long sum = kept.exhausted();
        for (final TransportInterface each : interfaces) {
            for (final MemoryPool pool : each.pools()) {
                sum += pool.exhausted();
            }
        }
        return sum;
    }

    long poolsRefused() {
        long sum = kept.refused();
        for (final TransportInterface each : interfaces) {
            for (final MemoryPool pool : each.pools()) {
                sum += pool.refused();
            }
        }
        return sum;
    }

    KeptPools kept() {
        return kept;
    }

    /** Has it run by the transport's thread. Any thread; never blocks. */
    void executeLater(final Runnable task, final long delayNs) {
        first.execute(task, delayNs);
    }

    /** What there is to do that no lane shows: bits. */
    int work() {
        return work;
    }

    /** Another number after every round of progress. Counted plainly: other threads see it a little late. */
    long progressMark() {
        return (long) rounds << 32 | idleRounds;
    }

    int waitingCount() {
        return waiting.length;
    }

    /** For what makes something new. */
    void requireNotClosing(final String operation) {
        if (closing) {
            throw new io.heddle.context.ClosedException("worker " + name, operation);
        }
    }

    void requireOpen(final String operation) {
        if (closed) {
            throw new io.heddle.context.ClosedException("worker " + name, operation);
        }
    }

    /** The peer is gone and everything it had sent was delivered. */
    private record PeerGone(Connection connection) implements Deferred {
        @Override
        public void tell() {
            final ConnectionErrorHandler handler = connection.errorHandler();
            connection.tellEnd();
            if (handler == null && !connection.wasOpened() && !connection.isClosing()) {
                connection.core().notConnected(connection);
            }
            if (handler == null && connection.isAccepted() && connection.wrapper() == null) {
                // The peer connected and went, and the application never had an endpoint that it could close.
                connection.close(CloseMode.FORCE, Duration.ZERO);
            }
        }
    }

    /** Something for the log or the error handler. */
    private record Told(Connection connection, Runnable text) implements Deferred {
        @Override
        public void tell() {
            text.run();
        }
    }

    /** A request with a handler is done. */
    private record Completion(Request request) implements Deferred {
        @Override
        public void tell() {
            request.handler().onComplete(request, request.status());
        }

        @Override
        public Connection connection() {
            return null;
        }
    }

}
