package io.heddle.context.internal;

import io.heddle.context.DescriptorStateException;
import io.heddle.context.MemoryPool;
import io.heddle.context.PoolElement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class ReturnStackTest {
    private final MemoryPool pool = MemoryPool.builder("p").elementBytes(64).build();
    private final List<PoolElement> late = new ArrayList<>();
    private final ReturnStack stack = new ReturnStack(late::add);

    @AfterEach
    void closePool() {
        pool.close();
    }

    @Test
    void shouldGiveEverythingAtOnceNewestFirst() {
        final PoolElement first = returned();
        final PoolElement second = returned();
        final PoolElement third = returned();
        assertTrue(stack.isEmpty());
        assertTrue(stack.push(first), "the first one tells the owner");
        assertFalse(stack.push(second));
        assertFalse(stack.push(third));
        assertFalse(stack.isEmpty());
        assertEquals(List.of(third, second, first), walk(stack.drain()));
        assertTrue(stack.isEmpty());
        assertNull(stack.drain());
        assertTrue(stack.push(first), "and so does the first one after a drain");
    }

    @Test
    void shouldRefuseAnElementThatIsOnItAlready() {
        final PoolElement element = returned();
        stack.push(element);
        assertThrows(DescriptorStateException.class, () -> stack.push(element));
        assertEquals(List.of(element), walk(stack.drain()));
    }

    @Test
    void shouldHandLateElementsToTheFallback() {
        final PoolElement early = returned();
        final PoolElement later = returned();
        stack.push(early);
        assertEquals(List.of(early), walk(stack.close()));
        assertFalse(stack.push(later));
        assertEquals(List.of(later), late);
        assertFalse(later.isLinked());
        assertNull(stack.drain());
        assertNull(stack.close());
        assertTrue(stack.isEmpty());
    }

    /** failure-scenarios M2, small: received here, released there by many, each comes home exactly once. */
    @Test
    void shouldLoseNothingBetweenManyReleasersAndOneOwner() throws InterruptedException {
        final int releasers = 4;
        final int perReleaser = 20_000 * Integer.getInteger("tests.scale", 1);
        final ArrayList<ArrayList<PoolElement>> work = new ArrayList<>();
        final AtomicInteger wakeUps = new AtomicInteger();
        for (int i = 0; i < releasers; i++) {
            work.add(new ArrayList<>());
            for (int n = 0; n < perReleaser; n++) {
                final PoolElement element = pool.take();
                element.hold();
                work.get(i).add(element);
            }
        }
        final List<Thread> threads = work.stream().map(mine -> new Thread(() -> mine.forEach(element -> {
            if (element.release(element.generation()) && stack.push(element)) {
                wakeUps.incrementAndGet();
            }
        }))).toList();
        threads.forEach(Thread::start);
        int home = 0;
        int drains = 0;
        while (home < releasers * perReleaser) {
            final PoolElement newest = stack.drain();
            drains += newest == null ? 0 : 1;
            for (PoolElement element = newest; element != null; home++) {
                final PoolElement older = element.unlink();
                element.reclaim();
                pool.put(element);
                element = older;
            }
            Thread.onSpinWait();
        }
        for (final Thread thread : threads) {
            thread.join();
        }
        assertEquals(drains, wakeUps.get(), "one pusher per batch was told");
        assertEquals(0, pool.inUse());
        assertEquals(0, pool.refused());
    }

    private PoolElement returned() {
        final PoolElement element = pool.take();
        element.hold();
        assertTrue(element.release(element.generation()));
        return element;
    }

    private static List<PoolElement> walk(final PoolElement newest) {
        final List<PoolElement> all = new ArrayList<>();
        for (PoolElement element = newest; element != null; ) {
            all.add(element);
            element = element.unlink();
        }
        return all;
    }
}
