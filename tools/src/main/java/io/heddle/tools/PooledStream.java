package io.heddle.tools;

import io.heddle.context.HeddleException;
import io.heddle.context.ThreadMode;
import io.heddle.context.ThreadModeViolation;
import io.heddle.worker.ActiveMessageHandler;
import io.heddle.worker.Connection;
import io.heddle.worker.HandlerPool;
import io.heddle.worker.PooledHandler;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.ReleasePolicy;
import io.heddle.worker.Worker;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A dedicated progress thread and a pool of handlers that check chunks where they lie. With {@code --misuse} the
 * handlers release the data themselves, in no order with progress, until the first such call is caught; from then on
 * they use {@code releaseAsync()}, one of the cures that the report names, and the stream goes on.
 */
final class PooledStream implements DemoStream, PooledHandler {
    private static final int CAPACITY = 256;
    private static final long LOOK_NS = 1_000_000L;
    private static final long SETTLE_NS = 2_000_000_000L;

    private final Worker worker;
    private final StreamCheck check;
    private final DemoOptions options;
    private final DemoErrors errors;
    private final ReentrantLock turns = new ReentrantLock();
    private final HandlerPool pool;

    PooledStream(
        final Worker worker,
        final StreamCheck check,
        final DemoOptions options,
        final DemoErrors errors) {
        this.worker = worker;
        this.check = check;
        this.options = options;
        this.errors = errors;
        this.pool = newPool();
    }

    private HandlerPool newPool() {
        final HandlerPool.Builder builder = HandlerPool.builder(worker)
            .handlers(options.handlers).ordered(false).capacity(CAPACITY).handler(this);
        if (options.misuse) {
            // The pool would order the releases; misuse is the handlers' own doing.
            return builder.releasePolicy(ReleasePolicy.ASYNC).start();
        }
        if (options.mode == ThreadMode.SERIALIZED && options.release == ReleasePolicy.DIRECT) {
            builder.applicationLock(turns);
        }
        return builder.releasePolicy(options.release).start();
    }

    @Override
    public ActiveMessageHandler handler() {
        return pool.asHandler();
    }

    @Override
    public void onMessage(final int id, final ReceivedData data, final Connection connection) {
        check.chunk(data.byteBuffer());
        if (options.misuse && !errors.hasSeenOne()) {
            releaseOutOfTurn(data);
        }
    }

    private void releaseOutOfTurn(final ReceivedData data) {
        try {
            data.release();
        } catch (final ThreadModeViolation violation) {
            errors.tell(violation);
            data.releaseAsync();
        } catch (final HeddleException e) {
            errors.refused(e);
        }
    }

    @Override
    public void run(final DemoPatience patience) {
        final ProgressThread progress = startProgress();
        try {
            while (!patience.isOver()) {
                LockSupport.parkNanos(LOOK_NS);
            }
            pool.close();
            settle();
        } finally {
            progress.close();
        }
    }

    @Override
    public long releasedElsewhere() {
        return pool.handled();
    }

    private ProgressThread startProgress() {
        return options.mode == ThreadMode.SERIALIZED
            ? ProgressThread.start(worker, turns) : ProgressThread.start(worker);
    }

    /** What handlers let go reaches the pool with the next rounds of progress. */
    private void settle() {
        final long start = System.nanoTime();
        while (worker.statistics().poolInUse() > 0 && System.nanoTime() - start < SETTLE_NS) {
            LockSupport.parkNanos(LOOK_NS);
        }
    }
}
