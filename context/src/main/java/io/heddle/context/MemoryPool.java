package io.heddle.context;

import io.heddle.context.DescriptorStateException.Kind;
import io.heddle.context.internal.LeakTracker;
import org.agrona.BitUtil;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Elements of one size, grown by chunks up to a limit. The last one put is the first one taken, since its memory is warm.
 *
 * <p>Threads: see {@link ElementPool}. The free stack is only a shortcut; the truth is the state of each element. Where the two
 * disagree, because somebody broke the guard's rule, the stack is made anew from the table of elements.
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
    private Throwable lastAllocationFailure;
    /** Gauges: written by the owner alone, opaque; read by any thread, opaque. */
    private int capacity;
    private long chunkBytes;

    private MemoryPool(final Builder builder) {
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
    public static Builder builder(final String name) {
        return new Builder(name);
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

    /** Why the allocator gave nothing the last time, or null if it always gave something or returned null. Under the guard. */
    public Throwable lastAllocationFailure() {
        return lastAllocationFailure;
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
        if (element.pool() != this) {
            throw refuse(Kind.WRONG_POOL, "put refused: pool=" + name() + " is not the pool of " + element);
        }
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
     * Makes elements of memory that came from elsewhere, such as a shared segment. They lie one element size, rounded up to the
     * alignment, apart, and count against the limit.
     *
     * @param address of the first element, aligned as the builder said.
     * @param count   how many elements.
     * @param memory  closed once when the pool lets go of the memory: at trim, at close, or when the last element that was out at
     *                close has come back; any thread.
     * @return the elements in the order of their addresses; they are free.
     * @throws IllegalArgumentException if the address is not aligned or the limit would be passed.
     */
    public PoolElement[] adopt(final long address, final int count, final AutoCloseable memory) {
        requireOpen("adopt");
        Objects.requireNonNull(memory, "memory");
        if (count <= 0 || count > maxElements - capacity) {
            throw new IllegalArgumentException("count=" + count + " must be > 0 and <= limit - capacity=" + (maxElements - capacity));
        }
        if ((address + alignOffsetBytes & alignmentBytes - 1) != 0) {
            throw new IllegalArgumentException("address=0x" + Long.toHexString(address) + " must be aligned: alignmentBytes=" +
                alignmentBytes + " alignOffsetBytes=" + alignOffsetBytes);
        }
        return addElements(new PoolChunk(strideBytes * count, count, memory), address).elements().clone();
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
        if (element.pool() != this) {
            throw refuse(Kind.WRONG_POOL, "remove of a chunk refused: pool=" + name() + " is not the pool of " + element);
        }
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
        HeddleException failure = null;
        for (final PoolChunk chunk : chunks) {
            int out = 0;
            for (final PoolElement element : chunk.elements()) {
                if (element.isFree()) {
                    cleaner.accept(element);
                    element.retire(ElementState.FREE);
                } else {
                    out++;
                    // One that is RETURNED or RETIRED was let go already and is only on its way.
                    if (element.isOut()) {
                        leaks.add(leakOf(element));
                    }
                }
            }
            try {
                chunk.settleAtClose(out);
            } catch (final HeddleException ex) {
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

    @Override
    public void lateReturn(final PoolElement element) {
        if (element.pool() != this) {
            throw refuse(Kind.WRONG_POOL, "late return refused: pool=" + name() + " is not the pool of " + element);
        }
        retireAfterClose(element, ElementState.RETURNED);
    }

    private void retireAfterClose(final PoolElement element, final int from) {
        if (!element.retire(from)) {
            throw refuse(Kind.DOUBLE_RELEASE, "late return refused: " + element);
        }
        element.chunk().cameBackLate();
    }

    private boolean growForTake() {
        requireOpen("take");
        final int added = addChunk(nextChunkElements);
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
        ChunkAllocator.Chunk memory = null;
        try {
            memory = allocator.allocate(count * strideBytes + slack);
        } catch (final RuntimeException | OutOfMemoryError ex) {
            lastAllocationFailure = ex;
        }
        if (memory == null) {
            return 0;
        }
        final long first = alignFirst(memory.address());
        final long fit = (memory.address() + memory.bytes() - first) / strideBytes;
        final int made = (int) Math.min(fit, quota);
        if (made <= 0) {
            lastAllocationFailure = new IllegalStateException("chunk_bytes=" + memory.bytes() + " hold no element");
            new PoolChunk(memory.bytes(), 0, memory.memory()).freeMemory();
            return 0;
        }
        return addElements(new PoolChunk(memory.bytes(), made, memory.memory()), first).elements().length;
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

    /** Collects what a pool is made of. Confined. */
    public static final class Builder {
        private final String name;
        private long elementBytes;
        private int alignmentBytes = 64;
        private long alignOffsetBytes;
        private int elementsPerChunk = 128;
        private int maxElements = UNLIMITED;
        private double growthFactor = 1.0;
        private long maxChunkBytes = 128L << 20;
        private ChunkAllocator allocator = ChunkAllocator.direct();
        private Consumer<? super PoolElement> initializer = element -> { };
        private Consumer<? super PoolElement> cleaner = element -> { };
        private Function<? super PoolElement, String> describer = element -> String.valueOf(element.lane());
        private Object attachment;
        private LeakTracker tracker;
        private NanoClock clock = SystemNanoClock.INSTANCE;

        private Builder(final String name) {
            this.name = name;
        }

        /** @param bytes usable bytes of each element, &gt; 0. */
        public Builder elementBytes(final long bytes) {
            elementBytes = bytes;
            return this;
        }

        /** @param bytes power of two, 64 by default. */
        public Builder alignmentBytes(final int bytes) {
            alignmentBytes = bytes;
            return this;
        }

        /** @param bytes address + this is what is aligned; 0 by default, at most the element's bytes. */
        public Builder alignOffsetBytes(final long bytes) {
            alignOffsetBytes = bytes;
            return this;
        }

        /** @param elements of the first chunk, 128 by default. */
        public Builder elementsPerChunk(final int elements) {
            elementsPerChunk = elements;
            return this;
        }

        /** @param elements the limit, {@link #UNLIMITED} by default. */
        public Builder maxElements(final int elements) {
            maxElements = elements;
            return this;
        }

        /** @param factor by which each chunk is larger than the one before, &gt;= 1, 1 by default. */
        public Builder growthFactor(final double factor) {
            growthFactor = factor;
            return this;
        }

        /** @param bytes the largest chunk, 128 MiB by default. */
        public Builder maxChunkBytes(final long bytes) {
            maxChunkBytes = bytes;
            return this;
        }

        /** @param source of the chunks; direct buffers by default. */
        public Builder allocator(final ChunkAllocator source) {
            allocator = source;
            return this;
        }

        /** @param hook called once for each element when its chunk is made. */
        public Builder initializer(final Consumer<? super PoolElement> hook) {
            initializer = Objects.requireNonNull(hook, "initializer");
            return this;
        }

        /** @param hook called for each free element when its chunk is given up. */
        public Builder cleaner(final Consumer<? super PoolElement> hook) {
            cleaner = Objects.requireNonNull(hook, "cleaner");
            return this;
        }

        /** @param text names the holder of an element in a leak report; the element's lane by default. */
        public Builder describer(final Function<? super PoolElement, String> text) {
            describer = Objects.requireNonNull(text, "describer");
            return this;
        }

        /** @param object what {@link MemoryPool#attachment()} returns. */
        public Builder attachment(final Object object) {
            attachment = object;
            return this;
        }

        /** @param leakTracker null (the default) for no tracking. */
        public Builder tracker(final LeakTracker leakTracker) {
            tracker = leakTracker;
            return this;
        }

        /** @param nanoClock read once per receipt; give the worker's cached clock, for the default asks the system. */
        public Builder clock(final NanoClock nanoClock) {
            clock = nanoClock;
            return this;
        }

        /** @throws IllegalArgumentException naming the value that is out of its range. */
        public MemoryPool build() {
            check(elementBytes > 0, "elementBytes=" + elementBytes + " must be > 0");
            check(BitUtil.isPowerOfTwo(alignmentBytes), "alignmentBytes=" + alignmentBytes + " must be a power of two");
            check(alignOffsetBytes >= 0 && alignOffsetBytes <= elementBytes,
                "alignOffsetBytes=" + alignOffsetBytes + " must be >= 0 and <= elementBytes=" + elementBytes);
            check(elementsPerChunk > 0, "elementsPerChunk=" + elementsPerChunk + " must be > 0");
            check(maxElements >= elementsPerChunk,
                "maxElements=" + maxElements + " must be >= elementsPerChunk=" + elementsPerChunk);
            check(growthFactor >= 1.0 && growthFactor < UNLIMITED, "growthFactor=" + growthFactor + " must be >= 1");
            check(maxChunkBytes >= BitUtil.align(elementBytes, (long) alignmentBytes) + alignmentBytes - 1,
                "maxChunkBytes=" + maxChunkBytes + " must hold one element of elementBytes=" + elementBytes +
                    " at alignmentBytes=" + alignmentBytes);
            check(allocator != null, "allocator=null must be given");
            return new MemoryPool(this);
        }

        private static void check(final boolean holds, final String message) {
            if (!holds) {
                throw new IllegalArgumentException(message);
            }
        }
    }
}
