package io.heddle.context;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;

/**
 * One element of a pool: where its memory is, and who has it. The state is on the heap, private to this process; the
 * memory at {@link #address()} may be shared with a peer, who cannot change the state.
 *
 * <pre>
 *            take            lend            arrive
 *   FREE ---------&gt; TAKEN ---------&gt; LENT ---------&gt; HELD &lt;--+ retain, release (references left)
 *    ^               ^ | \----------- hold ----------&gt; |  --+
 *    |   pool.put    | +---- pool.put (LENT too) -&gt;FREE|
 *    +---------------+                                 | release (the last reference)
 *                    +------------- reclaim ------- RETURNED
 * </pre>
 *
 * <p>Every transition is one compare-and-set of a word of {generation, state, references}: of two racing calls that
 * both need the same state, exactly one succeeds and the other gets a {@link DescriptorStateException}, having
 * changed nothing. The generation grows at each entry to TAKEN, so a handle that remembers the generation of its
 * receipt cannot release a later holder's data.
 *
 * <p>Memory order: the compare-and-set of {@link #release} publishes the holder's reads and writes; that of {@link
 * #reclaim} acquires them, so an element is lent again only after its last holder has finished with it.
 *
 * <p>Thread safe: the transitions and the accessors of state. {@link #userId}, {@link #lane} and what the leak
 * tracker keeps are single writer: whoever has the element in TAKEN or LENT, under the worker's guard.
 */
