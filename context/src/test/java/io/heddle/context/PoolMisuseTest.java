package io.heddle.context;

import io.heddle.context.internal.ReturnStack;
import io.heddle.tests.base.StandsFor;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What UCX's pools cannot notice (ucx-semantics 6.1, "not tested by UCX"). */
@Timeout(60)
class PoolMisuseTest {
    private MemoryPool pool;

    @BeforeEach
    void makePool() {
        pool = MemoryPool.builder("p").elementBytes(64).elementsPerChunk(8).build();
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    @Test
    @StandsFor("6.1/own.double_put")
    void shouldRefuseASecondPut() {
        final PoolElement element = pool.take();
        pool.put(element);
        final DescriptorStateException refused = assertThrows(DescriptorStateException.class, () -> pool.put(element));
        assertTrue(refused.getMessage().contains("state=FREE"), refused.getMessage());
        assertEquals(1, pool.refused());
        assertSame(element, pool.take());
        assertNotSame(element, pool.take(), "it is on the stack once");
    }

    @Test
    @StandsFor("6.1/own.foreign_put")
    void shouldRefuseAnotherPoolsElement() {
        try (MemoryPool other = MemoryPool.builder("other").elementBytes(64).build()) {
            final PoolElement element = other.take();
            final DescriptorStateException refused = assertThrows(DescriptorStateException.class,
                () -> pool.put(element));
            assertEquals(DescriptorStateException.Kind.WRONG_POOL, refused.kind());
            assertEquals(1, pool.refused());
            assertEquals(1, other.inUse());
            other.put(element);
        }
    }

    @Test
    void shouldRefuseToPutWhatIsHeld() {
        final PoolElement element = pool.take();
        element.hold();
        assertThrows(DescriptorStateException.class, () -> pool.put(element));
        assertTrue(element.release(element.generation()));
        assertThrows(DescriptorStateException.class, () -> pool.put(element), "on its way home");
        element.reclaim();
        pool.put(element);
        assertEquals(2, pool.refused());
    }

    @Test
    @StandsFor("6.1/own.use_after_put")
    void shouldRefuseToUseAnElementAfterItsPut() {
        final PoolElement element = pool.take();
        final int generation = element.generation();
        pool.put(element);
        assertThrows(DescriptorStateException.class, element::lend);
        assertThrows(DescriptorStateException.class, element::hold);
        assertThrows(DescriptorStateException.class, element::reclaim);
        assertThrows(DescriptorStateException.class, () -> element.retain(generation));
        assertThrows(DescriptorStateException.class, () -> element.release(generation));
        assertFalse(element.arrive());
        assertTrue(element.isFree());
        assertEquals(5, pool.refused());
    }

    @Test
    void shouldRefuseAStaleHandleOfARecycledElement() {
        final PoolElement element = pool.take();
        element.hold();
        final int stale = element.generation();
        element.release(stale);
        element.reclaim();
        element.hold();
        final DescriptorStateException refused = assertThrows(DescriptorStateException.class,
            () -> element.release(stale));
        assertEquals(DescriptorStateException.Kind.STALE_HANDLE, refused.kind());
        assertThrows(DescriptorStateException.class, () -> element.retain(stale));
        assertEquals(1, element.references(), "the rightful holder has lost nothing");
        assertTrue(element.release(element.generation()));
    }

    @Test
    @StandsFor("6.1/own.get_after_close")
    void shouldRefuseTakesAfterClose() {
        pool.put(pool.take());
        pool.close();
        assertThrows(DescriptorStateException.class, pool::take);
        assertThrows(DescriptorStateException.class, () -> pool.grow(1));
        assertThrows(DescriptorStateException.class, pool::trim);
        assertThrows(DescriptorStateException.class, () -> pool.adopt(4096, 1, () -> { }));
    }

    @Test
    @StandsFor("6.1/own.close_with_outstanding")
    void shouldKeepMemoryThatIsOutAtCloseUntilItIsReleased() {
        final RecordingAllocator allocator = new RecordingAllocator();
        final MemoryPool closing = MemoryPool.builder("closing").elementBytes(64).elementsPerChunk(4)
            .allocator(allocator).build();
        final ReturnStack home = new ReturnStack(element -> element.pool().lateReturn(element));
        final PoolElement first = closing.take();
        final PoolElement second = closing.take();
        first.hold();
        second.hold();
        UnsafeApi.putLong(second.address(), 4711L);
        assertNull(home.close());
        assertEquals(2, closing.closeAndReport().size());
        assertFalse(pushIfLast(home, first, first.generation()));
        assertEquals(0, allocator.freed);
        assertEquals(4711L, UnsafeApi.getLong(second.address()));
        assertEquals(1, closing.inUse());
        pushIfLast(home, second, second.generation());
        assertEquals(1, allocator.freed);
        assertEquals(0, closing.inUse());
        assertThrows(DescriptorStateException.class, () -> closing.lateReturn(second));
        assertEquals(1, allocator.freed);
    }

    @Test
    void shouldFreeMemoryOnceWhenTheLastReleaseComesBetweenStackCloseAndPoolClose() {
        final RecordingAllocator allocator = new RecordingAllocator();
        final MemoryPool closing = MemoryPool.builder("closing").elementBytes(64).elementsPerChunk(4)
            .allocator(allocator).build();
        final PoolElement element = closing.take();
        element.hold();
        element.release(element.generation());
        closing.lateReturn(element);
        assertEquals(0, allocator.freed);
        assertEquals(List.of(), closing.closeAndReport(), "it was let go in time");
        assertEquals(1, allocator.freed);
    }

    @Test
    void shouldTakeBackWhatItsOwnerPutsAfterClose() {
        final RecordingAllocator allocator = new RecordingAllocator();
        final MemoryPool closing = MemoryPool.builder("closing").elementBytes(64).elementsPerChunk(4)
            .allocator(allocator).build();
        final PoolElement element = closing.take();
        element.lend();
        assertEquals(1, closing.closeAndReport().size());
        closing.put(element);
        assertEquals(1, allocator.freed);
        assertThrows(DescriptorStateException.class, () -> closing.put(element));
    }

    @Test
    @StandsFor("6.1/own.cross_thread_put")
    void shouldTakeElementsHomeThatOtherThreadsReleased() throws InterruptedException {
        final ReturnStack home = new ReturnStack(element -> { });
        final List<PoolElement> held = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            final PoolElement element = pool.take();
            element.lend();
            assertTrue(element.arrive());
            held.add(element);
        }
        final Thread releaser = new Thread(() -> held.forEach(
            element -> pushIfLast(home, element, element.generation())));
        releaser.start();
        releaser.join();
        int count = 0;
        for (PoolElement element = home.drain(); element != null; ) {
            final PoolElement next = element.unlink();
            element.reclaim();
            pool.put(element);
            element = next;
            count++;
        }
        assertEquals(8, count);
        assertEquals(0, pool.inUse());
    }

