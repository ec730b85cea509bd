package io.heddle.shm;

import io.heddle.context.MemoryPool;
import io.heddle.context.PoolElement;
import io.heddle.context.internal.PoolBudget;
import java.util.concurrent.TimeUnit;

/**
 * Makes, grows and gives up the receive pools of one lane: one pool per size class, whose chunks are shared segments
 * made by the control thread. Grows when the peer has no descriptor to write into and fewer than a window are lent, so
 * it follows what the application keeps and not how fast the peer sends.
 *
 * <p>Confined to the worker's guard.
 */
final class LentPools {
    private static final long FIRST_BACK_OFF_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MOST_BACK_OFF_NS = TimeUnit.SECONDS.toNanos(2);

    private final ShmInterface owner;
    private final ShmLane lane;
    private final LaneLink link;
    private final LentDescriptors descriptors;
    /** Bits of classes that the peer asked for while enough of them were lent or on their way. It asks only once. */
    private int unmet;
    /** Descriptors asked for and not yet mapped, by class. */
    private final int[] growing = new int[LaneLayout.CLASSES];
    private long starved;
    private String refusal;
    /** Bits of classes that were wanted and could not grow for want of budget or of shared memory. */
    private int unserved;
    private long backOffNs = FIRST_BACK_OFF_NS;
    /** A growth was refused, and the time to ask again has not come. */
    private boolean isBackingOff;

    LentPools(final ShmInterface owner, final ShmLane lane, final LaneLink link, final LentDescriptors descriptors) {
        this.owner = owner;
        this.lane = lane;
        this.link = link;
        this.descriptors = descriptors;
    }

    LentDescriptors descriptors() {
        return descriptors;
    }

    /** The peer has no descriptor of the class. False if it will get none. */
    boolean wanted(final int sizeClass) {
        starved++;
        return lendMore(sizeClass);
    }

    /** The application keeps some of what has arrived: who asked while all was on its way may need more. */
    void kept() {
        for (int asked = unmet; asked != 0; asked &= asked - 1) {
            lendMore(Integer.numberOfTrailingZeros(asked));
        }
    }

    /** The pools of other lanes have let go of some of what all may take. */
    void budgetFreed() {
        if (!isBackingOff) {
            serve();
        }
    }

    /** The time to ask again after a refusal has come. */
    void growthDue() {
        isBackingOff = false;
        serve();
    }

    private void serve() {
        for (int left = unserved; left != 0; left &= left - 1) {
            grow(Integer.numberOfTrailingZeros(left));
        }
    }

    private void served(final int sizeClass, final boolean isServed) {
        final int before = unserved;
        unserved = isServed ? before & ~(1 << sizeClass) : before | 1 << sizeClass;
        if ((unserved == 0) != (before == 0)) {
            owner.unserved(unserved == 0 ? -1 : 1);
        }
    }

    /** False if there is none of the class, nor will be for now. */
    private boolean lendMore(final int sizeClass) {
        if (grow(sizeClass)) {
            return true;
        }
        final MemoryPool pool = pool(sizeClass);
        pool.take(); // gets nothing, and is counted as exhausted; what comes back will be lent
        return pool.capacity() > 0;
    }

    /** False if more of the class are needed than the budget or the back-off allows. */
    private boolean grow(final int sizeClass) {
        descriptors.topUp(sizeClass);
        unmet &= ~(1 << sizeClass);
        if (growing[sizeClass] > 0) {
            return true;
        }
        if (descriptors.circulating(sizeClass) >= descriptors.window(sizeClass)) {
            unmet |= 1 << sizeClass;
            served(sizeClass, true);
            return true;
        }
        final long elementBytes = LaneLayout.classBytes(sizeClass);
        final int count = (int) Math.min(descriptors.window(sizeClass), owner.budget().availableBytes() / elementBytes);
        if (isBackingOff || count == 0 || !owner.budget().tryReserve(count * elementBytes)) {
            served(sizeClass, false);
            return false;
        }
        growing[sizeClass] = count;
        link.requestGrowth(descriptors.reserveIds(sizeClass, count), count, elementBytes);
        return true;
    }

