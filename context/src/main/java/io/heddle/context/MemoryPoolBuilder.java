package io.heddle.context;

import io.heddle.context.internal.LeakTracker;
import org.agrona.BitUtil;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

/** Collects what a {@link MemoryPool} is made of, and checks it as a whole in {@link #build}. Confined. */
public final class MemoryPoolBuilder {
    final String name;
    long elementBytes;
    int alignmentBytes = 64;
    long alignOffsetBytes;
    int elementsPerChunk = 128;
    int maxElements = MemoryPool.UNLIMITED;
    double growthFactor = 1.0;
    long maxChunkBytes = 128L << 20;
    ChunkAllocator allocator = ChunkAllocator.direct();
    Consumer<? super PoolElement> initializer = element -> { };
    Consumer<? super PoolElement> cleaner = element -> { };
    Function<? super PoolElement, String> describer = ElementPool::laneOf;
    Object attachment;
    LeakTracker tracker;
    NanoClock clock = SystemNanoClock.INSTANCE;

    MemoryPoolBuilder(final String name) {
        this.name = name;
    }

    /** @param bytes usable bytes of each element, &gt; 0. */
    public MemoryPoolBuilder elementBytes(final long bytes) {
        elementBytes = bytes;
        return this;
    }

    /** @param bytes power of two, 64 by default. */
    public MemoryPoolBuilder alignmentBytes(final int bytes) {
        alignmentBytes = bytes;
        return this;
    }

    /** @param bytes address + this is what is aligned; 0 by default, at most the element's bytes. */
    public MemoryPoolBuilder alignOffsetBytes(final long bytes) {
        alignOffsetBytes = bytes;
        return this;
    }

    /** @param elements of the first chunk, 128 by default. */
    public MemoryPoolBuilder elementsPerChunk(final int elements) {
        elementsPerChunk = elements;
        return this;
    }

    /** @param elements the limit, {@link MemoryPool#UNLIMITED} by default. */
    public MemoryPoolBuilder maxElements(final int elements) {
        maxElements = elements;
        return this;
    }

    /** The usable bytes of each element, as set. */
    public long elementBytes() {
        return elementBytes;
    }

    /** @param factor by which each chunk is larger than the one before, &gt;= 1, 1 by default. */
    public MemoryPoolBuilder growthFactor(final double factor) {
        growthFactor = factor;
        return this;
    }

    /** @param bytes the largest chunk, 128 MiB by default. */
    public MemoryPoolBuilder maxChunkBytes(final long bytes) {
        maxChunkBytes = bytes;
        return this;
    }

    /** @param source of the chunks; direct buffers by default. */
    public MemoryPoolBuilder allocator(final ChunkAllocator source) {
        allocator = source;
        return this;
    }

    /** @param hook called once for each element when its chunk is made. */
    public MemoryPoolBuilder initializer(final Consumer<? super PoolElement> hook) {
        initializer = Objects.requireNonNull(hook, "initializer");
        return this;
    }

    /** @param hook called for each free element when its chunk is given up. */
    public MemoryPoolBuilder cleaner(final Consumer<? super PoolElement> hook) {
        cleaner = Objects.requireNonNull(hook, "cleaner");
        return this;
    }

    /** @param text names the holder of an element in a leak report; the element's lane by default. */
    public MemoryPoolBuilder describer(final Function<? super PoolElement, String> text) {
        describer = Objects.requireNonNull(text, "describer");
        return this;
    }

    /** @param object what {@link MemoryPool#attachment()} returns. */
    public MemoryPoolBuilder attachment(final Object object) {
        attachment = object;
        return this;
    }

    /** @param leakTracker null (the default) for no tracking. */
    public MemoryPoolBuilder tracker(final LeakTracker leakTracker) {
        tracker = leakTracker;
        return this;
    }

    /** @param nanoClock read once per receipt; give the worker's cached clock, for the default asks the system. */
    public MemoryPoolBuilder clock(final NanoClock nanoClock) {
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
        check(growthFactor >= 1.0 && growthFactor < MemoryPool.UNLIMITED,
            "growthFactor=" + growthFactor + " must be >= 1");
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
