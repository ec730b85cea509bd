package io.heddle.context;

import io.heddle.context.internal.LeakTracker;
import org.agrona.concurrent.NanoClock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What every pool of elements has: a name, gauges, the way home for elements and the leak report.
 *
 * <p>Not thread safe: a pool is used under its worker's guard. The exceptions are the gauges, {@link #lateReturn} and
 * {@link #countRefused}, for any thread. A call that breaks the guard's rule can lose a free element for the pool's
 * life and garble the gauges, but cannot hand out an element twice: the element's own state decides.
 */
public abstract class ElementPool implements AutoCloseable {
    /** How long an allocator that threw is left alone. */
    static final long ALLOCATION_RETRY_NS = 100_000_000L;

    private static final VarHandle IN_USE;
    private static final VarHandle HIGH_WATER;
    private static final VarHandle EXHAUSTED;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            IN_USE = lookup.findVarHandle(ElementPool.class, "inUse", long.class);
            HIGH_WATER = lookup.findVarHandle(ElementPool.class, "highWater", long.class);
            EXHAUSTED = lookup.findVarHandle(ElementPool.class, "exhausted", long.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final String name;
    private final Object attachment;
    private final LeakTracker tracker;
    private final NanoClock clock;
    private final Function<? super PoolElement, String> describer;
    private final AtomicLong refused = new AtomicLong();
    /** Elements that came back by {@link #lateReturn}, which is not the owner's doing and so does not write inUse. */
    private final AtomicLong cameBackLate = new AtomicLong();
    /**
     * Gauges: written by the owner alone, opaque; read by any thread, opaque. Each is right by itself, not as a set.
     */
    private long inUse;
    private long highWater;
    private long exhausted;
    private Throwable lastAllocationFailure;
    private boolean allocationFailed;
    private long allocationFailedNs;

    ElementPool(final String name, final Object attachment, final LeakTracker tracker, final NanoClock clock,
                final Function<? super PoolElement, String> describer) {
        this.name = Objects.requireNonNull(name, "name");
        this.attachment = attachment;
        this.tracker = tracker;
        this.clock = Objects.requireNonNull(clock, "clock");
        this.describer = Objects.requireNonNull(describer, "describer");
    }

    /** Name in reports and gauges. */
    public final String name() {
        return name;
    }

    /** What the builder was given, such as the worker; null for nothing. */
    public final Object attachment() {
        return attachment;
    }

    /** Elements not free now: taken, lent, held or on their way home. */
    public final long inUse() {
        return (long) IN_USE.getOpaque(this) - cameBackLate.get();
    }

    /** The most elements that were in use at one time. */
    public final long highWater() {
        return (long) HIGH_WATER.getOpaque(this);
    }

    /** Takes that got nothing, because of the limit or because no memory was to be had. */
    public final long exhausted() {
        return (long) EXHAUSTED.getOpaque(this);
    }

    /** Misuses that were refused with a {@link DescriptorStateException}. */
    public final long refused() {
        return refused.get();
    }

    /**
     * One more refused misuse of an element of this pool. Any thread; for handles that notice the misuse themselves.
     */
    public final void countRefused() {
        refused.incrementAndGet();
    }

    /**
     * Takes back an element that is TAKEN or LENT. Under the guard.
     *
     * @throws DescriptorStateException if it is another pool's, FREE already, held, or on its way home. Counted as
     *     refused.
     */
    public abstract void put(PoolElement element);

    /**
     * Takes back an element whose last reference was let go after its worker had closed. Any thread, once per
     * element; nothing to do with the guard. Memory is freed with the last element of its chunk that was out.
     *
     * @throws DescriptorStateException if it is not RETURNED: somebody brought it back before.
     */
    public final void lateReturn(final PoolElement element) {
        requireOwn("late return", element);
        retireAfterClose(element, ElementState.RETURNED);
        cameBackLate.incrementAndGet();
    }

    /** Closes, and says what was out. Idempotent: a second call reports nothing. Under the guard. */
    public abstract List<Leak> closeAndReport();

    /** As {@link #closeAndReport}, for those who have no use for the report. */
    @Override
    public final void close() {
        closeAndReport();
    }

    /** Why the allocator threw the last time, or null if it never did. Under the guard. */
    public final Throwable lastAllocationFailure() {
        return lastAllocationFailure;
    }

    /** Asks the allocator, but not again soon after it threw; null if it has nothing. */
    final ChunkAllocator.Chunk allocate(final ChunkAllocator allocator, final long minBytes) {
        // Asking the JVM for direct memory that is not there takes up to a second.
        if (allocationFailed && clock.nanoTime() - allocationFailedNs < ALLOCATION_RETRY_NS) {
            return null;
        }
        allocationFailed = false;
        try {
            return allocator.allocate(minBytes);
        } catch (final RuntimeException | OutOfMemoryError ex) {
            lastAllocationFailure = ex;
            allocationFailed = true;
            allocationFailedNs = clock.nanoTime();
            return null;
        }
    }

    /** An element has just become HELD; returns the time of it. */
    final long received(final PoolElement element) {
        if (tracker != null) {
            tracker.received(element);
        }
        return clock.nanoTime();
    }

    /** An element is about to change its references. */
    final void touched(final PoolElement element) {
        if (tracker != null) {
            tracker.touched(element);
        }
    }

    /** The element came back to a pool that is closed: its chunk's memory goes with the last one. */
    final void retireAfterClose(final PoolElement element, final int from) {
        if (!element.retire(from)) {
            throw refuse(DescriptorStateException.Kind.DOUBLE_RELEASE, "late return refused: " + element);
        }
        element.chunk().cameBackLate();
    }

    final void requireOwn(final String operation, final PoolElement element) {
        if (element.pool() != this) {
            throw refuse(DescriptorStateException.Kind.WRONG_POOL,
                operation + " refused: pool=" + name + " is not the pool of " + element);
        }
    }

    /**
     * Goes over a chunk of a pool that closes: free elements are cleaned up, others stand in the report, and the
     * memory is freed now or with the last of them.
     */
    final void settle(final PoolChunk chunk, final Consumer<? super PoolElement> cleaner, final List<Leak> leaks) {
        int out = 0;
        for (final PoolElement element : chunk.elements()) {
            if (element.isFree()) {
                cleaner.accept(element);
                element.retire(ElementState.FREE);
            } else {
                out++;
                // One that is RETURNED or RETIRED was let go already, and is only on its way.
                if (element.isOut()) {
                    leaks.add(leakOf(element));
                }
            }
        }
        chunk.settleAtClose(out);
    }

    final void countTaken() {
        final long now = inUse + 1;
        IN_USE.setOpaque(this, now); // read by inUse()
        if (now > highWater) {
            HIGH_WATER.setOpaque(this, now); // read by highWater()
        }
    }

    final void countPut() {
        IN_USE.setOpaque(this, inUse - 1); // read by inUse()
    }

    final void countExhausted() {
        EXHAUSTED.setOpaque(this, exhausted + 1); // read by exhausted()
    }

    /** Counts a misuse, and makes the exception for it. */
    final DescriptorStateException refuse(final DescriptorStateException.Kind kind, final String message) {
        countRefused();
        return new DescriptorStateException(kind, message);
    }

    /** As the other one, for a call on an element that came with the generation of its receipt. */
    final DescriptorStateException refuse(final DescriptorStateException.Kind kind, final String message,
                                          final PoolElement element, final int generation) {
        countRefused();
        final Throwable touch = LeakTracker.lastTouchOf(element, generation);
        final String toucher = touch == null ? null : touch.getMessage();
        return new DescriptorStateException(
            kind, toucher == null ? message : message + " last " + toucher, element.index(), name, toucher);
    }

    final Leak leakOf(final PoolElement element) {
        final long ageNs = element.isHeld() ? clock.nanoTime() - element.heldSinceNs() : 0L;
        final String holder = describer.apply(element);
        final Throwable receipt = LeakTracker.receiptOf(element);
        final Throwable touch = LeakTracker.lastTouchOf(element, element.generation());
        final String text = "element=" + element.index() + " was not returned to pool " + name +
            ": size_bytes=" + element.capacityBytes() + " age_ms=" + ageNs / 1_000_000 + " holder=" + holder +
            " state=" + element.stateName() + " references=" + element.references() +
            " generation=" + element.generation() + stack(" receipt: ", receipt) + stack(" last touch: ", touch);
        return new Leak(text, name, element.index(), element.capacityBytes(), ageNs, holder, element.generation(),
            receipt, touch);
    }

    /** The default describer of holders. */
    static String laneOf(final PoolElement element) {
        return element.lane() == null ? "unknown" : element.lane().toString();
    }

    private static String stack(final String label, final Throwable trace) {
        if (trace == null) {
            return "";
        }
        final StringBuilder text = new StringBuilder(label).append(trace.getMessage());
        for (final StackTraceElement frame : trace.getStackTrace()) {
            text.append(" <- ").append(frame);
        }
        return text.toString();
    }
}
