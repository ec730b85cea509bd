package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class DeferredQueueTest {
    private static final int EACH = 20_000;

    private final DeferredQueue queue = new DeferredQueue();
    private int told;

    @Test
    void shouldGiveBackWhatWasAddedInOrderAndOnce() {
        final List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            final int number = i;
            queue.add(telling(() -> order.add(number)));
        }
        assertFalse(queue.isEmpty());
        final int count = queue.take();
        assertTrue(queue.isEmpty());
        for (int i = 0; i < count; i++) {
            queue.taken(i).tell();
        }
        assertEquals(0, queue.take());
        assertEquals(IntStream.range(0, 40).boxed().toList(), order);
    }

    /** What calls do that overlap against the rule, where nothing checks it. */
    @Test
    void shouldLoseNothingToAddingThatOverlaps() throws Exception {
        final CountDownLatch start = new CountDownLatch(1);
        final List<Thread> adding = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            final Thread thread = new Thread(() -> {
                try {
                    start.await();
                } catch (final InterruptedException ex) {
                    return;
                }
                for (int i = 0; i < EACH; i++) {
                    queue.add(telling(() -> told++));
                }
            });
            thread.start();
            adding.add(thread);
        }
        start.countDown();
        while (adding.stream().anyMatch(Thread::isAlive)) {
            tell();
        }
        tell();
        assertEquals(3 * EACH, told);
    }

    private void tell() {
        final int count = queue.take();
        for (int i = 0; i < count; i++) {
            queue.taken(i).tell();
        }
    }

    private static Deferred telling(final Runnable what) {
        return new Deferred() {
            @Override
            public void tell() {
                what.run();
            }

            @Override
            public Connection connection() {
                return null;
            }
        };
    }
}