    @Test
    @StandsFor("6.1/own.concurrent_get_put")
    void shouldLetOneOfManyReleasesOfOneReferenceSucceed() throws Exception {
        final int threads = 4;
        for (int round = 0; round < 200; round++) {
            final PoolElement element = pool.take();
            element.hold();
            final int generation = element.generation();
            final CyclicBarrier together = new CyclicBarrier(threads);
            final AtomicInteger released = new AtomicInteger();
            final AtomicInteger refused = new AtomicInteger();
            final CountDownLatch done = new CountDownLatch(threads);
            for (int i = 0; i < threads; i++) {
                new Thread(() -> {
                    try {
                        together.await();
                        if (element.release(generation)) {
                            released.incrementAndGet();
                        }
                    } catch (final DescriptorStateException ex) {
                        refused.incrementAndGet();
                    } catch (final Exception ex) {
                        throw new IllegalStateException(ex);
                    } finally {
                        done.countDown();
                    }
                }).start();
            }
            done.await();
            assertEquals(1, released.get());
            assertEquals(threads - 1, refused.get());
            element.reclaim();
            pool.put(element);
        }
        assertEquals(200L * (threads - 1), pool.refused());
    }

    @Test
    @StandsFor("6.1/own.concurrent_get_put")
    void shouldNeverHandOutAnElementTwiceToThreadsThatBreakTheRule() throws Exception {
        final MemoryPool abused = MemoryPool.builder("abused").elementBytes(64).elementsPerChunk(4).maxElements(4)
            .build();
        abused.grow(4);
        final int rounds = 20_000;
        final AtomicInteger[] holders = new AtomicInteger[4];
        for (int i = 0; i < holders.length; i++) {
            holders[i] = new AtomicInteger();
        }
        final AtomicInteger twice = new AtomicInteger();
        final CyclicBarrier together = new CyclicBarrier(2);
        final Runnable abuse = () -> {
            try {
                together.await();
            } catch (final Exception ex) {
                throw new IllegalStateException(ex);
            }
            for (int i = 0; i < rounds; i++) {
                final PoolElement element = abused.take();
                if (element != null) {
                    if (holders[element.index()].incrementAndGet() != 1) {
                        twice.incrementAndGet();
                    }
                    holders[element.index()].decrementAndGet();
                    abused.put(element);
                }
            }
        };
        final Thread first = new Thread(abuse);
        final Thread second = new Thread(abuse);
        first.start();
        second.start();
        first.join();
        second.join();
        assertEquals(0, twice.get());
        assertEquals(List.of(), abused.closeAndReport(), "nothing is out, whatever the stack looked like");
    }

    @Test
    @Tag("debug-only")
    void shouldPoisonWhatComesBackInDebug() {
        try (MemoryPool large = MemoryPool.builder("large").elementBytes(8192).elementsPerChunk(2).build()) {
            final PoolElement element = large.take();
            element.hold();
            UnsafeApi.setMemory(element.address(), 8192, (byte) 1);
            element.release(element.generation());
            assertEquals((byte) 1, UnsafeApi.getByte(element.address()), "not before it is home");
            element.reclaim();
            assertEquals(Poison.PATTERN, UnsafeApi.getByte(element.address()));
            assertEquals(Poison.PATTERN, UnsafeApi.getByte(element.address() + Poison.MAX_BYTES - 1));
            assertEquals((byte) 1, UnsafeApi.getByte(element.address() + Poison.MAX_BYTES));
        }
    }

    @Test
    void shouldReportEveryTakeThatGotNothing() {
        try (MemoryPool small = MemoryPool.builder("small").elementBytes(64).elementsPerChunk(2).maxElements(2)
            .build()) {
            final PoolElement first = small.take();
            assertNotNull(small.take());
            assertNull(small.take());
            assertEquals(1, small.exhausted());
            small.put(first);
            assertSame(first, small.take(), "one release and it goes on");
            assertEquals(2, small.limit());
        }
    }

    private static boolean pushIfLast(final ReturnStack home, final PoolElement element, final int generation) {
        return element.release(generation) && home.push(element);
    }
}
