package io.heddle.context;

import org.agrona.UnsafeApi;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(30)
class OversizePoolTest {
    private static final long MIB = 1L << 20;
    private final RecordingAllocator allocator = new RecordingAllocator();

    @ParameterizedTest
    @CsvSource({"0,131072", "1,131072", "131072,131072", "131073,262144", "1048576,1048576", "1048577,2097152"})
    void shouldRoundUpToAPowerOfTwo(final long bytes, final long capacityBytes) {
        try (OversizePool pool = pool(16 * MIB)) {
            final PoolElement element = pool.take(bytes);
            assertEquals(capacityBytes, element.capacityBytes());
            assertEquals(0, element.address() % 64);
            UnsafeApi.setMemory(element.address(), capacityBytes, (byte) 7);
            pool.put(element);
        }
        assertEquals(allocator.allocated, allocator.freed);
    }

    @Test
    void shouldAllocateNothingInAStreamOfOneSize() {
        try (OversizePool pool = pool(16 * MIB)) {
            final PoolElement element = pool.take(MIB);
            for (int i = 0; i < 1000; i++) {
                pool.put(element);
                assertEquals(MIB, pool.cachedBytes());
                assertSame(element, pool.take(MIB - i));
            }
            assertEquals(1, allocator.allocated);
            assertEquals(MIB, pool.memoryBytes());
            assertEquals(0, pool.cachedBytes());
        }
    }

    @Test
    void shouldGiveNothingOverTheBudgetAndGoOnAfterAPut() {
        try (OversizePool pool = pool(4 * MIB)) {
            final PoolElement first = pool.take(2 * MIB);
            assertNotNull(pool.take(2 * MIB));
            assertNull(pool.take(1));
            assertEquals(1, pool.exhausted());
            pool.put(first);
            assertNotNull(pool.take(1), "idle memory makes room");
            assertEquals(2 * MIB + OversizePool.MIN_ELEMENT_BYTES, pool.memoryBytes());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {100_000, 131_072, 200_000, 3_000_000})
    void shouldGiveTheWholeBudgetInOnePiece(final long budgetBytes) {
        try (OversizePool pool = pool(budgetBytes)) {
            final PoolElement element = pool.take(budgetBytes);
            assertTrue(element.capacityBytes() >= budgetBytes && pool.memoryBytes() <= budgetBytes, element.toString());
            pool.put(element);
            assertThrows(IllegalArgumentException.class, () -> pool.take(budgetBytes + 1));
            assertNotNull(pool.take(budgetBytes));
        }
    }

    @Test
    void shouldRefuseSizesThatNobodyCanHave() {
        try (OversizePool pool = pool(4L << 30)) {
            assertThrows(IllegalArgumentException.class, () -> pool.take(OversizePool.MAX_ELEMENT_BYTES + 1));
            assertThrows(IllegalArgumentException.class, () -> pool.take(-1));
        }
        assertThrows(IllegalArgumentException.class, () -> pool(0));
    }

    @Test
    void shouldKeepIdleMemoryWithinItsShare() {
        try (OversizePool pool = pool(8 * MIB)) {
            final PoolElement[] taken = new PoolElement[8];
            for (int i = 0; i < 8; i++) {
                taken[i] = pool.take(MIB);
            }
            for (final PoolElement element : taken) {
                pool.put(element);
            }
            assertEquals(4 * MIB, pool.cachedBytes());
            assertEquals(4 * MIB, pool.memoryBytes());
            assertEquals(4, allocator.freed);
            assertEquals(4 * MIB, pool.trim());
            assertEquals(0, pool.memoryBytes());
            assertEquals(8, allocator.freed);
            assertEquals("RETIRED", taken[0].stateName());
        }
    }

    @Test
    void shouldGiveIdleMemoryOfOneSizeUpForAnother() {
        try (OversizePool pool = pool(4 * MIB)) {
            pool.put(pool.take(2 * MIB));
            assertEquals(2 * MIB, pool.cachedBytes());
            assertNotNull(pool.take(4 * MIB));
            assertEquals(0, pool.cachedBytes());
            assertEquals(4 * MIB, pool.memoryBytes());
        }
    }

    @Test
    void shouldRefuseMisuseAsOtherPoolsDo() {
        try (OversizePool pool = pool(4 * MIB);
             MemoryPool other = MemoryPool.builder("other").elementBytes(64).build()) {
            final PoolElement element = pool.take(MIB);
            pool.put(element);
            assertThrows(DescriptorStateException.class, () -> pool.put(element));
            assertThrows(DescriptorStateException.class, () -> pool.put(other.take()));
            final PoolElement large = pool.take(4 * MIB);
            pool.put(large);
            assertThrows(DescriptorStateException.class, () -> pool.put(large), "its memory is gone");
            assertEquals(3, pool.refused());
            assertEquals(0, pool.inUse());
        }
    }

    @Test
    void shouldReportWhatIsOutAndFreeItWhenItComesBack() {
        final OversizePool pool = pool(8 * MIB);
        pool.put(pool.take(MIB));
        final PoolElement element = pool.take(2 * MIB);
        element.lane("endpoint=ep-1");
        element.hold();
        final List<Leak> leaks = pool.closeAndReport();
        assertEquals(1, leaks.size());
        assertTrue(leaks.get(0).text().contains("was not returned to pool large"), leaks.get(0).text());
        assertEquals("endpoint=ep-1", leaks.get(0).holder());
        assertEquals(2 * MIB, leaks.get(0).sizeBytes());
        assertEquals(1, allocator.freed);
        UnsafeApi.putLong(element.address(), 1);
        element.release(element.generation());
        pool.lateReturn(element);
        assertEquals(2, allocator.freed);
        assertThrows(DescriptorStateException.class, () -> pool.take(1));
        assertEquals(List.of(), pool.closeAndReport());
    }

    @Test
    void shouldCountWhatTheSystemDidNotGive() {
        final OversizePool pool = new OversizePool("large", MIB, 0.5, minBytes -> {
            throw new OutOfMemoryError("direct memory");
        }, null, null, SystemNanoClock.INSTANCE, String::valueOf);
        assertNull(pool.take(1));
        assertEquals(1, pool.exhausted());
        assertEquals(0, pool.memoryBytes());
        assertEquals("direct memory", pool.lastAllocationFailure().getMessage());
    }

    private OversizePool pool(final long budgetBytes) {
        return new OversizePool("large", budgetBytes, OversizePool.DEFAULT_CACHED_SHARE, allocator, null, null,
            SystemNanoClock.INSTANCE, element -> String.valueOf(element.lane()));
    }
}
