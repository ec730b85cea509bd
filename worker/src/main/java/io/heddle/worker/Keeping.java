package io.heddle.worker;

import io.heddle.context.ContextConfig;
import io.heddle.context.MemoryPool;
import io.heddle.context.PoolElement;
import io.heddle.context.internal.Guarded;
import io.heddle.context.internal.Operation;
import io.heddle.context.internal.ThreadGuard;
import io.heddle.context.spi.Lane;
import io.heddle.context.spi.TransportInterface;
import org.agrona.UnsafeApi;

/**
 * Received data beyond its handler: kept in place or copied, the handles the application holds it by, and the memory in
 * which long messages wait for their rest.
 *
 * <p>Under the guard or entering it; the gauges are for any thread.
 */
final class Keeping {
    private final WorkerCore core;
    private final ThreadGuard guard;
    private final KeptPools pools;
    private final DroppedHandles dropped;

    Keeping(final WorkerCore core, final ContextConfig config, final KeptPools pools) {
        this.core = core;
        guard = core.guard();
        this.pools = pools;
        dropped = DroppedHandles.of(core, config);
    }

    KeptPools pools() {
        return pools;
    }

    /** A handle that keeps nothing yet. Any thread. */
    ReceivedData newHandle() {
        return dropped == null ? new ReceivedData() : dropped.newHandle();
    }

    /** Handles that were dropped without release, and found. */
    long droppedHandles() {
        return dropped == null ? 0 : dropped.found();
    }

    /** @param element what the data lies in; null if it cannot be kept in place. */
    @Guarded
    void keep(final Connection connection, final PoolElement element, final long address, final int bytes,
        final ReceivedData mine) {
        if (element != null && isWorthKeeping(element, bytes)
            && (!(element.lane() instanceof Lane lane) || lane.keepsInPlace(element))) {
            element.retain(element.generation());
            mine.hold(element, address, bytes);
            return;
        }
        final PoolElement copy = pools.takeCopy(connection, bytes);
        UnsafeApi.copyMemory(address, copy.address(), bytes);
        copy.hold();
        core.counts().bytesCopied += bytes;
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
            final PoolElement element = pools.takeMessage(connection, bytes);
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
                put(element);
            } finally {
                guard.exit(Operation.RELEASE);
            }
        }
    }

    /** A TAKEN element of these pools is not needed any more: others may wait for its memory. */
    @Guarded
    void put(final PoolElement element) {
        pools.put(element);
        core.dispatcher().messageRoomMade();
    }

    // ---- gauges of all the worker's pools, any thread

    long heldElements() {
        long sum = pools.inUse();
        for (final TransportInterface each : core.interfaces()) {
            sum += each.heldElements();
        }
        return sum;
    }

    long poolsExhausted() {
        long sum = pools.exhausted();
        for (final TransportInterface each : core.interfaces()) {
            for (final MemoryPool pool : each.pools()) {
                sum += pool.exhausted();
            }
        }
        return sum;
    }

    long poolsRefused() {
        long sum = pools.refused();
        for (final TransportInterface each : core.interfaces()) {
            for (final MemoryPool pool : each.pools()) {
                sum += pool.refused();
            }
        }
        return sum;
    }
}
