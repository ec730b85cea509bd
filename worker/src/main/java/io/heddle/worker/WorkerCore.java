package io.heddle.worker;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.Leak;
import io.heddle.context.PoolElement;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.context.internal.DispatchToken;
import io.heddle.context.internal.Guarded;
import io.heddle.context.internal.LoggingViolationListener;
import io.heddle.context.internal.Operation;
import io.heddle.context.internal.ReturnStack;
import io.heddle.context.internal.ThreadGuard;
import io.heddle.context.internal.TokenHolder;
import io.heddle.context.spi.InterfaceOptions;
import io.heddle.context.spi.Transport;
import io.heddle.context.spi.TransportInterface;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.agrona.concurrent.NanoClock;

/**
 * What a worker is made of: guard, token, interfaces, connections, and the word in which work is visible.
 *
 * <p>Rules of this class: the transport step runs under the guard and with the token; the look runs with the token
 * alone; application code runs with the token and never under the worker lock. Longer than most, as the one place where
 * these three meet.
 */
final class WorkerCore {
    static final int WORK_RETURNS = 1;
    static final int WORK_EVENTS = 1 << 1;
    static final int WORK_RESUME = 1 << 2;
    static final int WORK_DEFERRED = 1 << 3;
    static final int WORK_CLOSE = 1 << 4;

    private static final int CLOCK_ROUNDS = 64;
    private static final int IDLE_CLOCK_ROUNDS = 4096;
    /** Some ten milliseconds. */
    private static final int LONG_IDLE_ROUNDS = 1 << 20;
    /** Some 10 ns each: measured best between 3 and 6, on processors near each other and far apart. */
    private static final int REST_PAUSES = 4;
    private static final VarHandle WORK;
    private static final VarHandle WAITING;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            WORK = lookup.findVarHandle(WorkerCore.class, "work", int.class);
            WAITING = lookup.findVarHandle(WorkerCore.class, "waiting", Connection[].class);
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
    private final Keeping keeping;
    private final LanePoller poller = new LanePoller();
    private final DeferredQueue deferred = new DeferredQueue();
    private final WakeUp wakeUp;
    private final WorkerCounts counts = new WorkerCounts();
    private final PublishedCounts published;
    private final Dispatcher dispatcher;
    private final Homecoming homecoming;
    private final TimedWork timed;
    private final Connecting connecting;
    private final Ending ending;
    private final Outcomes outcomes;
    private final QuietMoments quietMoments;
    private final Sleeper sleeper;
    private final Listeners listeners;
    private final StallWatch stallWatch;
    /** Whose thread does what the worker's own must not. */
    private final Transport first;
    private final TearDown tearDown = new TearDown(this);
    private final Reports reports;

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
    private volatile ProgressThread progressThread;
    /** Its close has begun: nothing new is made. Written under the guard. */
    private volatile boolean closing;
    private volatile boolean closed;
    private int firstWaiting;
    private int rounds;
    private int idleRounds;
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
        reports = new Reports(this);
        final LoggingViolationListener listener = new LoggingViolationListener(error -> reports.error(null,
            Status.INVALID_PARAM, error));
        guard = new ThreadGuard(name, mode, clock, listener, config.isLockBiased());
        token = new DispatchToken(name, config.isLockBiased());
        listeners = new Listeners(this, guard);
        messageMaxBytes = config.messageMaxBytes();
        sendPendingMax = config.sendPendingMax();
        final KeptPools kept = new KeptPools(this, config, () -> coarseNs);
        keeping = new Keeping(this, config, kept);
        published = new PublishedCounts(context.counters().newWorkerCounters(name), config.poolLimitBytes());
        dispatcher = new Dispatcher(this, kept, poller, counts);
        homecoming = new Homecoming(this, returns, dispatcher);
        timed = new TimedWork(this, dispatcher, coarseNs);
        connecting = new Connecting(this, context, poller);
        ending = new Ending(this, poller, dispatcher, timed);
        outcomes = new Outcomes(this);
        quietMoments = new QuietMoments(this);
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
                    this, returns, this::postEvents), connecting));
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

    TimedWork timed() {
        return timed;
    }

    Connecting connecting() {
        return connecting;
    }

    /** All there are; any thread. */
    Connection[] connections() {
        return connecting.all();
    }

    Ending ending() {
        return ending;
    }

    Outcomes outcomes() {
        return outcomes;
    }

    QuietMoments quietMoments() {
        return quietMoments;
    }

    Keeping keeping() {
        return keeping;
    }

    Reports reports() {
        return reports;
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

    /** Wakes a sleeper: there is something to see that is no work. */
    void wake() {
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
            for (final Connection connection : connecting.all()) {
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
        return work != 0 || dispatcher.isRetirePending() || mayGoOn();
    }

    /** Whether there is anything to do at all, at any lane; before sleeping. */
    @TokenHolder
    boolean lookAtAll() {
        return hasOtherWork() || timed.isLingerOver() || poller.lookAtAll();
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
            timed.post(coarseNs);
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
            done += homecoming.take();
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
            quietMoments.pass();
            ending.disposeOfClosed();
        }
        return done;
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
            if (connection.mayGoOn() || connection.waits().isContent()) {
                if (connection.waits().advance()) {
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
        } else if ((idle & IDLE_CLOCK_ROUNDS - 1) == 0 || timed.hasLingering()) {
            coarseNs = clock.nanoTime();
            timed.post(coarseNs); // the next round does it
        }
        return 0;
    }

    /** As {@link #lookAtAll()}, in the middle of a long sleep. */
    @TokenHolder
    boolean lookWhileAsleep() {
        if (timed.isPending()) {
            coarseNs = clock.nanoTime();
            timed.post(coarseNs);
        }
        return lookAtAll();
    }

    // ---- who waits for room, under the guard

    @Guarded
    void addWaiting(final Connection connection) {
        ConnectionLists.add(WAITING, this, connection);
        wakeUp.wake(); // who sleeps has asked its peers for no signal when there is room
    }

    @Guarded
    void removeWaiting(final Connection connection) {
        ConnectionLists.remove(WAITING, this, connection);
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

    /** Under the guard and with the token: after every connection was disposed of. What the application keeps. */
    @Guarded
    List<Leak> closeInterfaces() {
        closed = true;
        homecoming.close();
        final List<Leak> leaks = new ArrayList<>();
        for (final TransportInterface each : interfaces) {
            leaks.addAll(each.close());
        }
        leaks.addAll(keeping.pools().close());
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

    /** Has something told by the next dispatch. Any thread. */
    void defer(final Deferred each) {
        deferred.add(each);
        post(WORK_DEFERRED);
    }

    /** As {@link #defer}, within the step, at whose end it is taken. */
    @Guarded
    void deferInStep(final Deferred each) {
        deferred.add(each);
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
}
