package io.heddle.context;

import io.heddle.tests.base.StandsFor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(30)
class MemoryPoolSetTest {
    /** UCX: test_mpool_set.get. */
    @ParameterizedTest
    @CsvSource({"0,64", "1,64", "63,64", "64,64", "65,128", "127,128", "128,128", "129,256", "1024,1024", "1025,2048",
        "32768,32768", "32769,65536", "65535,65536", "65536,65536"})
    @StandsFor("6.1/mpool_set.get")
    void shouldTakeFromTheSmallestClassThatHolds(final long bytes, final long classBytes) {
        try (MemoryPoolSet set = MemoryPoolSet.create("set", 64, 65536, builder -> { })) {
            final PoolElement element = set.take(bytes);
            assertEquals(classBytes, element.capacityBytes());
            assertEquals(1, set.inUse());
            set.put(element);
            assertEquals(0, set.inUse());
        }
    }

    @Test
    void shouldGoOverEverySizeAndItsClass() {
        try (MemoryPoolSet set = MemoryPoolSet.create("set", 64, 65536, builder -> { })) {
            for (int bytes = 1; bytes <= 65536; bytes++) {
                final long has = set.poolFor(bytes).elementBytes();
                assertTrue(has >= bytes && (has == 64 || has < 2L * bytes), "bytes=" + bytes + " class=" + has);
            }
        }
    }

    @Test
    void shouldHaveALargestClassOfAnySize() {
        try (MemoryPoolSet set = MemoryPoolSet.create("set", 64, 3000, builder -> { })) {
            assertEquals(2048, set.poolFor(2048).elementBytes());
            assertEquals(3000, set.poolFor(2049).elementBytes());
            assertEquals(3000, set.poolFor(3000).elementBytes());
            assertThrows(IllegalArgumentException.class, () -> set.take(3001));
            assertEquals(7, set.pools().size());
        }
    }

    @Test
    void shouldHaveOneClassWhenSmallestAndLargestAreTheSame() {
        try (MemoryPoolSet set = MemoryPoolSet.create("set", 64, 64, builder -> { })) {
            assertEquals(List.of(set.poolFor(0)), set.pools());
        }
    }

    /** UCX: the errors of test_mpool_set.get. */
    @ParameterizedTest
    @CsvSource({"0,64", "48,64", "-64,64", "128,64", "64,1073741825"})
    @StandsFor("6.1/mpool_set.get")
    void shouldRefuseSizesThatMakeNoClasses(final long minBytes, final long maxBytes) {
        assertThrows(IllegalArgumentException.class,
            () -> MemoryPoolSet.create("set", minBytes, maxBytes, builder -> { }));
    }

    @Test
    void shouldRefuseToTakeMoreThanTheLargestClassHolds() {
        try (MemoryPoolSet set = MemoryPoolSet.create("set", 64, 65536, builder -> { })) {
            assertThrows(IllegalArgumentException.class, () -> set.take(65537));
            assertThrows(IllegalArgumentException.class, () -> set.take(-1));
        }
    }

    /** UCX: test_mpool_set.name. */
    @Test
    @StandsFor("6.1/mpool_set.name")
    void shouldNameItsClassesAndConfigureThem() {
        final MemoryPoolSet set = MemoryPoolSet.create("copies", 64, 256,
            builder -> builder.attachment(builder.elementBytes()));
        assertEquals(List.of("copies-64", "copies-128", "copies-256"),
            set.pools().stream().map(MemoryPool::name).toList());
        assertEquals(List.of(64L, 128L, 256L), set.pools().stream().map(MemoryPool::attachment).toList());
        set.take(65).hold();
        final List<Leak> leaks = set.closeAndReport();
        assertEquals(1, leaks.size());
        assertEquals("copies-128", leaks.get(0).pool());
    }

    /** failure-scenarios M3: kept 8-byte messages do not pin large elements, and the memory can be had back. */
    @Test
    void shouldKeepManyShortMessagesCheaply() {
        final int many = 100_000;
        try (MemoryPoolSet set = MemoryPoolSet.create("set", 64, 65536, builder -> { })) {
            final PoolElement[] held = new PoolElement[many];
            for (int i = 0; i < many; i++) {
                held[i] = set.take(8);
            }
            assertTrue(set.chunkBytes() <= many * 192L, "chunk_bytes=" + set.chunkBytes());
            for (final PoolElement element : held) {
                set.put(element);
            }
            assertEquals(set.chunkBytes(), set.trim());
            assertEquals(0, set.chunkBytes());
        }
    }
}
