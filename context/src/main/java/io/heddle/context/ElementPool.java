package io.heddle.context;

import io.heddle.context.internal.LeakTracker;
import org.agrona.concurrent.NanoClock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * What every pool of elements has: a name, gauges, the way home for elements and the leak report.
 *
 * <p>Not thread safe: a pool is used under its worker's guard. The exceptions are the gauges, {@link #lateReturn} and
 * {@link #countRefused}, for any thread. A call that breaks the guard's rule can lose a free element for the pool's life
 * and garble the gauges, but cannot hand out an element twice: the element's own state decides.
 */
public abstract class ElementPool implements AutoCloseable {
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
    /** Gauges: written by the owner alone, opaque; read by any thread, opaque. Each is right by itself, not as a set. */
    private long inUse;
    private long highWater;
    private long exhausted;

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
        return (long) IN_USE.getOpaque(this);
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

    /** One more refused misuse of an element of this pool. Any thread; for handles that notice the misuse themselves. */
    public final void countRefused() {
        refused.incrementAndGet();
    }

    /**
     * Takes back an element that is TAKEN or LENT. Under the guard.
     *
     * @throws DescriptorStateException if it is another pool's, FREE already, held, or on its way home. Counted as refused.
     */
    public abstract void put(PoolElement element);

    /**
     * Takes back an element whose last reference was let go after its worker had closed. Any thread, once per element; nothing to
     * do with the guard. Memory is freed with the last element of its chunk that was out.
     *
     * @throws DescriptorStateException if it is not RETURNED: somebody brought it back before.
     */
    public abstract void lateReturn(PoolElement element);

    /** Closes, and says what was out. Idempotent: a second call reports nothing. Under the guard. */
    public abstract List<Leak> closeAndReport();

    /** As {@link #closeAndReport}, for those who have no use for the report. */
    @Override
    public final void close() {
        closeAndReport();
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

    /** For messages: who touched the element last, if that is tracked. */
    final String lastTouch(final PoolElement element) {
        final Throwable touch = LeakTracker.lastTouchOf(element);
        return touch == null ? "" : " last " + touch.getMessage();
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

    final Leak leakOf(final PoolElement element) {
        final long ageNs = element.isHeld() ? clock.nanoTime() - element.heldSinceNs() : 0L;
        final String holder = describer.apply(element);
        final Throwable receipt = LeakTracker.receiptOf(element);
        final Throwable touch = LeakTracker.lastTouchOf(element);
        final String text = "element=" + element.index() + " was not returned to pool " + name +
            ": size_bytes=" + element.capacityBytes() + " age_ms=" + ageNs / 1_000_000 + " holder=" + holder +
            " state=" + element.stateName() + " references=" + element.references() +
            " generation=" + element.generation() + stack(" receipt: ", receipt) + stack(" last touch: ", touch);
        return new Leak(text, name, element.index(), element.capacityBytes(), ageNs, holder, element.generation(), receipt, touch);
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
