package io.heddle.worker;

import io.heddle.context.DescriptorStateException;
import io.heddle.context.PoolElement;
import io.heddle.context.internal.GuardedBuffer;
import io.heddle.context.internal.Operation;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;

/**
 * Payload that was kept beyond its handler: a handle and a read-only view in one object of 32 bytes. One handle, one
 * holder: a further holder calls {@link #retain()} on it.
 *
 * <p><b>Which thread may let go.</b> {@link #releaseAsync()} and {@link #close()}: any thread, in every mode. {@link
 * #release()} is a use of the worker: in MULTI any thread; in SERIALIZED any thread in its turn; in SINGLE the owner.
 *
 * <p>A read that begins after the release has returned throws, in every build. The bytes stay readable until then, also
 * after the endpoint or the worker was closed or the peer has died. Of two releases of one handle the second throws
 * {@link DescriptorStateException}; {@code close()} does nothing then. {@link #byteBuffer()} and {@link
 * #memoryAddress()} give what cannot be taken back: valid until the release and not checked.
 *
 * <p>Heddle never reuses a handle that {@link ActiveMessage#retain()} made. An object that the application reuses by
 * {@link ActiveMessage#retainInto} is as safe as the application's own bookkeeping. Handing a handle to another thread
 * publishes the bytes with it.
 *
 * <p>A handle that is dropped without being let go keeps its memory until the worker is closed, whose report names it.
 * With {@code heddle.leak.tracking=sampled|full} handles made by {@code retain()}, some or all, are found by the
 * garbage collector: logged with the stack of their receipt, and let go. What {@code byteBuffer()} or {@code
 * memoryAddress()} gave is not valid then any more.
 */
public sealed class ReceivedData extends GuardedBuffer implements AutoCloseable permits WatchedData {
    private PoolElement element;
    private int generation;

    /** Holds nothing; for {@link ActiveMessage#retainInto}. */
    public ReceivedData() {
        super();
    }

    /** Under the guard; the reference is the caller's to give. */
    void hold(final PoolElement held, final long address, final int lengthBytes) {
        element = held;
        generation = held.generation();
        point(address, lengthBytes);
    }

    /** The bytes: this object. */
    public DirectBuffer data() {
        return this;
    }

    /** How many bytes. */
    public long lengthBytes() {
        return capacity();
    }

    /** Whether it was not let go yet. */
    public boolean isHeld() {
        return !isRevoked();
    }

    /**
     * A second handle on the same bytes, for a second holder. A use of the worker.
     *
     * @throws DescriptorStateException if this one was let go.
     */
    public ReceivedData retain() {
        final WorkerCore core = core("retain");
        final ReceivedData other = core.keeping().newHandle();
        core.guard().enter(Operation.RETAIN);
        try {
            final long address = addressOffset();
            element.retain(generation);
            other.hold(element, address, capacity());
        } finally {
            core.guard().exit(Operation.RETAIN);
        }
        return other;
    }

    /**
     * Lets go: a use of the worker, see the class. Never waits for the peer.
     *
     * @throws DescriptorStateException if it was let go before; the element is unharmed.
     * @throws io.heddle.context.ThreadModeViolation where thread modes are checked and the call breaks the rule; then
     *     nothing was changed and the call may be repeated.
     */
    public void release() {
        final WorkerCore core = core("release");
        core.guard().enter(Operation.RELEASE);
        try {
            letGo(core);
        } finally {
            core.guard().exit(Operation.RELEASE);
        }
    }

    /**
     * Lets go from any thread, in every mode: lock-free, never blocks, wakes a sleeping worker that then lends the
     * memory again.
     *
     * @throws DescriptorStateException if it was let go before.
     */
    public void releaseAsync() {
        letGo(core("release_async"));
    }

    /** As {@link #releaseAsync()}; nothing if it was let go already. */
    @Override
    public void close() {
        if (isHeld()) {
            releaseAsync();
        }
    }

    /** Native address of the first byte: valid until release, unchecked. */
    public long memoryAddress() {
        return addressOffset();
    }

    private WorkerCore core(final String operation) {
        final PoolElement held = element;
        if (held == null) {
            throw new DescriptorStateException(DescriptorStateException.Kind.STALE_HANDLE,
                operation + " refused: this handle holds nothing and never did");
        }
        return (WorkerCore) held.pool().attachment();
    }

    private void letGo(final WorkerCore core) {
        final PoolElement held = element;
        if (!revokeOnce()) {
            held.pool().countRefused();
            throw new DescriptorStateException(DescriptorStateException.Kind.DOUBLE_RELEASE,
                "released twice: worker=" + core.name() + " pool=" + held.pool().name() + " element=" + held.index()
                + " generation="
                    + generation + " thread=" + Thread.currentThread().getName());
        }
        if (held.release(generation)) {
            core.cameHome(held);
        }
        hasLetGo();
    }

    /** For the subclass that is watched. */
    void hasLetGo() {
    }

    /** What one handle has: for whoever lets go in its place. Immutable. */
    record Hold(PoolElement element, int generation, int lengthBytes) {
        void letGo(final WorkerCore core) {
            if (element.release(generation)) {
                core.cameHome(element);
            }
        }

        @Override
        public String toString() {
            return "pool=" + element.pool().name() + " element=" + element.index() + " lengthBytes=" + lengthBytes
                + " [" + element.lane() + ']';
        }
    }

    @Override
    protected ByteBuffer byteBufferOn(final long address, final int lengthBytes) {
        return element.byteBuffer(address, lengthBytes);
    }
}
