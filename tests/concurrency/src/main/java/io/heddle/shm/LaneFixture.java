package io.heddle.shm;

import io.heddle.context.ChunkAllocator;
import io.heddle.context.MemoryPool;
import io.heddle.context.PoolElement;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * Directions of tiny lanes and small pools for tests that need millions of them. Thread safe.
 *
 * <p>A direction is a cell of one piece of memory outside the heap, zeroed when it is given out. The cells go round;
 * there are several times as many as jcstress has states in use at a time (10,000 at most, and one test at a time).
 */
final class LaneFixture {
    /** Two of everything that wraps, but four data slots, so that writer and reader can both be on their way. */
    static final Geometry GEOMETRY = new Geometry(4, 256, 2, 2);

    private static final int CELLS = 1 << 15;
    private static final int CELL_BYTES = (int) (GEOMETRY.directionBytes() + 127) & ~127;
    private static final ByteBuffer MEMORY = BufferUtil.allocateDirectAligned(CELLS * CELL_BYTES, 128);
    private static final long ADDRESS = BufferUtil.address(MEMORY);
    private static final AtomicInteger NEXT = new AtomicInteger();
    /** What no test looks at: the bytes of descriptors. */
    private static final ByteBuffer PAYLOAD = BufferUtil.allocateDirectAligned(1024, 64);

    private LaneFixture() {
    }

    /** Address of a direction that nobody else uses. */
    static long direction() {
        final long address = ADDRESS + (long) (NEXT.getAndIncrement() & CELLS - 1) * CELL_BYTES;
        UnsafeApi.setMemory(address, CELL_BYTES, (byte) 0);
        return address;
    }

    /** A grown pool of so many elements of the least size class, all free. */
    static MemoryPool pool(final int count) {
        final ChunkAllocator shared =
            minBytes -> new ChunkAllocator.Chunk(BufferUtil.address(PAYLOAD), minBytes, PAYLOAD, () -> { });
        return MemoryPool.builder("p").elementBytes(64).elementsPerChunk(count).maxElements(count).clock(() -> 0L)
            .allocator(shared)
            .build();
    }

    /** Every element of a pool of so many. */
    static PoolElement[] elements(final MemoryPool pool, final int count) {
        final PoolElement[] elements = new PoolElement[count];
        for (int i = 0; i < count; i++) {
            elements[i] = pool.take();
        }
        for (final PoolElement element : elements) {
            pool.put(element);
        }
        return elements;
    }
}
