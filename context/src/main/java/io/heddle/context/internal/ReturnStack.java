package io.heddle.context.internal;

import io.heddle.context.DescriptorStateException;
import io.heddle.context.PoolElement;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The way home of elements whose last reference was let go: many threads push, the owner drains. A linked stack
 * through the elements themselves, on the heap, lock-free, without allocation.
 *
 * <p>An element may be pushed by the one caller whose release was told "that was the last". {@link #push} and
 * {@link #isEmpty} are thread safe; {@link #drain} and {@link #close} are too, though the owner's guard orders
 * them anyway. There is no ABA hazard, since nobody removes single elements.
 *
 * <p>After {@link #close} a push runs the fallback instead, on the pushing thread.
 */
public final class ReturnStack {
    private static final VarHandle HEAD;

    static {
        try {
            HEAD = MethodHandles.lookup().findVarHandle(ReturnStack.class, "head", Object.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    /** The head once the owner is gone. */
    private static final Object CLOSED = new Object();

    private final Consumer<? super PoolElement> afterClose;
    /** Null, a PoolElement, or CLOSED. */
    private volatile Object head;

    /**
     * @param afterClose takes elements pushed after {@link #close}; called on any thread, must not throw. Usually
     *                   {@code element -> element.pool().lateReturn(element)}.
     */
    public ReturnStack(final Consumer<? super PoolElement> afterClose) {
        this.afterClose = Objects.requireNonNull(afterClose, "afterClose");
    }

    /**
     * Hands a RETURNED element to the owner. Any thread; never blocks.
     *
     * @param element the element whose last reference the caller let go.
     * @return whether the stack was empty before, so that one of many pushers tells the owner; false after close.
     * @throws DescriptorStateException if the element is on a return stack already.
     */
    public boolean push(final PoolElement element) {
        if (element.isLinked()) {
            throw new DescriptorStateException("push refused: already on its way home, " + element);
        }
        for (; ; ) {
            final Object seen = head;
            if (seen == CLOSED) {
                element.unlink();
                afterClose.accept(element);
                return false;
            }
            element.link((PoolElement) seen);
            // Pairs with the exchange in drain: the link and the holder's accesses are seen by who drains.
            if (HEAD.compareAndSet(this, seen, element)) {
                return seen == null;
            }
        }
    }

    /**
     * Takes everything. The chain runs from the newest to the oldest; walk it with {@link PoolElement#unlink}, which
     * must be called on an element before it is reclaimed, since a reclaimed element may come here again.
     *
     * @return the newest element, or null if there is nothing or the stack is closed.
     */
    public PoolElement drain() {
        for (; ; ) {
            // Read before written: an idle owner must not take the line away from the pushers.
            final Object newest = head;
            if (newest == null || newest == CLOSED) {
                return null;
            }
            // Pairs with the compare-and-set in push.
            if (HEAD.compareAndSet(this, newest, null)) {
                return (PoolElement) newest;
            }
        }
    }

    /** Whether a drain would find nothing. Acquire; pairs with the compare-and-set in push. */
    public boolean isEmpty() {
        final Object seen = HEAD.getAcquire(this);
        return seen == null || seen == CLOSED;
    }

    /**
     * Ends the stack: whatever is pushed later goes to the fallback. Idempotent.
     *
     * @return what was on it, as by {@link #drain}.
     */
    public PoolElement close() {
        final Object seen = HEAD.getAndSet(this, CLOSED);
        return seen == CLOSED ? null : (PoolElement) seen;
    }
}
