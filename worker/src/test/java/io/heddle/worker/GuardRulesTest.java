package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A MULTI worker calls its transport under the lock and the application outside of it, whoever calls what. Every other
 * test of this package checks it by the way; here it is shown that the check bites, and holds under many threads.
 */
@Timeout(60)
@ExtendWith(HygieneExtension.class)
final class GuardRulesTest {
    private static final int THREADS = 4;
    private static final int OPERATIONS = 1500;

    @Test
    @Tag("debug-only")
    void shouldFindACallOfTheTransportWithoutTheGuard() {
        final WorkerPair pair = WorkerPair.open(ThreadMode.MULTI);
        assertThrows(AssertionError.class, () -> pair.there.lane().unretired());
        assertThrows(AssertionError.class, pair::close);
    }

    @Test
    @StandsFor({"T3", "C4"})
    void shouldKeepTheGuardUnderManyThreads() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            final AtomicInteger accepted = new AtomicInteger();
            final AtomicInteger delivered = new AtomicInteger();
            final Queue<Request> requests = new ConcurrentLinkedQueue<>();
            final AtomicBoolean done = new AtomicBoolean();
            final ExecutorService releasers = Executors.newFixedThreadPool(2);
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                pair.assertNoLockHeld();
                delivered.incrementAndGet();
                final ReceivedData kept = message.retain();
                releasers.execute(delivered.get() % 2 == 0 ? kept::release : kept::close);
            });
            final List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                final Random random = new Random(i);
                all.add(OtherThreads.run(() -> use(pair, random, accepted, requests)));
            }
            final CompletableFuture<Void> progress = OtherThreads.run(() -> {
                while (!done.get()) {
                    pair.right.progress();
                    pair.left.progress();
                }
            });
            for (final CompletableFuture<Void> each : all) {
                each.get(50, TimeUnit.SECONDS);
            }
            while (delivered.get() < accepted.get() || pair.right.statistics().poolInUse() > 0) {
                Thread.yield();
                assertFalse(Thread.currentThread().isInterrupted(), pair.right::describe);
            }
            releasers.shutdown();
            done.set(true);
            progress.get(20, TimeUnit.SECONDS);
            pair.settle();
            assertEquals(accepted.get(), delivered.get());
            assertTrue(requests.stream().allMatch(request -> request.status() == Status.OK));
            assertTrue(pair.rightSide.steering().steps() > 0);
        }
    }

    @Test
    @StandsFor("C4")
    void shouldLetAnApplicationsLockBeTakenInCallbacksAndHeldWhileSending() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            final ReentrantLock lock = new ReentrantLock();
            final CountDownLatch inside = new CountDownLatch(1);
            final List<Integer> handled = new CopyOnWriteArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                inside.countDown();
                lock.lock();
                try {
                    handled.add(message.data().getInt(0));
                } finally {
                    lock.unlock();
                }
            });
            pair.left.onActiveMessage(8, message -> handled.add(-message.data().getInt(0)));
            pair.sendNumber(1);
            final CompletableFuture<Integer> dispatching;
            lock.lock();
            try {
                dispatching = OtherThreads.supply(pair.right::progress);
                assertTrue(inside.await(20, TimeUnit.SECONDS));
                final Connection back = pair.back();
                assertEquals(Status.OK, back.send(8, 0, null, WorkerPair.number(2), 0, 8, null, null).status());
                assertEquals(Status.OK, back.trySend(8, 0, null, WorkerPair.number(3), 0, 8));
                pair.right.onActiveMessage(9, message -> { });
                assertEquals(0, pair.right.progress(), "another thread dispatches");
                assertEquals(List.of(), handled);
            } finally {
                lock.unlock();
            }
            assertTrue(dispatching.get(20, TimeUnit.SECONDS) > 0);
            pair.settle();
            assertEquals(List.of(1, -2, -3), handled);
        }
    }

    private static void use(final WorkerPair pair, final Random random, final AtomicInteger accepted,
        final Queue<Request> requests) {
        final Claim claim = new Claim();
        for (int i = 0; i < OPERATIONS; i++) {
            switch (random.nextInt(7)) {
                case 0 -> accepted.addAndGet(
                    pair.there.trySend(WorkerPair.ID, 0, null, WorkerPair.number(i), 0, 8) == Status.OK ? 1 : 0);
                case 1 -> {
                    if (pair.there.tryClaim(WorkerPair.ID, 0, 8, claim) == Status.OK) {
                        claim.putInt(0, i);
                        accepted.addAndGet(claim.commit() == Status.OK ? 1 : 0);
                    }
                }
                case 2 -> pair.left.flush();
                case 3 -> pair.left.arm();
                case 4 -> pair.right.progress();
                case 5 -> pair.left.signal();
                default -> {
                    accepted.incrementAndGet();
                    requests.add(pair.send(WorkerPair.pattern(random.nextInt(20_000), i),
                        (request, status) -> pair.assertNoLockHeld()));
                }
            }
        }
    }
}
