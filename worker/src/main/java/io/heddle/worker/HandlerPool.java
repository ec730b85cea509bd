package io.heddle.worker;

import io.heddle.context.CallbackException;
import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.ClosedException;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.context.internal.DispatchToken;
import io.heddle.context.internal.Operation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that handle messages beside the progress thread, over LMAX Disruptor rings: the progressing thread keeps each
 * message and passes it on by try; where a ring is full it postpones, and the message's connection goes on when half of
 * the ring is free again. Handlers read in place; nothing is allocated per message.
 *
 * <p>Register {@link #asHandler()} for the ids to be handled. Thread safe.
 */
public final class HandlerPool implements AutoCloseable {
    private static final long SPIN_NS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long YIELD_NS = TimeUnit.MICROSECONDS.toNanos(80);
    private static final long POLL_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private final Worker worker;
    private final HandlerLane[] lanes;
    private final boolean isOrdered;
    private int nextLane;
    private volatile boolean closed;

    private HandlerPool(final Builder options) {
        worker = options.worker;
        isOrdered = options.isOrdered;
        lanes = new HandlerLane[options.handlers];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new HandlerLane(worker.core(), options, i, new ParkingWait(SPIN_NS, SPIN_NS + YIELD_NS));
        }
        for (final HandlerLane lane : lanes) {
            lane.start();
        }
    }

    /** Begins to describe a pool for a worker. */
    public static Builder builder(final Worker worker) {
        return new Builder(worker);
    }

    /** Passes messages on to this pool; the same object may be registered for several ids. */
    public ActiveMessageHandler asHandler() {
        return this::onMessage;
    }

    private void onMessage(final ActiveMessage message) {
        if (closed) {
            throw new ClosedException("handler pool of worker " + worker.name(), "onMessage");
        }
        try {
            passOn(message);
        } catch (final HeddleException ex) {
            if (ex.status() != Status.NO_MEMORY) {
                throw ex;
            }
            message.postpone(); // what is kept has reached its limit: goes on when some of it is let go
            message.connection().stalled(true);
        }
    }

    private void passOn(final ActiveMessage message) {
        final int count = lanes.length;
        if (isOrdered) {
            final HandlerLane lane = lanes[message.connection().number() % count];
            if (!lane.offer(message)) {
                message.postpone();
                lane.stall(message.connection());
            }
            return;
        }
        for (int tries = 0; tries < count; tries++) {
            nextLane = nextLane + 1 < count ? nextLane + 1 : 0;
            if (lanes[nextLane].offer(message)) {
                return;
            }
        }
        message.postpone();
        for (final HandlerLane lane : lanes) {
            lane.stall(message.connection()); // whichever has room first
        }
    }

    /** Messages handled so far. Any thread; a little late. */
    public long handled() {
        long sum = 0;
        for (final HandlerLane lane : lanes) {
            sum += lane.handled();
        }
        return sum;
    }

    /** {@link #close(CloseMode, Duration)} with FLUSH and {@code heddle.close.timeout}; what is late is logged. */
    @Override
    public void close() {
        final long timeoutNs = worker.context().config().closeTimeoutNs();
        if (close(CloseMode.FLUSH, Duration.ofNanos(timeoutNs)).isTimedOut()) {
            worker.core().reports().warn("handler pool has cut off what it had or has not ended yet: worker={} "
                + "heddle.close.timeout={}ns", worker.name(), timeoutNs);
        }
    }

    /**
     * Takes no more messages, with FLUSH waits until what it has is handled, then ends the threads; what is left is let
     * go unhandled. Idempotent. A handler that does not return in time ends its thread when it returns.
     *
     * @return as cut requests and bytes, the messages that were left; those of a thread that ends late are told by a
     *     later close.
     * @throws CallbackException inside a callback, and by a handler of this pool.
     */
    public CloseReport close(final CloseMode mode, final Duration deadline) {
        DispatchToken.checkThreadNotInCallback(Operation.CLOSE_HANDLER_POOL); // before anything is changed
        for (final HandlerLane lane : lanes) {
            if (lane.thread() == Thread.currentThread()) {
                throw new CallbackException(Operation.CLOSE_HANDLER_POOL.toString(), worker.name());
            }
        }
        closed = true;
        final long startNs = System.nanoTime();
        final long timeoutNs = TimeUnit.NANOSECONDS.convert(deadline);
        // A dispatcher that has seen the pool open may be about to pass a message on.
        boolean isInTime = worker.core().quietMoments().await(startNs + timeoutNs);
        if (mode == CloseMode.FLUSH) {
            isInTime &= awaitDrained(startNs, timeoutNs);
        }
        return end(startNs, timeoutNs, isInTime);
    }

    private boolean awaitDrained(final long startNs, final long timeoutNs) {
        for (final HandlerLane lane : lanes) {
            while (!lane.isDrained()) {
                if (System.nanoTime() - startNs >= timeoutNs) {
                    return false;
                }
                LockSupport.parkNanos(POLL_NS);
            }
        }
        return true;
    }

    private CloseReport end(final long startNs, final long timeoutNs, final boolean isInTime) {
        for (final HandlerLane lane : lanes) {
            lane.halt();
        }
        CloseReport report = new CloseReport(0, 0, List.of(), !isInTime);
        synchronized (lanes) { // of several closers each message is told to one
            for (final HandlerLane lane : lanes) {
                report = report.plus(Ended.within(lane.thread(), timeoutNs - (System.nanoTime() - startNs))
                    ? lane.takeLeft() : new CloseReport(0, 0, List.of(), true));
            }
        }
        return report;
    }

    /** Describes a pool. Confined to one thread. */
    public static final class Builder {
        final Worker worker;
        int handlers = 1;
        boolean isOrdered = true;
        int capacity = 64;
        ReleasePolicy policy = ReleasePolicy.ASYNC;
        Lock applicationLock;
        PooledHandler handler;

        private Builder(final Worker worker) {
            this.worker = worker;
        }

        /** How many threads; 1 by default. */
        public Builder handlers(final int threads) {
            handlers = threads;
            return this;
        }

        /**
         * Whether messages of one endpoint are handled in order, by one thread; else whichever thread has room. True
         * by default.
         */
        public Builder ordered(final boolean perEndpoint) {
            isOrdered = perEndpoint;
            return this;
        }

        /** Messages that may wait for each thread, a power of two; 64 by default. */
        public Builder capacity(final int messages) {
            capacity = messages;
            return this;
        }

        /** How messages are let go; {@link ReleasePolicy#ASYNC} by default. */
        public Builder releasePolicy(final ReleasePolicy releasePolicy) {
            policy = releasePolicy;
            return this;
        }

        /** SERIALIZED with {@link ReleasePolicy#DIRECT}: the lock under which the application uses the worker. */
        public Builder applicationLock(final Lock lock) {
            applicationLock = lock;
            return this;
        }

        /** What handles the messages. */
        public Builder handler(final PooledHandler pooledHandler) {
            handler = pooledHandler;
            return this;
        }

        /**
         * Starts the threads.
         *
         * @throws HeddleException if the description cannot work, such as a direct release in SINGLE.
         */
        public HandlerPool start() {
            final ThreadMode mode = worker.threadMode();
            if (handlers < 1 || capacity < 1 || Integer.bitCount(capacity) != 1 || handler == null) {
                throw invalid("handlers=" + handlers + " capacity=" + capacity + " handler=" + handler
                    + ": need handlers >= 1, capacity a power of two, and a handler");
            }
            if (policy == ReleasePolicy.DIRECT && mode == ThreadMode.SINGLE) {
                throw invalid("releasePolicy=DIRECT mode=SINGLE: only the owner thread may release; use ASYNC");
            }
            if (policy == ReleasePolicy.DIRECT && mode == ThreadMode.SERIALIZED && applicationLock == null) {
                throw invalid("releasePolicy=DIRECT mode=SERIALIZED: needs applicationLock(lock), under which the "
                    + "worker is used; or use ASYNC");
            }
            return new HandlerPool(this);
        }

        private HeddleException invalid(final String text) {
            return new HeddleException(Status.INVALID_PARAM, "worker=" + worker.name() + ' ' + text);
        }
    }
}
