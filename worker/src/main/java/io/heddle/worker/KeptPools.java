package io.heddle.worker;

import io.heddle.context.ContextConfig;
import io.heddle.context.ChunkAllocator;
import io.heddle.context.HeddleException;
import io.heddle.context.Leak;
import io.heddle.context.MemoryPool;
import io.heddle.context.MemoryPoolSet;
import io.heddle.context.OversizePool;
import io.heddle.context.PoolElement;
import io.heddle.context.Status;
import io.heddle.context.internal.Guarded;
import io.heddle.context.internal.LeakTracker;
import io.heddle.context.internal.PoolBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.agrona.concurrent.NanoClock;

/**
 * Private memory of one worker: right-sized copies of what was kept and could not be kept in place, and the buffers in
 * which long messages are put together. Both have a budget. Confined to the worker's guard, but for the gauges.
 */
final class KeptPools {
    private static final int LEAST_COPY_BYTES = 64;
    private static final int MOST_COPY_BYTES = 64 * 1024;

    private final MemoryPoolSet copies;
    private final OversizePool oversize;
    private final PoolBudget copyBudget;
    private final long messageMaxBytes;
    /** Times an endpoint had to wait because of its own share. Written under the guard; a gauge. */
    private volatile long overShare;

    @Guarded
    KeptPools(final WorkerCore core, final ContextConfig config, final NanoClock clock) {
        final LeakTracker tracker = LeakTracker.forLevel(config.leakTracking().name().toLowerCase(Locale.ROOT));
        final Function<PoolElement, String> holder = element -> String.valueOf(element.lane());
        copyBudget = new PoolBudget(config.poolLimitBytes());
        final ChunkAllocator budgeted = bytes -> {
            if (!copyBudget.tryReserve(bytes)) {
                return null;
            }
            final ChunkAllocator.Chunk chunk = ChunkAllocator.direct().allocate(bytes);
            return new ChunkAllocator.Chunk(chunk.address(), chunk.bytes(), chunk.buffer(), () -> {
                copyBudget.release(bytes);
                chunk.memory().close();
            });
        };
        copies = MemoryPoolSet.create(core.name() + "-copies", LEAST_COPY_BYTES, MOST_COPY_BYTES, builder ->
            builder.allocator(budgeted).attachment(core).tracker(tracker).clock(clock).describer(holder));
        messageMaxBytes = config.messageMaxBytes();
        // Twice the share of an endpoint, so that no single one can leave nothing to the others.
        oversize = new OversizePool(core.name() + "-messages", 2 * OversizePool.memoryBytesFor(messageMaxBytes),
            OversizePool.DEFAULT_CACHED_SHARE / 2,
            ChunkAllocator.direct(), core, tracker, clock, holder);
    }

    /** A TAKEN element for a copy of so many bytes. */
    @Guarded
    PoolElement takeCopy(final Connection connection, final int bytes) {
        final PoolElement element = bytes <= MOST_COPY_BYTES ? copies.take(Math.max(bytes, 1))
            : takeMessage(connection, bytes);
        if (element == null) {
            throw new HeddleException(Status.NO_MEMORY, "kept data reached its limit: heddle.pool.limit="
                + copyBudget.limitBytes()
                + " lengthBytes=" + bytes + "; release what is kept, postpone the message, or raise the limit");
        }
        element.lane(connection);
        return element;
    }

    long messageMaxBytes() {
        return messageMaxBytes;
    }

    /**
     * A TAKEN element for a long message, or null while the budget, or this connection's share of it, does not allow
     * it.
     *
     * @param bytes at most {@link #messageMaxBytes()}.
     */
    @Guarded
    PoolElement takeMessage(final Connection connection, final int bytes) {
        final long share = oversize.budgetBytes() / 2;
        if (connection.messageMemoryBytes() + OversizePool.memoryBytesFor(bytes) > share) {
            overShare++;
            return null;
        }
        final PoolElement element = oversize.take(bytes);
        if (element != null) {
            element.lane(connection);
            connection.addMessageMemory(element.capacityBytes());
        }
        return element;
    }

    @Guarded
    void put(final PoolElement element) {
        if (isMessage(element) && element.lane() instanceof Connection connection) {
            connection.addMessageMemory(-element.capacityBytes());
        }
        element.pool().put(element);
    }

    private boolean isMessage(final PoolElement element) {
        return element.pool() == oversize;
    }

    long inUse() {
        return copies.inUse() + oversize.inUse();
    }

    long refused() {
        long sum = oversize.refused();
        for (final MemoryPool pool : copies.pools()) {
            sum += pool.refused();
        }
        return sum;
    }

    long exhausted() {
        long sum = oversize.exhausted() + overShare;
        for (final MemoryPool pool : copies.pools()) {
            sum += pool.exhausted();
        }
        return sum;
    }

    long memoryBytes() {
        return copies.chunkBytes() + oversize.memoryBytes();
    }

    /** What of {@link #memoryBytes()} lies idle for reuse. */
    long cachedBytes() {
        long sum = oversize.cachedBytes();
        for (final MemoryPool pool : copies.pools()) {
            sum += pool.cachedBytes();
        }
        return sum;
    }

    @Guarded
    List<Leak> close() {
        final List<Leak> leaks = new ArrayList<>(copies.closeAndReport());
        leaks.addAll(oversize.closeAndReport());
        return leaks;
    }
}
