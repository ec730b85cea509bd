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
 * which long messages are put together. Both have a budget.
 *
 * <p>Of the memory for long messages one endpoint may have as much as the longest takes, but no more than half of what
 * all others leave of three times that. So two endpoints may each have a longest message under way, and however many
 * have taken all they could get, there is something left for the next, down to the smallest memory of an element.
 *
 * <p>Confined to the worker's guard, but for the gauges.
 */
final class KeptPools {
    private static final int LEAST_COPY_BYTES = 64;
    private static final int MOST_COPY_BYTES = 64 * 1024;
    /** Eight of the smallest: where messages are short, many endpoints can have one under way all the same. */
    private static final long LEAST_MESSAGES_BYTES = 8 * OversizePool.MIN_ELEMENT_BYTES;

    private final MemoryPoolSet copies;
    private final OversizePool oversize;
    private final PoolBudget copyBudget;
    private final long messageMaxBytes;
    /** The most memory for long messages that one endpoint may have. */
    private final long shareBytes;
    /** Memory of long messages in use, of all endpoints. */
    private long messagesBytes;
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
        shareBytes = OversizePool.memoryBytesFor(messageMaxBytes);
        oversize = new OversizePool(core.name() + "-messages", Math.max(3 * shareBytes, LEAST_MESSAGES_BYTES),
            OversizePool.DEFAULT_CACHED_SHARE / 3,
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
        if (connection.messageMemoryBytes() + OversizePool.memoryBytesFor(bytes) > shareOf(connection)) {
            overShare++;
            return null;
        }
        final PoolElement element = oversize.take(bytes);
        if (element != null) {
            element.lane(connection);
            addMessageMemory(connection, element.capacityBytes());
        }
        return element;
    }

    @Guarded
    private long shareOf(final Connection connection) {
        final long others = messagesBytes - connection.messageMemoryBytes();
        return Math.min(shareBytes, (oversize.budgetBytes() - others) / 2);
    }

    @Guarded
    private void addMessageMemory(final Connection connection, final long bytes) {
        connection.addMessageMemory(bytes);
        messagesBytes += bytes;
    }

    @Guarded
    void put(final PoolElement element) {
        if (isMessage(element) && element.lane() instanceof Connection connection) {
            addMessageMemory(connection, -element.capacityBytes());
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
