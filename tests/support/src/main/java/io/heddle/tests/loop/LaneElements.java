package io.heddle.tests.loop;

import io.heddle.context.Leak;
import io.heddle.context.MemoryPool;
import io.heddle.context.PoolElement;

import java.util.ArrayDeque;
import java.util.List;

/**
 * The receive descriptors of one lane: lends them to the peer up to the credit limit, and takes them back. Outlives the
 * lane until the last kept element has come back.
 *
 * <p>Confined to the guard of the worker that receives on the lane, but for {@link #kept} and the pool's gauges; made
 * by the thread that connects, before anybody else sees it.
 */
final class LaneElements {
    private final SteeredLane lane;
    private final Wire incoming;
    private final int credits;
    private final int limit;
    private final MemoryPool pool;
    /** Elements with the peer, on their way, or in a batch: lent, and not kept. */
    private int lent;
    /** Elements the application keeps; read by any thread. */
    private volatile int kept;
    private boolean cut;
    private boolean disposed;
    /** The element of a reservation that was open when the lane was disposed of: the peer may still write into it. */
    private PoolElement stray;

    LaneElements(final String name, final SteeredSettings settings, final SteeredInterface side, final SteeredLane lane,
        final Wire incoming) {
        this.lane = lane;
        this.incoming = incoming;
        credits = settings.credits();
        limit = settings.poolElements();
        pool = MemoryPool.builder(name).elementBytes(settings.maxFragmentBytes()).elementsPerChunk(Math.max(1, limit))
            .maxElements(Math.max(1, limit)).attachment(side.options().owner()).clock(side::nowNs)
            .tracker(side.leakTracker()).build();
        topUp();
    }

    MemoryPool pool() {
        return pool;
    }

    int kept() {
        return kept;
    }

    /** Whether the lane is gone and everything has come back. */
    boolean isIdle() {
        return disposed && kept == 0 && stray == null;
    }

    /** The batch has done with a record's element: back to the peer, unless a holder kept it. */
    void leaveBatch(final PoolElement element) {
        if (element.release(element.generation())) {
            element.reclaim();
            lend(element);
        } else {
            passOn();
        }
    }

    /** The batch's reference went over to a holder. */
    void passOn() {
        kept(1);
        lent--;
        topUp();
    }

    /** A released element, TAKEN: lent again if there is need of credit. */
    void recycle(final PoolElement element) {
        if (element.pool() != pool) {
            throw new IllegalArgumentException("element=" + element + " is not of pool=" + pool.name());
        }
        kept(-1);
        if (cut || lent >= credits) {
            pool.put(element);
        } else {
            lent++;
            lend(element);
        }
    }

    /** Takes out of the wire what nobody will read any more. */
    void cut() {
        final ArrayDeque<PoolElement> back = new ArrayDeque<>();
        incoming.cut(back);
        back.forEach(this::putBack);
        cut = true;
    }

    /** Takes everything out of the wire; kept elements, and one in a reservation, come back later. */
    void dispose() {
        final ArrayDeque<PoolElement> back = new ArrayDeque<>();
        stray = incoming.disposeReader(back);
        back.forEach(this::putBack);
        cut = true;
        disposed = true;
    }

    /** The peer has let go of the reservation that outlived the lane. */
    void strayBack() {
        pool.put(stray);
        stray = null;
    }

    /** Closes the pool; what the application keeps is reported, and stays readable until released. */
    List<Leak> close() {
        final int index = stray == null ? -1 : stray.index();
        return pool.closeAndReport().stream().filter(leak -> leak.index() != index).toList();
    }

    private void putBack(final PoolElement element) {
        if (element.isHeld()) {
            if (!element.release(element.generation())) {
                kept(1);
                return;
            }
            element.reclaim();
        }
        pool.put(element);
    }

    private void topUp() {
        while (!cut && lent < credits && pool.inUse() < limit) {
            lent++;
            lend(pool.take());
        }
    }

    private void lend(final PoolElement element) {
        if (cut) {
            pool.put(element);
            return;
        }
        element.lane(lane);
        element.lend();
        incoming.lend(element);
    }

    private void kept(final int change) {
        final int now = kept + change;
        kept = now; // volatile, single writer: the guard's holder; pairs with the read in kept()
    }
}
