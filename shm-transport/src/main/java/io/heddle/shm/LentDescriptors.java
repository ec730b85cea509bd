package io.heddle.shm;

import io.heddle.context.MemoryPool;
import io.heddle.context.PoolElement;
import io.heddle.context.internal.FailPoints;
import java.util.Arrays;
import org.agrona.UnsafeApi;

/**
 * The receive descriptors of one direction: owned here, lent to the peer by credit, one pool per size class.
 *
 * <p>Which descriptor is lent is known by its element's state on our heap, so a peer that names one it was not lent is
 * found out. At most {@code creditSlots} of a class are lent at once, so no credit word is overwritten before an honest
 * peer has read it.
 *
 * <p>Single writer of the credit words: the worker, under its guard.
 */
final class LentDescriptors {
    /** Bytes of one class that should be lent at any time; more only spreads the traffic over more cache. */
    private static final int WINDOW_BYTES = 512 * 1024;

    private final long creditsAddress;
    private final int creditSlots;
    private final int creditShift;
    private final MemoryPool[] pools = new MemoryPool[LaneLayout.CLASSES];
    private final long[] creditTail = new long[LaneLayout.CLASSES];
    private final int[] lent = new int[LaneLayout.CLASSES];
    /** By class: elements that the application keeps. */
    private final int[] kept = new int[LaneLayout.CLASSES];
    private PoolElement[] byId = new PoolElement[0];
    private int ids;
    /** By class: numbers of the chunk that was asked for last, and how many; 0 if it has come. */
    private final int[] reservedFirst = new int[LaneLayout.CLASSES];
    private final int[] reserved = new int[LaneLayout.CLASSES];
    private boolean stopped;

    LentDescriptors(final long direction, final Geometry g) {
        creditsAddress = direction + LaneLayout.CREDITS_OFFSET;
        creditSlots = g.creditSlots();
        creditShift = Integer.numberOfTrailingZeros(creditSlots);
    }

    MemoryPool pool(final int sizeClass) {
        return pools[sizeClass];
    }

    void pool(final int sizeClass, final MemoryPool pool) {
        pools[sizeClass] = pool;
    }

    /** How many of the class should be lent. */
    int window(final int sizeClass) {
        return Math.min(creditSlots, WINDOW_BYTES / LaneLayout.classBytes(sizeClass));
    }

    int lent(final int sizeClass) {
        return lent[sizeClass];
    }

    /** How many of the class are lent, filled, or about to be lent again: all that the application does not keep. */
    int circulating(final int sizeClass) {
        return pools[sizeClass] == null ? 0 : pools[sizeClass].capacity() - kept[sizeClass];
    }

    /** The element was retired and somebody keeps it. */
    void kept(final PoolElement element) {
        kept[LaneLayout.classOf((int) element.capacityBytes())]++;
    }

    /** A kept element is back, TAKEN. */
    void cameBack(final PoolElement element) {
        kept[LaneLayout.classOf((int) element.capacityBytes())]--;
    }

    /**
     * The number of the first descriptor of a chunk that is asked for. Numbers of a chunk that could not be had are
     * given again to the next one of the class, so that refusals use up none.
     */
    int reserveIds(final int sizeClass, final int count) {
        if (reserved[sizeClass] < count) {
            reservedFirst[sizeClass] = reserveIds(count);
            reserved[sizeClass] = count;
        }
        return reservedFirst[sizeClass];
    }

    /** Fresh numbers; the first of them. */
    int reserveIds(final int count) {
        final int first = ids;
        ids = first + count;
        byId = Arrays.copyOf(byId, ids);
        return first;
    }

    /** The chunk asked for last has come. */
    void idsUsed(final int sizeClass) {
        reserved[sizeClass] = 0;
    }

    /** Numbers the elements of a chunk that the peer has mapped, and lends as many as may be. */
    void add(final int firstId, final int sizeClass, final PoolElement[] elements) {
        for (int i = 0; i < elements.length; i++) {
            byId[firstId + i] = elements[i];
            elements[i].userId(firstId + i);
        }
        topUp(sizeClass);
    }

    /** Lends free elements of the pool while fewer than {@code creditSlots} are lent. */
    void topUp(final int sizeClass) {
        final MemoryPool pool = pools[sizeClass];
        while (!stopped && pool != null && lent[sizeClass] < creditSlots && pool.inUse() < pool.capacity()) {
            lend(sizeClass, pool.take());
        }
    }

    /** Lends a TAKEN element again, or puts it into its pool if enough are lent. */
    void recycle(final PoolElement element) {
        final int sizeClass = LaneLayout.classOf((int) element.capacityBytes());
        if (!stopped && lent[sizeClass] < creditSlots) {
            lend(sizeClass, element);
        } else {
            element.pool().put(element);
        }
    }

    private void lend(final int sizeClass, final PoolElement element) {
        element.lend();
        lent[sizeClass]++;
        final long position = creditTail[sizeClass]++;
        final long slot = (long) sizeClass * creditSlots + (position & creditSlots - 1);
        FailPoints.at("shm.credit.before-publish");
        // The state says LENT before the credit is seen; partner: the acquire load in BorrowedDescriptors.
        UnsafeApi.putLongRelease(null, creditsAddress + slot * Long.BYTES,
            LaneLayout.creditWord(LaneLayout.lap(position, creditShift), element.userId()));
    }

    /** The element a peer says it has filled, now held once; null if that one was not lent. */
    PoolElement arrived(final long id) {
        if (id < 0 || id >= ids) {
            return null;
        }
        final PoolElement element = byId[(int) id];
        if (element == null || !element.arrive()) {
            return null;
        }
        lent[LaneLayout.classOf((int) element.capacityBytes())]--;
        return element;
    }

    /** Undoes {@link #arrived}; nobody but the batch held it. */
    void unarrived(final PoolElement element) {
        element.recall();
        lent[LaneLayout.classOf((int) element.capacityBytes())]++;
    }

    /** Nothing is lent any more. */
    void stop() {
        stopped = true;
    }

    /** Takes back what is lent, when the peer can write no more, and lends nothing any more. */
    void reclaimLent() {
        stop();
        for (int id = 0; id < ids; id++) {
            final PoolElement element = byId[id];
            if (element != null && element.isLent()) {
                element.pool().put(element);
            }
        }
        Arrays.fill(lent, 0);
    }
}
