package io.heddle.context;

import io.heddle.context.internal.LeakTracker;
import org.agrona.BitUtil;
import org.agrona.concurrent.NanoClock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Elements of any size up to 1 GiB within a budget of bytes, for messages put together from many pieces. Memory is
 * rounded up to a power of two, at least 128 KiB, and what comes back is kept for reuse up to a share of the budget:
 * a stream of messages of one size neither allocates nor clears memory again. A request whose power of two would be
 * over the whole budget is rounded up to a cache line instead and not kept.
 *
 * <p>Whatever is at most {@link #budgetBytes()} is given once enough has come back; the caller checks that beforehand.
 *
 * <p>Threads: see {@link ElementPool}.
 */
public final class OversizePool extends ElementPool {
    /** The largest element. */
    public static final long MAX_ELEMENT_BYTES = 1L << 30;
    /** The smallest memory of an element. */
    public static final long MIN_ELEMENT_BYTES = 128L << 10;
    /** The share of the budget that may lie idle by default. */
    public static final double DEFAULT_CACHED_SHARE = 0.5;

    private static final int MIN_SHIFT = Long.numberOfTrailingZeros(MIN_ELEMENT_BYTES);
    private static final int LINE_BYTES = 64;
    private static final VarHandle MEMORY_BYTES;
    private static final VarHandle CACHED_BYTES;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            MEMORY_BYTES = lookup.findVarHandle(OversizePool.class, "memoryBytes", long.class);
            CACHED_BYTES = lookup.findVarHandle(OversizePool.class, "cachedBytes", long.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final long budgetBytes;
    private final long cachedBytesMax;
    private final ChunkAllocator allocator;
    /** Every element there is, each with a chunk of its own. */
    private final Set<PoolElement> table = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Idle elements by power of two. */
    private final List<List<PoolElement>> cached = new ArrayList<>();
    private int nextIndex;
    private boolean closed;
    /** Gauges: written by the owner alone, opaque; read by any thread, opaque. */
    private long memoryBytes;
    private long cachedBytes;

    /**
     * @param name        for reports.
     * @param budgetBytes the most memory, in use and idle together, &gt; 0.
     * @param cachedShare the most of it that may lie idle, 0 to 1; see {@link #DEFAULT_CACHED_SHARE}.
     * @param allocator   where memory comes from; {@link ChunkAllocator#direct()} in earnest.
     * @param attachment  what {@link #attachment()} returns.
     * @param tracker     null for no leak tracking.
     * @param clock       read once per receipt.
     * @param describer   names the holder of an element in a leak report.
     * @throws IllegalArgumentException naming the value that is out of its range.
     */
    public OversizePool(final String name, final long budgetBytes, final double cachedShare,
        final ChunkAllocator allocator, final Object attachment, final LeakTracker tracker, final NanoClock clock,
                        final Function<? super PoolElement, String> describer) {
        super(name, attachment, tracker, clock, describer);
        if (budgetBytes <= 0) {
            throw new IllegalArgumentException("budgetBytes=" + budgetBytes + " must be > 0");
        }
        if (!(cachedShare >= 0.0 && cachedShare <= 1.0)) {
            throw new IllegalArgumentException("cachedShare=" + cachedShare + " must be >= 0 and <= 1");
        }
        this.budgetBytes = budgetBytes;
        this.allocator = allocator;
        cachedBytesMax = (long) (budgetBytes * cachedShare);
        for (long bytes = MIN_ELEMENT_BYTES; bytes <= MAX_ELEMENT_BYTES; bytes <<= 1) {
            cached.add(new ArrayList<>());
        }
    }

    /** What an element of so many bytes takes of a budget that is not small: a power of two. */
    public static long memoryBytesFor(final long bytes) {
        return Math.max(BitUtil.findNextPositivePowerOfTwo(bytes), MIN_ELEMENT_BYTES);
    }

    /** The most memory; nothing larger can ever be taken. */
    public long budgetBytes() {
        return budgetBytes;
    }

    /** Bytes of memory now, in use and idle. Any thread. */
    public long memoryBytes() {
        return (long) MEMORY_BYTES.getOpaque(this);
    }

    /** Bytes of memory that lie idle for reuse. Any thread. */
    public long cachedBytes() {
        return (long) CACHED_BYTES.getOpaque(this);
    }

    /**
     * An element of at least so many bytes, in TAKEN, aligned to 64 bytes. Its bytes are whatever they were.
     *
     * @param bytes 0 to the smaller of {@link #budgetBytes()} and {@link #MAX_ELEMENT_BYTES}.
     * @return null if the budget does not allow it now, or the system has no memory; counted as exhausted.
     * @throws IllegalArgumentException if bytes can never be had.
     * @throws DescriptorStateException if the pool is closed.
     */
    public PoolElement take(final long bytes) {
        if (bytes < 0 || bytes > MAX_ELEMENT_BYTES || bytes > budgetBytes) {
            throw new IllegalArgumentException("bytes=" + bytes + " must be >= 0 and <= budgetBytes=" + budgetBytes +
                " and <= " + MAX_ELEMENT_BYTES);
        }
        if (closed) {
            throw refuse(DescriptorStateException.Kind.WRONG_STATE, "take refused: pool=" + name() + " is closed");
        }
        final long rounded = memoryBytesFor(bytes);
        final boolean keepable = rounded <= budgetBytes;
        PoolElement element = keepable ? takeCached(rounded) : null;
        if (element == null) {
            element = make(keepable ? rounded : Math.min(BitUtil.align(bytes, (long) LINE_BYTES), budgetBytes));
        }
        if (element == null) {
            countExhausted();
            return null;
        }
        countTaken();
        return element;
    }

    @Override
    public void put(final PoolElement element) {
        requireOwn("put", element);
        element.free();
        countPut();
        if (closed) {
            retireAfterClose(element, ElementState.FREE);
            return;
        }
        final long bytes = element.capacityBytes();
        if (bytes >= MIN_ELEMENT_BYTES && BitUtil.isPowerOfTwo(bytes) && cachedBytes + bytes <= cachedBytesMax) {
            cached.get(classOf(bytes)).add(element);
            changeCached(bytes);
        } else {
            discard(element);
        }
    }

    /**
     * Frees what lies idle.
     *
     * @return bytes freed.
     */
    public long trim() {
        return evict(Long.MAX_VALUE);
    }

    @Override
    public List<Leak> closeAndReport() {
        if (closed) {
            return List.of();
        }
        closed = true;
        final List<Leak> leaks = new ArrayList<>();
        for (final PoolElement element : table) {
            settle(element.chunk(), free -> { }, leaks);
        }
        table.clear();
        cached.forEach(List::clear);
        changeCached(-cachedBytes);
        return leaks;
    }

    private PoolElement takeCached(final long bytes) {
        final List<PoolElement> idle = cached.get(classOf(bytes));
        while (!idle.isEmpty()) {
            final PoolElement element = idle.remove(idle.size() - 1);
            changeCached(-bytes);
            if (element.take()) {
                return element;
            }
            countRefused();
        }
        return null;
    }

    private PoolElement make(final long bytes) {
        if (memoryBytes + bytes > budgetBytes) {
            evict(memoryBytes + bytes - budgetBytes);
            if (memoryBytes + bytes > budgetBytes) {
                return null;
            }
        }
        final ChunkAllocator.Chunk memory = allocate(allocator, bytes);
        if (memory == null) {
            return null;
        }
        final PoolChunk chunk = new PoolChunk(bytes, 1, memory.memory(), memory.buffer());
        final PoolElement element = new PoolElement(this, chunk, nextIndex++, memory.address(), bytes);
        chunk.elements()[0] = element;
        element.take();
        table.add(element);
        MEMORY_BYTES.setOpaque(this, memoryBytes + bytes); // read by memoryBytes()
        return element;
    }

    /** Frees idle elements, the largest first, until so many bytes are free or none is idle; returns bytes freed. */
    private long evict(final long bytes) {
        long freed = 0;
        for (int i = cached.size() - 1; i >= 0; i--) {
            final List<PoolElement> idle = cached.get(i);
            while (freed < bytes && !idle.isEmpty()) {
                final PoolElement element = idle.remove(idle.size() - 1);
                changeCached(-element.capacityBytes());
                discard(element);
                freed += element.capacityBytes();
            }
        }
        return freed;
    }

    private void discard(final PoolElement element) {
        if (!element.retire(ElementState.FREE)) {
            countRefused();
            return;
        }
        table.remove(element);
        MEMORY_BYTES.setOpaque(this, memoryBytes - element.capacityBytes()); // read by memoryBytes()
        element.chunk().freeMemory();
    }

    private void changeCached(final long bytes) {
        CACHED_BYTES.setOpaque(this, cachedBytes + bytes); // read by cachedBytes()
    }

    private static int classOf(final long powerOfTwo) {
        return Long.numberOfTrailingZeros(powerOfTwo) - MIN_SHIFT;
    }
}
