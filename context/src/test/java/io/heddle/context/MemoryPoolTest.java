package io.heddle.context;

import io.heddle.tests.base.StandsFor;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** UCX's pool tests (ucx-semantics 6.1), and growth, adoption and trimming. */
@Timeout(60)
class MemoryPoolTest {
    /** UCX: no_allocs. */
    @Test
    @StandsFor("6.1/no_allocs")
    void shouldReportNothingWhenNothingWasTaken() {
        final MemoryPool pool = MemoryPool.builder("untouched").elementBytes(64).build();
        assertEquals(0, pool.capacity());
        assertEquals(List.of(), pool.closeAndReport());
    }

    /** UCX: wrong_ops. */
    @Test
    @StandsFor("6.1/wrong_ops")
    void shouldRefuseToBeBuiltWithoutAllocator() {
        final MemoryPoolBuilder builder = MemoryPool.builder("p").elementBytes(64).allocator(null);
        assertRefused("allocator=null must be given", builder);
    }

    /** UCX: wrong_mpool_chuk_size. */
    @Test
    @StandsFor("6.1/wrong_mpool_chuk_size")
    void shouldRefuseChunksThatHoldNoElement() {
        final MemoryPoolBuilder builder = MemoryPool.builder("p").elementBytes(1024).maxChunkBytes(1000);
        assertRefused("maxChunkBytes=1000 must hold one element of elementBytes=1024 at alignmentBytes=64", builder);
    }

    @Test
    void shouldNameTheValueThatIsOutOfRange() {
        assertRefused("elementBytes=0 must be > 0", MemoryPool.builder("p"));
        assertRefused("alignmentBytes=48 must be a power of two", builder().alignmentBytes(48));
        assertRefused("alignOffsetBytes=65 must be >= 0 and <= elementBytes=64", builder().alignOffsetBytes(65));
        assertRefused("elementsPerChunk=0 must be > 0", builder().elementsPerChunk(0));
        assertRefused("maxElements=8 must be >= elementsPerChunk=128", builder().maxElements(8));
        assertRefused("growthFactor=0.5 must be >= 1", builder().growthFactor(0.5));
        assertRefused("growthFactor=NaN must be >= 1", builder().growthFactor(Double.NaN));
    }

    /** UCX: basic. */
    @ParameterizedTest
    @CsvSource({"1,0,1", "1,1,7", "2,1,64", "8,3,100", "64,0,64", "64,8,1000", "128,64,130", "4096,16,8256"})
    @StandsFor("6.1/basic")
    void shouldAlignKeepApartAndLimitElements(final int alignmentBytes, final long alignOffsetBytes,
        final int elementBytes) {
        final int limit = 18;
        final MemoryPool pool = MemoryPool.builder("basic").elementBytes(elementBytes).alignmentBytes(alignmentBytes)
            .alignOffsetBytes(alignOffsetBytes).elementsPerChunk(4).maxElements(limit).build();
        for (int round = 0; round < 3; round++) {
            final List<PoolElement> taken = new ArrayList<>();
            for (PoolElement element = pool.take(); element != null; element = pool.take()) {
                assertEquals(0, (element.address() + alignOffsetBytes) % alignmentBytes, "alignment");
                assertEquals(elementBytes, element.capacityBytes());
                UnsafeApi.setMemory(element.address(), elementBytes, (byte) (taken.size() + 1));
                taken.add(element);
            }
            assertEquals(limit, taken.size());
            assertEquals(limit, pool.inUse());
            for (int i = 0; i < limit; i++) {
                for (int at = 0; at < elementBytes; at++) {
                    assertEquals((byte) (i + 1), UnsafeApi.getByte(taken.get(i).address() + at),
                        "pattern of element " + i);
                }
            }
            taken.forEach(pool::put);
            assertEquals(0, pool.inUse());
            assertEquals(limit, pool.capacity());
            assertEquals(round + 1, pool.exhausted());
        }
        assertEquals(limit, pool.highWater());
        assertEquals(List.of(), pool.closeAndReport());
    }

    @Test
    @StandsFor("6.1/basic")
    void shouldTakeFirstWhatWasPutLast() {
        try (MemoryPool pool = builder().build()) {
            final PoolElement first = pool.take();
            final PoolElement second = pool.take();
            pool.put(first);
            pool.put(second);
            assertSame(second, pool.take());
            assertSame(first, pool.take());
        }
    }

