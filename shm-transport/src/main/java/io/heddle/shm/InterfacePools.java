package io.heddle.shm;

import io.heddle.context.ContextConfig;
import io.heddle.context.ContextConfig.PoolExhausted;
import io.heddle.context.Leak;
import io.heddle.context.MemoryPool;
import io.heddle.context.internal.LeakTracker;
import io.heddle.context.internal.PoolBudget;
import io.heddle.context.spi.InterfaceOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The receive pools of an interface's lanes: their common limit, {@code heddle.pool.limit}, and those that have
 * outlived their lane because something of them is kept. Confined to the worker's guard, but for {@link #all()} and
 * {@link #held()}.
 */
final class InterfacePools {
    private final InterfaceOptions options;
    private final PoolBudget budget;
    private final boolean copiesWhenExhausted;
    private final List<MemoryPool> pools = new CopyOnWriteArrayList<>();
    private final List<MemoryPool> orphans = new ArrayList<>();
    /** Written under the guard, opaque; read by any thread, opaque. */
    private final AtomicLong held = new AtomicLong();
    /** Pools of which something was out at the close: what comes back late is their business. Null while open. */
    private volatile List<MemoryPool> left;
    /** Null for no tracking. */
    private final LeakTracker tracker;
    private long nowNs;

    InterfacePools(final InterfaceOptions options, final ContextConfig config) {
        this.options = options;
        this.budget = new PoolBudget(config.poolLimitBytes());
        this.tracker = LeakTracker.forLevel(config.leakTracking().name().toLowerCase(Locale.ROOT));
        this.copiesWhenExhausted = config.poolExhausted() == PoolExhausted.COPY;
    }

    /** What elements are dated with from now on. */
    void now(final long clockNs) {
        nowNs = clockNs;
    }

    PoolBudget budget() {
        return budget;
    }

    boolean copiesWhenExhausted() {
        return copiesWhenExhausted;
    }

    /** A pool that grows only by what it adopts. */
    MemoryPool create(final int elementBytes, final Object lane) {
        final MemoryPool pool = MemoryPool.builder("shm-receive-" + elementBytes + "-" + options.workerName())
            .elementBytes(elementBytes)
            .allocator(bytes -> null)
            .attachment(options.owner())
            .describer(element -> String.valueOf(lane))
            .tracker(tracker)
            .clock(() -> nowNs)
            .build();
        pools.add(pool);
        return pool;
    }

    /** Counts elements that the application keeps, or has given back. */
    void held(final long change) {
        if (change != 0) {
            held.setOpaque(held.getPlain() + change); // read by held()
        }
    }

    /** Elements that the application keeps. Any thread. */
    long held() {
        final List<MemoryPool> closed = left;
        if (closed == null) {
            return held.getOpaque(); // written by held(long)
        }
        long sum = 0;
        for (final MemoryPool pool : closed) {
            sum += pool.inUse();
        }
        return sum;
    }

    /** Every pool that is not closed. Any thread; a fresh list. */
    List<MemoryPool> all() {
        return List.copyOf(pools);
    }

    /** The pool's lane is gone: closed now, or when the last element comes back. */
    void orphan(final MemoryPool pool) {
        if (pool.inUse() == 0) {
            closed(pool);
        } else {
            orphans.add(pool);
        }
    }

    /** Closes an orphan whose last element has come back. */
    void closeIfIdle(final MemoryPool pool) {
        if (pool.inUse() == 0 && orphans.remove(pool)) {
            closed(pool);
        }
    }

    /**
     * Closes the orphans; their memory goes when what is out of them comes back.
     *
     * @return what is out of them.
     */
    List<Leak> close() {
        final List<Leak> leaks = new ArrayList<>();
        for (final MemoryPool pool : orphans) {
            leaks.addAll(closed(pool));
        }
        left = List.copyOf(orphans);
        orphans.clear();
        return leaks;
    }

    private List<Leak> closed(final MemoryPool pool) {
        pools.remove(pool);
        return pool.closeAndReport();
    }
}