public final class PoolElement {
    /** Marks the oldest element of a chain, so that {@code next == null} always means "not on a return stack". */
    private static final PoolElement CHAIN_END = new PoolElement();
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(PoolElement.class, "state", long.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final ElementPool pool;
    private final PoolChunk chunk;
    private final int index;
    private final long address;
    private final long capacityBytes;
    private volatile long state;
    /** Plain: written by the one thread that pushes, read by the one that drains, ordered by the stack's head. */
    private PoolElement next;
    private int userId;
    private Object lane;
    private long heldSinceNs;
    private Object tracking;

    private PoolElement() {
        pool = null;
        chunk = null;
        index = -1;
        address = 0L;
        capacityBytes = 0L;
    }

    PoolElement(final ElementPool pool, final PoolChunk chunk, final int index, final long address,
        final long capacityBytes) {
        this.pool = pool;
        this.chunk = chunk;
        this.index = index;
        this.address = address;
        this.capacityBytes = capacityBytes;
    }

    /** The pool this element belongs to, for good. */
    public ElementPool pool() {
        return pool;
    }

    /** Number within its pool, unique over the pool's life. */
    public int index() {
        return index;
    }

    /** Native address of the first byte. Valid as long as the element is not FREE; not checked and not revocable. */
    public long address() {
        return address;
    }

    /** Bytes from {@link #address()} that belong to this element. */
    public long capacityBytes() {
        return capacityBytes;
    }

    /**
     * A read-only byte buffer, in native order, on part of the memory; null if the memory is not to be had as a
     * buffer. Cannot be taken back: it is valid while the caller holds the element.
     */
    public ByteBuffer byteBuffer(final long from, final int lengthBytes) {
        final ByteBuffer whole = chunk.buffer();
        if (whole == null) {
            return null;
        }
        return whole.slice((int) (from - BufferUtil.address(whole)), lengthBytes).asReadOnlyBuffer()
            .order(ByteOrder.nativeOrder());
    }

    /** The number its owner gave it, such as the descriptor id on its lane; 0 at first. */
    public int userId() {
        return userId;
    }

    /** @param id the owner's number for this element; to be set in TAKEN. */
    public void userId(final int id) {
        userId = id;
    }

    /** Whatever the owner tied to it, such as the lane it is lent on; its text is the holder in a leak report. */
    public Object lane() {
        return lane;
    }

    /** @param attachment the owner's object for this element, null for none; to be set in TAKEN. */
    public void lane(final Object attachment) {
        lane = attachment;
    }

    /** What the leak tracker keeps for this receipt, or null. */
    public Object tracking() {
        return tracking;
    }

    /** @param record the leak tracker's record, or null. */
    public void tracking(final Object record) {
        tracking = record;
    }

    /** The pool's clock when the element became HELD last. Racy by nature, for reports. */
    public long heldSinceNs() {
        return heldSinceNs;
    }

    /** How often this element has been taken or reclaimed: what a handle remembers. Wraps around after 2^32. */
    public int generation() {
        return ElementState.generation(state);
    }

    /** Whether somebody holds it now. */
    public boolean isHeld() {
        return ElementState.state(state) == ElementState.HELD;
    }

    /** Whether it lies free in its pool now. */
    public boolean isFree() {
        return ElementState.state(state) == ElementState.FREE;
    }

    /** Whether it is lent to a peer now. */
    public boolean isLent() {
        return ElementState.state(state) == ElementState.LENT;
    }

    /** References now; 0 unless HELD. */
    public int references() {
        return ElementState.references(state);
    }

    /** The state's name now, for reports. */
    public String stateName() {
        return ElementState.name(state);
    }

    /**
     * FREE to TAKEN, and a new generation. Called by the pool.
     *
     * @return false if it was not FREE: somebody else took it first.
     */
    boolean take() {
        final long now = state;
        return ElementState.state(now) == ElementState.FREE &&
            STATE.compareAndSet(this, now, ElementState.word(ElementState.generation(now) + 1, ElementState.TAKEN, 0));
    }

    /** TAKEN to LENT: a peer may write into it from now on. */
    public void lend() {
        move("lend", ElementState.TAKEN, ElementState.LENT, 0);
    }

    /**
     * LENT to HELD with one reference: the peer says that it has filled this element.
     *
     * @return false, and nothing changed, if it was not LENT: the peer broke the rules, which is the lane's business.
     */
    public boolean arrive() {
        final long now = state;
        if (ElementState.state(now) != ElementState.LENT ||
            !STATE.compareAndSet(this, now, ElementState.word(ElementState.generation(now), ElementState.HELD, 1))) {
            return false;
        }
        heldSinceNs = pool.received(this);
        return true;
    }

    /**
     * HELD with one reference to LENT: nobody took what {@link #arrive()} brought, which will be brought again. Under
     * the guard.
     */
    public void recall() {
        final long now = state;
        if (ElementState.state(now) != ElementState.HELD || ElementState.references(now) != 1
            || !STATE.compareAndSet(this, now, ElementState.word(ElementState.generation(now), ElementState.LENT, 0))) {
            throw refused("recall", state, ElementState.generation(now));
        }
    }

    /** TAKEN to HELD with one reference: the owner has filled a private copy. */
    public void hold() {
        move("hold", ElementState.TAKEN, ElementState.HELD, 1);
        heldSinceNs = pool.received(this);
    }

    /**
     * One more reference for one more holder. Any thread that has a reference itself.
     *
     * @param generation the generation of the receipt.
     * @throws DescriptorStateException if it is not HELD in that generation, or has 2^24 - 1 references already.
     */
    public void retain(final int generation) {
        for (; ; ) {
            final long now = state;
            if (now >>> 24 != heldBits(generation) || ElementState.references(now) == ElementState.MAX_REFERENCES) {
                throw refused("retain", now, generation);
            }
            if (STATE.compareAndSet(this, now, now + 1)) {
                pool.touched(this);
                return;
            }
        }
    }

    /**
     * One reference less. Any thread. When it was the last one the element is RETURNED, and the caller, who alone
     * gets true, must push it to the owner's return stack.
     *
     * @param generation the generation of the receipt.
     * @return whether this was the last reference.
     * @throws DescriptorStateException if it is not HELD in that generation: released before.
     */
    public boolean release(final int generation) {
        for (; ; ) {
            final long now = state;
            if (now >>> 24 != heldBits(generation)) {
                throw refused("release", now, generation);
            }
            pool.touched(this);
            final boolean last = ElementState.references(now) == 1;
            final long then = last ? ElementState.word(generation, ElementState.RETURNED, 0) : now - 1;
            // Pairs with the compare-and-set in reclaim: the holder's accesses come before the element is lent again.
            if (STATE.compareAndSet(this, now, then)) {
                return last;
            }
        }
    }

    /**
     * RETURNED to TAKEN with a new generation: the owner has it back from the return stack, and may lend it again at
     * once.
     */
    public void reclaim() {
        final long now = state;
        // Pairs with the compare-and-set in release.
        if (ElementState.state(now) != ElementState.RETURNED ||
            !STATE.compareAndSet(
                this, now, ElementState.word(ElementState.generation(now) + 1, ElementState.TAKEN, 0))) {
            throw refused("reclaim", state, ElementState.generation(now));
        }
        poison();
    }

    /** TAKEN or LENT to FREE. Called by the pool, which then has it on its stack. */
    void free() {
        final long now = state;
        final int from = ElementState.state(now);
        if (from != ElementState.TAKEN && from != ElementState.LENT ||
            !STATE.compareAndSet(this, now, ElementState.word(ElementState.generation(now), ElementState.FREE, 0))) {
            throw refused("put", state, ElementState.generation(now));
        }
        poison();
    }

    /** From the given state to RETIRED; for good. Called by the pool. */
    boolean retire(final int from) {
        final long now = state;
        return ElementState.state(now) == from &&
            STATE.compareAndSet(this, now, ElementState.word(ElementState.generation(now), ElementState.RETIRED, 0));
    }

    /** Whether its owner, a peer or a holder has it: not free, and not let go by its last holder. */
    boolean isOut() {
        final int now = ElementState.state(state);
        return now == ElementState.TAKEN || now == ElementState.LENT || now == ElementState.HELD;
    }

    PoolChunk chunk() {
        return chunk;
    }

    /** Whether it is on a return stack, or in a chain drained from one and not yet walked past. */
    public boolean isLinked() {
        return next != null;
    }

    /** For the return stack alone: {@code older} follows in the chain, null if there is none. */
    public void link(final PoolElement older) {
        next = older == null ? CHAIN_END : older;
    }

    /** Takes it out of a drained chain: to be called before it is reclaimed. Returns the next of the chain, or null. */
    public PoolElement unlink() {
        final PoolElement older = next;
        next = null;
        return older == CHAIN_END ? null : older;
    }

    private void move(final String operation, final int from, final int to, final int references) {
        final long now = state;
        if (ElementState.state(now) != from ||
            !STATE.compareAndSet(this, now, ElementState.word(ElementState.generation(now), to, references))) {
            throw refused(operation, state, ElementState.generation(now));
        }
    }

    private void poison() {
        if (Poison.ENABLED) {
            try {
                Poison.fill(address, capacityBytes);
            } catch (final InternalError ex) {
                // A peer has truncated the file behind the memory: nobody reads it any more either.
                return;
            }
        }
    }

    private static long heldBits(final int generation) {
        return (generation & 0xFFFF_FFFFL) << 8 | ElementState.HELD;
    }

    private static DescriptorStateException.Kind kindOf(final long seen, final int generation) {
        if (ElementState.generation(seen) != generation) {
            return DescriptorStateException.Kind.STALE_HANDLE;
        }
        return ElementState.state(seen) == ElementState.RETURNED ?
            DescriptorStateException.Kind.DOUBLE_RELEASE : DescriptorStateException.Kind.WRONG_STATE;
    }

    private DescriptorStateException refused(final String operation, final long seen, final int generation) {
        return pool.refuse(kindOf(seen, generation), operation + " refused: pool=" + pool.name() + " element=" + index +
            " state=" + ElementState.name(seen) + " references=" + ElementState.references(seen) +
            " generation=" + ElementState.generation(seen) + " generation_of_caller=" + generation, this, generation);
    }

    @Override
    public String toString() {
        final long now = state;
        return "PoolElement{pool=" + (pool == null ? "none" : pool.name()) + " index=" + index + " bytes=" +
            capacityBytes + " state=" + ElementState.name(now) + " references=" + ElementState.references(now) +
            " generation=" + ElementState.generation(now) + '}';
    }
}