    /** UCX: custom_alloc. */
    @Test
    @StandsFor("6.1/custom_alloc")
    void shouldUseAndFreeTheMemoryOfItsAllocator() {
        final RecordingAllocator allocator = new RecordingAllocator();
        final MemoryPool pool = builder().elementsPerChunk(2).allocator(allocator).build();
        final PoolElement element = pool.take();
        pool.take();
        pool.put(element);
        pool.put(takeLast(pool));
        assertEquals(1, allocator.allocated);
        assertTrue(allocator.requestedBytes >= 2 * 64);
        pool.closeAndReport();
        assertEquals(0, allocator.freed, "one element is still out");
    }

    private static PoolElement takeLast(final MemoryPool pool) {
        return pool.take();
    }

    @Test
    void shouldFreeEveryChunkAtClose() {
        final RecordingAllocator allocator = new RecordingAllocator();
        final MemoryPool pool = builder().elementsPerChunk(2).allocator(allocator).build();
        final Deque<PoolElement> taken = new ArrayDeque<>();
        for (int i = 0; i < 7; i++) {
            taken.push(pool.take());
        }
        taken.forEach(pool::put);
        assertEquals(4, allocator.allocated);
        assertEquals(allocator.givenBytes, pool.chunkBytes());
        pool.close();
        pool.close();
        assertEquals(4, allocator.freed);
    }

    @Test
    void shouldMakeUseOfMoreMemoryThanAskedFor() {
        final RecordingAllocator allocator = new RecordingAllocator();
        allocator.extraBytes = 3 * 64;
        try (MemoryPool pool = builder().elementsPerChunk(4).maxElements(9).allocator(allocator).build()) {
            assertNotNull(pool.take());
            assertEquals(7, pool.capacity());
            assertEquals(2, pool.grow(100), "never beyond the limit");
        }
    }

    /** UCX: grow. */
    @Test
    @StandsFor("6.1/grow")
    void shouldGrowAheadOfNeed() {
        final MemoryPool pool = builder().build();
        assertEquals(1, pool.grow(1));
        assertEquals(1, pool.capacity());
        final PoolElement element = pool.take();
        assertEquals(1, pool.capacity(), "no further growth was needed");
        pool.put(element);
        assertEquals(List.of(), pool.closeAndReport());
    }

    @Test
    void shouldGrowBySeveralChunksWhenOneIsNotLargeEnough() {
        try (MemoryPool pool = builder().maxChunkBytes(64 * 10 + 63).build()) {
            assertEquals(25, pool.grow(25));
            assertArrayEquals(new int[] {10, 10, 5}, pool.chunkElements());
        }
    }

    /** UCX: infinite. */
    @Test
    @StandsFor("6.1/infinite")
    void shouldGoOnWithoutLimit() {
        final int many = 1 << 20;
        final MemoryPool pool = MemoryPool.builder("infinite").elementBytes(16).alignmentBytes(16)
            .elementsPerChunk(1 << 14).build();
        final PoolElement[] taken = new PoolElement[many];
        for (int i = 0; i < many; i++) {
            taken[i] = pool.take();
        }
        assertEquals(many, pool.inUse());
        assertEquals(0, pool.exhausted());
        for (final PoolElement element : taken) {
            pool.put(element);
        }
        assertEquals(List.of(), pool.closeAndReport());
    }

    /** UCX: grow_factor1. */
    @Test
    @StandsFor("6.1/grow_factor1")
    void shouldGrowByEqualChunksWithFactorOne() {
        assertArrayEquals(new int[] {8, 8, 8, 1}, chunksWithFactor(1.0));
    }

    /** UCX: grow_factor2. */
    @Test
    @StandsFor("6.1/grow_factor2")
    void shouldDoubleChunksWithFactorTwo() {
        assertArrayEquals(new int[] {8, 16, 1}, chunksWithFactor(2.0));
    }

    private static int[] chunksWithFactor(final double factor) {
        final MemoryPool pool = builder().elementsPerChunk(8).maxElements(25).growthFactor(factor).build();
        int count = 0;
        while (pool.take() != null) {
            count++;
        }
        assertEquals(25, count);
        final int[] chunks = pool.chunkElements();
        pool.close();
        return chunks;
    }

    @Test
    void shouldStopGrowingGeometricallyWhereTheChunkLimitBinds() {
        final MemoryPool pool = builder().elementsPerChunk(4).growthFactor(2.0).maxChunkBytes(64 * 6 + 63).build();
        for (int i = 0; i < 4 + 6 + 6 + 1; i++) {
            pool.take();
        }
        assertArrayEquals(new int[] {4, 6, 6, 6}, pool.chunkElements());
        pool.close();
    }