    private MemoryPool pool(final int sizeClass) {
        MemoryPool pool = descriptors.pool(sizeClass);
        if (pool == null) {
            pool = owner.newPool(LaneLayout.classBytes(sizeClass), lane);
            descriptors.pool(sizeClass, pool);
        }
        return pool;
    }

    void mapped(final int firstId, final int count, final int elementBytes, final MappedSegment chunk) {
        final int sizeClass = LaneLayout.classOf(elementBytes);
        descriptors.idsUsed(sizeClass);
        growing[sizeClass] = 0;
        backOffNs = FIRST_BACK_OFF_NS;
        served(sizeClass, true);
        final PoolBudget budget = owner.budget();
        final PoolElement[] elements = pool(sizeClass).adopt(chunk.address(), count, () -> {
            budget.release((long) count * elementBytes);
            link.unmap(chunk);
        }, chunk.buffer());
        for (final PoolElement element : elements) {
            element.lane(lane);
        }
        descriptors.add(firstId, sizeClass, elements);
    }

    void refused(final int elementBytes, final String reason) {
        final int sizeClass = LaneLayout.classOf(elementBytes);
        refusal = reason;
        final long bytes = growing[sizeClass] * (long) elementBytes;
        growing[sizeClass] = 0;
        served(sizeClass, false);
        if (!isBackingOff) {
            isBackingOff = true;
            link.growthLater(backOffNs);
            backOffNs = Math.min(2 * backOffNs, MOST_BACK_OFF_NS);
        }
        owner.budget().release(bytes);
        owner.budgetFreed();
    }

    /**
     * With {@code heddle.pool.exhausted=copy}: false while the limit is reached and the peer has less than a quarter of
     * a window left, so that a copy sets the descriptor free.
     */
    boolean mayKeep(final PoolElement element) {
        if (!owner.copiesWhenExhausted()) {
            return true;
        }
        final int sizeClass = LaneLayout.classOf((int) element.capacityBytes());
        return owner.budget().availableBytes() >= element.capacityBytes()
            || descriptors.lent(sizeClass) > descriptors.window(sizeClass) / 4;
    }

    void putBack(final PoolElement element) {
        element.pool().put(element);
        owner.closeIfIdle((MemoryPool) element.pool());
        owner.budgetFreed();
    }

    /**
     * The lane is disposed of: pools nobody keeps anything of are closed, the others when the last element comes back.
     */
    void dispose() {
        descriptors.reclaimLent();
        // What was asked for and is still to come is unmapped when it comes, without asking here.
        for (int i = 0; i < LaneLayout.CLASSES; i++) {
            owner.budget().release((long) growing[i] * LaneLayout.classBytes(i));
            growing[i] = 0;
        }
        for (int i = 0; i < LaneLayout.CLASSES; i++) {
            if (descriptors.pool(i) != null) {
                owner.orphan(descriptors.pool(i));
            }
        }
        if (unserved != 0) {
            unserved = 0;
            owner.unserved(-1);
        }
        owner.budgetFreed();
    }

    String describe() {
        final StringBuilder text = new StringBuilder(" starved=").append(starved);
        for (int i = 0; i < LaneLayout.CLASSES; i++) {
            final MemoryPool pool = descriptors.pool(i);
            if (pool != null) {
                text.append(" pool").append(LaneLayout.classBytes(i) >> 10).append("k=lent:").append(descriptors
                    .lent(i)).append(",out:")
                    .append(pool.inUse()).append(",capacity:").append(pool.capacity()).append(",exhausted:")
                    .append(pool.exhausted());
            }
        }
        if (unserved != 0) {
            text.append(" unservedClasses=").append(Integer.bitCount(unserved));
        }
        return refusal == null ? text.toString()
            : text.append(" growthRefused=[").append(refusal).append(']').toString();
    }
}
