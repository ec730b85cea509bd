package io.heddle.tests.concurrency;

import io.heddle.context.ChunkAllocator;
import io.heddle.context.DescriptorStateException;
import io.heddle.context.MemoryPool;
import io.heddle.context.PoolElement;
import org.agrona.BufferUtil;

import java.nio.ByteBuffer;

/**
 * Small pools for tests that need millions of them: all on the same memory, which no test looks at. Thread safe.
 */
final class PoolFixture {
    private static final int BYTES = 1024;
    private static final ByteBuffer MEMORY = BufferUtil.allocateDirectAligned(BYTES, 64);

    private PoolFixture() {
    }

    /** A pool of two elements that counts how often its memory is freed. */
    static MemoryPool pool(final Runnable onFree) {
        final ChunkAllocator shared =
            minBytes -> new ChunkAllocator.Chunk(BufferUtil.address(MEMORY), minBytes, MEMORY, onFree::run);
        return MemoryPool.builder("p").elementBytes(64).elementsPerChunk(2).maxElements(2).clock(() -> 0L)
            .allocator(shared)
            .build();
    }

    /** An element of a pool of its own, held with one reference. */
    static PoolElement held() {
        return held(pool(() -> { }));
    }

    /** An element of the pool, held with one reference. */
    static PoolElement held(final MemoryPool pool) {
        final PoolElement element = pool.take();
        element.hold();
        return element;
    }

    /** An element of a pool of its own whose last reference was let go. */
    static PoolElement returned() {
        final PoolElement element = held();
        element.release(element.generation());
        return element;
    }

    /** 1 if this release was the last one, 0 if not, 2 if it was refused. */
    static int release(final PoolElement element, final int generation) {
        try {
            return element.release(generation) ? 1 : 0;
        } catch (final DescriptorStateException ex) {
            return 2;
        }
    }

    /** 1 if the element could be retained, 2 if that was refused. */
    static int retain(final PoolElement element, final int generation) {
        try {
            element.retain(generation);
            return 1;
        } catch (final DescriptorStateException ex) {
            return 2;
        }
    }

    /** How many elements a drained chain has; takes it apart. */
    static int count(final PoolElement newest) {
        int count = 0;
        for (PoolElement element = newest; element != null; element = element.unlink()) {
            count++;
        }
        return count;
    }
}