    /** UCX: alloc_4g. The memory is never touched, so it need not be there. */
    @Test
    @StandsFor("6.1/alloc_4g")
    void shouldCutChunksBeyondFourGiB() {
        final long elementBytes = 1L << 30;
        final long[] asked = new long[1];
        final long pretended = 1L << 40;
        final MemoryPool pool = MemoryPool.builder("4g").elementBytes(elementBytes).elementsPerChunk(6)
            .maxChunkBytes(8L << 30).allocator(minBytes -> {
                asked[0] = minBytes;
                return new ChunkAllocator.Chunk(pretended, minBytes, null, () -> { });
            }).build();
        for (int i = 0; i < 6; i++) {
            assertEquals(pretended + i * elementBytes, pool.take().address());
        }
        assertEquals(6 * elementBytes + 63, asked[0]);
        assertEquals(asked[0], pool.chunkBytes());
        pool.close();
    }

    @Test
    void shouldSayWhyDirectBuffersDoNotGiveMoreThanTwoGiB() {
        final MemoryPool pool = MemoryPool.builder("3g").elementBytes(3L << 30).elementsPerChunk(1)
            .maxChunkBytes(4L << 30).build();
        assertNull(pool.take());
        assertEquals(1, pool.exhausted());
        final String reason = pool.lastAllocationFailure().getMessage();
        assertTrue(reason.contains("must be <= "), reason);
        pool.close();
    }

    /** UCX: test_mpool_fifo.alloc_release, without the FIFO mode, which Heddle has not. */
    @Test
    @StandsFor("6.1/mpool_fifo.alloc_release")
    void shouldKeepOwnerAndNumberOfAnElementOverItsLives() {
        try (MemoryPool pool = builder().build()) {
            final PoolElement element = pool.take();
            final int index = element.index();
            for (int life = 1; life < 100; life++) {
                assertSame(pool, element.pool());
                assertEquals(index, element.index());
                assertEquals(life, element.generation());
                pool.put(element);
                assertSame(element, pool.take());
            }
        }
    }

    @Test
    void shouldInitializeEachElementOnceAndCleanEachFreeOneUp() {
        final AtomicInteger initialized = new AtomicInteger();
        final AtomicInteger cleaned = new AtomicInteger();
        final MemoryPool pool = builder().elementsPerChunk(5).initializer(element -> initialized.incrementAndGet())
            .cleaner(element -> cleaned.incrementAndGet()).build();
        for (int i = 0; i < 10; i++) {
            pool.put(pool.take());
        }
        pool.take();
        pool.close();
        assertEquals(5, initialized.get());
        assertEquals(4, cleaned.get(), "the one that is out is not touched");
    }

    @Test
    void shouldFreeTheMemoryWhenAnInitializerThrows() {
        final RecordingAllocator allocator = new RecordingAllocator();
        final MemoryPool pool = builder().allocator(allocator).initializer(element -> {
            throw new IllegalStateException("no");
        }).build();
        assertThrows(IllegalStateException.class, pool::take);
        assertEquals(1, allocator.freed);
        assertEquals(0, pool.capacity());
    }

    @Test
    void shouldCountTakesThatTheAllocatorLeftEmpty() {
        final boolean[] empty = {true};
        final ChunkAllocator direct = ChunkAllocator.direct();
        try (MemoryPool pool = builder().allocator(minBytes -> empty[0] ? null : direct.allocate(minBytes)).build()) {
            assertNull(pool.take());
            assertNull(pool.take());
            assertEquals(2, pool.exhausted());
            assertEquals(0, pool.inUse());
            empty[0] = false;
            assertNotNull(pool.take());
            assertEquals(2, pool.exhausted());
        }
    }

    @Test
    void shouldTakeASmallerChunkWhereTheAllocatorHasNoWholeOne() {
        final ChunkAllocator direct = ChunkAllocator.direct();
        final long[] left = {300};
        try (MemoryPool pool = MemoryPool.builder("p").elementBytes(64).elementsPerChunk(128).allocator(minBytes -> {
            if (minBytes > left[0]) {
                return null;
            }
            left[0] -= minBytes;
            return direct.allocate(minBytes);
        }).build()) {
            assertNotNull(pool.take());
            assertNotNull(pool.take());
            assertEquals(0, pool.exhausted());
            while (pool.take() != null) {
                assertTrue(pool.inUse() <= 4, "no more than was given");
            }
            assertEquals(1, pool.exhausted());
            pool.closeAndReport();
        }
    }

