package io.heddle.context;

import io.heddle.context.DescriptorStateException.Kind;
import org.agrona.BitUtil;

import java.nio.ByteBuffer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Elements of one size, grown by chunks up to a limit. The last one put is the first one taken, since its memory is
 * warm.
 *
 * <p>Threads: see {@link ElementPool}. The free stack is only a shortcut; the truth is the state of each element.
 * Where the two disagree, because somebody broke the guard's rule, the stack is made anew from the table of elements.
 *
 * <p>Allocation: {@link #take} and {@link #put} allocate nothing but when the pool grows.
 */
public final class MemoryPool extends ElementPool {
    /** As many elements as can be counted. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private static final VarHandle CAPACITY;
    private static final VarHandle CHUNK_BYTES;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            CAPACITY = lookup.findVarHandle(MemoryPool.class, "capacity", int.class);
            CHUNK_BYTES = lookup.findVarHandle(MemoryPool.class, "chunkBytes", long.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final long elementBytes;
    private final long strideBytes;
    private final int alignmentBytes;
    private final long alignOffsetBytes;
    private final int maxElements;
    private final double growthFactor;
    private final long maxChunkBytes;
    private final ChunkAllocator allocator;
    private final Consumer<? super PoolElement> initializer;
    private final Consumer<? super PoolElement> cleaner;
    private final List<PoolChunk> chunks = new ArrayList<>();
    private PoolElement[] free = new PoolElement[0];
    private int freeCount;
    private int nextChunkElements;
    private int nextIndex;
    private boolean closed;
    /** Gauges: written by the owner alone, opaque; read by any thread, opaque. */
    private int capacity;
    private long chunkBytes;

    MemoryPool(final MemoryPoolBuilder builder) {
        super(builder.name, builder.attachment, builder.tracker, builder.clock, builder.describer);
        elementBytes = builder.elementBytes;
        alignmentBytes = builder.alignmentBytes;
        alignOffsetBytes = builder.alignOffsetBytes;
        strideBytes = BitUtil.align(elementBytes, (long) alignmentBytes);
        maxElements = builder.maxElements;
        growthFactor = builder.growthFactor;
        maxChunkBytes = builder.maxChunkBytes;
        allocator = builder.allocator;
        initializer = builder.initializer;
        cleaner = builder.cleaner;
        nextChunkElements = builder.elementsPerChunk;
    }

    /** @param name of the pool, for reports. */
    public static MemoryPoolBuilder builder(final String name) {
        return new MemoryPoolBuilder(name);
    }

    /** Bytes of an element that may be used. */
    public long elementBytes() {
        return elementBytes;
    }

    /** Elements there are now, free or not. Any thread. */
    public int capacity() {
        return (int) CAPACITY.getOpaque(this);
    }

    /** The most elements there may be; {@link #UNLIMITED} if there is no limit. */
    public int limit() {
        return maxElements;
    }

    /** Bytes of all chunks now. Any thread. */
    public long chunkBytes() {
        return (long) CHUNK_BYTES.getOpaque(this);
    }

    /** Bytes of all chunks that no element in use takes: idle for reuse. Any thread. */
    public long cachedBytes() {
        return Math.max(0L, chunkBytes() - inUse() * strideBytes); // two gauges, which may be of two moments
    }

    /** Elements of each chunk in the order of growth. Under the guard. */
    public int[] chunkElements() {
        return chunks.stream().mapToInt(chunk -> chunk.elements().length).toArray();
    }

    /**
     * An element, in TAKEN; grows the pool if none is free.
     *
     * @return null if the limit is reached or no memory was to be had; counted as exhausted.
     * @throws DescriptorStateException if the pool is closed.
     */
    public PoolElement take() {
        for (; ; ) {
            final int count = freeCount;
            if (count == 0) {
                if (!growForTake()) {
                    return null;
                }
                continue;
            }
            final PoolElement element = free[count - 1];
            freeCount = count - 1;
            if (element != null && element.take()) {
                countTaken();
                return element;
            }
            countRefused();
            rebuildFreeStack();
        }
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
        final int count = freeCount;
        if (count == free.length) {
            rebuildFreeStack();
            return;
        }
        free[count] = element;
        freeCount = count + 1;
    }

    /**
     * Grows ahead of need; several chunks if one may not be large enough.
     *
     * @param elements how many more there shall be.
     * @return how many more there are: fewer at the limit or if the allocator gave nothing.
     */
    public int grow(final int elements) {
        requireOpen("grow");
        if (elements <= 0) {
            throw new IllegalArgumentException("elements=" + elements + " must be > 0");
        }
        int added = 0;
        while (added < elements) {
            final int more = addChunk(elements - added);
            if (more == 0) {
                break;
            }
            added += more;
        }
        return added;
    }

    /**
     * Makes elements of memory that came from elsewhere, such as a shared segment. They lie one element size, rounded
     * up to the alignment, apart, and count against the limit.
     *
     * @param address of the first element, aligned as the builder said.
     * @param count   how many elements.
     * @param memory  closed once when the pool lets go of the memory: at trim, at close, or when the last element
     *                that was out at close has come back; any thread.
     * @return the elements in the order of their addresses; they are free.
     * @throws IllegalArgumentException if the address is not aligned or the limit would be passed.
     */
    public PoolElement[] adopt(final long address, final int count, final AutoCloseable memory) {
        return adopt(address, count, memory, null);
    }

    /** As the other, with the same memory as a buffer, for {@link PoolElement#byteBuffer}. */
    public PoolElement[] adopt(final long address, final int count, final AutoCloseable memory,
        final ByteBuffer buffer) {
        requireOpen("adopt");
        Objects.requireNonNull(memory, "memory");
        if (count <= 0 || count > maxElements - capacity) {
            throw new IllegalArgumentException("count=" + count + " must be > 0 and <= limit - capacity=" +
                (maxElements - capacity));
        }
        if ((address + alignOffsetBytes & alignmentBytes - 1) != 0) {
            throw new IllegalArgumentException("address=0x" + Long.toHexString(address) +
                " must be aligned: alignmentBytes=" + alignmentBytes + " alignOffsetBytes=" + alignOffsetBytes);
        }
        return addElements(new PoolChunk(strideBytes * count, count, memory, buffer), address).elements().clone();
    }

    /** Distance of two elements of a chunk: what {@link #adopt} expects. */
    public long strideBytes() {
        return strideBytes;
    }

    /**
     * Frees the chunks none of whose elements is in use.
     *
     * @return bytes freed.
     */
    public long trim() {
        return trim(chunk -> true);
    }

    /**
     * Frees the chunk of the given element if none of its elements is in use.
     *
     * @return whether it was freed.
     */
    public boolean removeChunk(final PoolElement element) {
        requireOwn("remove chunk", element);
        return trim(chunk -> chunk == element.chunk()) > 0;
    }

    @Override
    public List<Leak> closeAndReport() {
        if (closed) {
            return List.of();
        }
        closed = true;
        freeCount = 0;
        free = new PoolElement[0];
        final List<Leak> leaks = new ArrayList<>();
        RuntimeException failure = null;
        for (final PoolChunk chunk : chunks) {
            try {
                settle(chunk, cleaner, leaks);
            } catch (final RuntimeException ex) {
                if (failure == null) {
                    failure = ex;
                } else {
                    failure.addSuppressed(ex);
                }
            }
        }
        chunks.clear();
        if (failure != null) {
            throw failure;
        }
        return leaks;
    }

    private boolean growForTake() {
        requireOpen("take");
        int wanted = nextChunkElements;
        int added = addChunk(wanted);
        while (added == 0 && wanted > 1 && capacity < maxElements) {
            wanted /= 2; // a budget may have no room for a whole chunk, and still for a few elements
            added = addChunk(wanted);
        }
        if (added == 0) {
            countExhausted();
            return false;
        }
        final double next = Math.rint(Math.min(nextChunkElements, added) * growthFactor);
        nextChunkElements = (int) Math.min(next, UNLIMITED);
        return true;
    }

    private int addChunk(final int wanted) {
        final int quota = maxElements - capacity;
        final long slack = alignmentBytes - 1L;
        final long most = (maxChunkBytes - slack) / strideBytes;
        final long count = Math.min(Math.min(wanted, quota), most);
        if (count == 0) {
            return 0;
        }
        final ChunkAllocator.Chunk memory = allocate(allocator, count * strideBytes + slack);
        if (memory == null) {
            return 0;
        }
        final long first = alignFirst(memory.address());
        final long fit = (memory.address() + memory.bytes() - first) / strideBytes;
        final int made = (int) Math.min(fit, quota);
        if (made <= 0) {
            new PoolChunk(memory.bytes(), 0, memory.memory(), null).freeMemory();
            throw new IllegalStateException("allocator gave chunk_bytes=" + memory.bytes() +
                ", too few for an element: pool=" + name());
        }
        final PoolChunk chunk = new PoolChunk(memory.bytes(), made, memory.memory(), memory.buffer());
        try {
            addElements(chunk, first);
        } catch (final RuntimeException ex) {
            chunk.freeMemory();
            throw ex;
        }
        return made;
    }

    private long alignFirst(final long address) {
        return BitUtil.align(address + alignOffsetBytes, (long) alignmentBytes) - alignOffsetBytes;
    }

    private PoolChunk addElements(final PoolChunk chunk, final long first) {
        final PoolElement[] elements = chunk.elements();
        for (int i = 0; i < elements.length; i++) {
            elements[i] = new PoolElement(this, chunk, nextIndex++, first + i * strideBytes, elementBytes);
            initializer.accept(elements[i]);
        }
        chunks.add(chunk);
        CAPACITY.setOpaque(this, capacity + elements.length); // read by capacity()
        CHUNK_BYTES.setOpaque(this, chunkBytes + chunk.bytes()); // read by chunkBytes()
        free = Arrays.copyOf(free, capacity);
        // The lowest address on top.
        for (int i = elements.length - 1; i >= 0; i--) {
            free[freeCount++] = elements[i];
        }
        return chunk;
    }

    private long trim(final Predicate<PoolChunk> candidate) {
        requireOpen("trim");
        long freed = 0;
        for (final PoolChunk chunk : new ArrayList<>(chunks)) {
            if (candidate.test(chunk) && isWhollyFree(chunk)) {
                for (final PoolElement element : chunk.elements()) {
                    cleaner.accept(element);
                    element.retire(ElementState.FREE);
                }
                chunks.remove(chunk);
                CAPACITY.setOpaque(this, capacity - chunk.elements().length); // read by capacity()
                CHUNK_BYTES.setOpaque(this, chunkBytes - chunk.bytes()); // read by chunkBytes()
                freed += chunk.bytes();
                rebuildFreeStack();
                chunk.freeMemory();
            }
        }
        return freed;
    }

    private static boolean isWhollyFree(final PoolChunk chunk) {
        for (final PoolElement element : chunk.elements()) {
            if (!element.isFree()) {
                return false;
            }
        }
        return true;
    }

    private void rebuildFreeStack() {
        final PoolElement[] stack = new PoolElement[capacity];
        int count = 0;
        for (int c = chunks.size() - 1; c >= 0; c--) {
            final PoolElement[] elements = chunks.get(c).elements();
            for (int i = elements.length - 1; i >= 0; i--) {
                if (elements[i].isFree()) {
                    stack[count++] = elements[i];
                }
            }
        }
        free = stack;
        freeCount = count;
    }

    private void requireOpen(final String operation) {
        if (closed) {
            throw refuse(Kind.WRONG_STATE, operation + " refused: pool=" + name() + " is closed");
        }
    }
}
