package io.heddle.context;

import io.heddle.context.internal.LeakTracker;
import io.heddle.tests.base.StandsFor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(30)
class LeakReportTest {
    private long nowNs = 1_000_000_000L;

    /** UCX: leak_check. */
    @Test
    @StandsFor("6.1/leak_check")
    void shouldReportEachElementThatIsOut() {
        final MemoryPool pool = builder().describer(element -> "number " + element.userId()).build();
        for (int i = 0; i < 8; i++) {
            final PoolElement element = pool.take();
            element.userId(100 + i);
            if (i < 3) {
                pool.put(element);
                pool.take();
                pool.put(element);
            }
        }
        final List<Leak> leaks = pool.closeAndReport();
        assertEquals(5, leaks.size());
        for (final Leak leak : leaks) {
            assertTrue(leak.text().contains("was not returned to pool p"), leak.text());
            assertTrue(leak.holder().startsWith("number 10"), leak.holder());
        }
        assertEquals(List.of(), pool.closeAndReport(), "reported once");
    }

    /** failure-scenarios M1: exactly the three, each with pool, size, age and sender. */
    @Test
    void shouldSayWhoHoldsWhatAndSinceWhen() {
        final MemoryPool pool = builder().build();
        final PoolElement element = pool.take();
        element.lane("endpoint=ep-5 peer=w-2");
        element.lend();
        assertTrue(element.arrive());
        nowNs += 12_000_000L;
        final Leak leak = pool.closeAndReport().get(0);
        assertEquals("p", leak.pool());
        assertEquals(64, leak.sizeBytes());
        assertEquals(12_000_000L, leak.ageNs());
        assertEquals("endpoint=ep-5 peer=w-2", leak.holder());
        assertEquals(element.generation(), leak.generation());
        assertNull(leak.receipt(), "no tracking, no stack");
        assertEquals("element=0 was not returned to pool p: size_bytes=64 age_ms=12 holder=endpoint=ep-5 peer=w-2 " +
            "state=HELD references=1 generation=1", leak.toString());
    }

    @Test
    void shouldShowReceiptAndLastTouchWithTracking() {
        final MemoryPool pool = builder().tracker(LeakTracker.full()).build();
        final PoolElement element = pool.take();
        receive(element);
        touch(element);
        final Leak leak = pool.closeAndReport().get(0);
        assertTrue(leak.text().contains("LeakReportTest.receive("), leak.text());
        assertTrue(leak.text().contains("LeakReportTest.touch("), leak.text());
        assertNotNull(leak.receipt());
        assertNotNull(leak.lastTouch());
    }

    private static void receive(final PoolElement element) {
        element.hold();
    }

    private static void touch(final PoolElement element) {
        element.retain(element.generation());
    }

    @Test
    void shouldNotShowTheReceiptOfAnEarlierLife() {
        final MemoryPool pool = builder().tracker(LeakTracker.full()).build();
        final PoolElement element = pool.take();
        receive(element);
        element.release(element.generation());
        element.reclaim();
        assertNull(pool.closeAndReport().get(0).receipt());
    }

    @Test
    void shouldNameTheFirstReleaserWithTracking() throws InterruptedException {
        try (MemoryPool pool = builder().tracker(LeakTracker.full()).build()) {
            final PoolElement element = pool.take();
            element.hold();
            final int generation = element.generation();
            final Thread releaser = new Thread(() -> element.release(generation), "releaser-1");
            releaser.start();
            releaser.join();
            final DescriptorStateException atOnce =
                assertThrows(DescriptorStateException.class, () -> element.release(generation));
            assertEquals(DescriptorStateException.Kind.DOUBLE_RELEASE, atOnce.kind());
            assertTrue(atOnce.firstReleaser().contains("releaser-1"), atOnce.getMessage());
            element.reclaim();
            final DescriptorStateException later =
                assertThrows(DescriptorStateException.class, () -> element.release(generation));
            assertTrue(later.getMessage().contains("releaser-1"), later.getMessage());
        }
    }

    @Test
    void shouldSampleOneReceiptOfMany() {
        final MemoryPool pool = builder().tracker(LeakTracker.sampled()).build();
        for (int i = 0; i < 3 * LeakTracker.SAMPLE_INTERVAL; i++) {
            pool.take().hold();
        }
        assertEquals(3, pool.closeAndReport().stream().filter(leak -> leak.receipt() != null).count());
    }

    @Test
    void shouldKnowTheLevelsByName() {
        assertNull(LeakTracker.forLevel("off"));
        assertNotNull(LeakTracker.forLevel("sampled"));
        assertNotNull(LeakTracker.forLevel("full"));
        assertThrows(IllegalArgumentException.class, () -> LeakTracker.forLevel("some"));
    }

    @Test
    void shouldNotReportWhatIsOnItsWayHome() {
        final MemoryPool pool = builder().build();
        final PoolElement element = pool.take();
        element.hold();
        element.release(element.generation());
        assertEquals(List.of(), pool.closeAndReport());
        pool.lateReturn(element);
        assertEquals(0, pool.inUse());
    }

    private MemoryPoolBuilder builder() {
        return MemoryPool.builder("p").elementBytes(64).elementsPerChunk(8).clock(() -> nowNs);
    }
}