    @Test
    void shouldLeaveAnAllocatorAloneForAWhileAfterItThrew() {
        final long[] nowNs = {0};
        final int[] asked = {0};
        final MemoryPool pool = builder().clock(() -> nowNs[0]).allocator(minBytes -> {
            asked[0]++;
            throw new OutOfMemoryError("direct memory");
        }).build();
        assertNull(pool.take());
        assertNull(pool.take());
        assertEquals(1, asked[0]);
        nowNs[0] += ElementPool.ALLOCATION_RETRY_NS;
        assertNull(pool.take());
        assertEquals(2, asked[0]);
        assertEquals(3, pool.exhausted());
        assertEquals("direct memory", pool.lastAllocationFailure().getMessage());
        pool.close();
    }

    @Test
    void shouldMakeElementsOfAdoptedMemory() {
        final ByteBuffer buffer = BufferUtil.allocateDirectAligned(4 * 128, 64);
        final AtomicInteger freed = new AtomicInteger();
        final MemoryPool pool = MemoryPool.builder("adopted").elementBytes(100).elementsPerChunk(1).maxElements(4)
            .allocator(minBytes -> null).build();
        final PoolElement[] elements = pool.adopt(BufferUtil.address(buffer), 4, freed::incrementAndGet);
        assertEquals(4, elements.length);
        for (int i = 0; i < 4; i++) {
            assertEquals(BufferUtil.address(buffer) + i * pool.strideBytes(), elements[i].address());
        }
        assertSame(elements[0], pool.take());
        assertThrows(IllegalArgumentException.class, () -> pool.adopt(BufferUtil.address(buffer), 1, () -> { }));
        pool.put(elements[0]);
        pool.close();
        assertEquals(1, freed.get());
    }

    @Test
    void shouldRefuseAdoptedMemoryThatIsNotAligned() {
        try (MemoryPool pool = builder().build()) {
            assertThrows(IllegalArgumentException.class, () -> pool.adopt(4096 + 8, 1, () -> { }));
            assertThrows(IllegalArgumentException.class, () -> pool.adopt(4096, 0, () -> { }));
            assertEquals(0, pool.capacity());
        }
    }

    @Test
    void shouldTrimOnlyChunksThatAreWhollyFree() {
        final RecordingAllocator allocator = new RecordingAllocator();
        final MemoryPool pool = builder().elementsPerChunk(4).allocator(allocator).build();
        final List<PoolElement> taken = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            taken.add(pool.take());
        }
        for (int i = 0; i < 12; i++) {
            if (i != 5) {
                pool.put(taken.get(i));
            }
        }
        final long before = pool.chunkBytes();
        assertEquals(before - before / 3, pool.trim());
        assertEquals(2, allocator.freed);
        assertEquals(4, pool.capacity());
        assertEquals(1, pool.inUse());
        assertEquals("RETIRED", taken.get(0).stateName());
        for (int i = 0; i < 3; i++) {
            assertSame(taken.get(5).chunk(), pool.take().chunk());
        }
        assertNotNull(pool.take());
        assertEquals(8, pool.capacity());
        pool.close();
    }

    @Test
    void shouldRemoveTheChunkOfAnElement() {
        final MemoryPool pool = builder().elementsPerChunk(2).build();
        final PoolElement element = pool.take();
        assertFalse(pool.removeChunk(element), "in use");
        pool.put(element);
        assertTrue(pool.removeChunk(element));
        assertEquals(0, pool.capacity());
        assertEquals(0, pool.chunkBytes());
        pool.close();
    }

    @Test
    void shouldSayHowManyBytesLieIdle() {
        final MemoryPool pool = builder().elementsPerChunk(4).build();
        assertEquals(0, pool.cachedBytes());
        final PoolElement element = pool.take();
        assertEquals(pool.chunkBytes() - pool.strideBytes(), pool.cachedBytes());
        pool.put(element);
        assertEquals(pool.chunkBytes(), pool.cachedBytes());
        assertTrue(pool.cachedBytes() > 0);
        pool.trim();
        assertEquals(0, pool.cachedBytes());
        pool.close();
    }

    private static MemoryPoolBuilder builder() {
        return MemoryPool.builder("p").elementBytes(64);
    }

    private static void assertRefused(final String message, final MemoryPoolBuilder builder) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, builder::build).getMessage());
    }
}
