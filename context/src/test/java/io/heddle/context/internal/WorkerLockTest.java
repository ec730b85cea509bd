package io.heddle.context.internal;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class WorkerLockTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final WorkerLock lock = new WorkerLock();

    @Test
    void shouldBeTakenOnceOnly() {
        assertTrue(lock.tryLock());
        assertFalse(lock.tryLock());
        assertTrue(lock.isHeldByCurrentThread());

        lock.unlock();

        assertFalse(lock.isHeldByCurrentThread());
        assertTrue(lock.tryLock());
        lock.unlock();
        assertEquals(0, lock.contendedCount());
    }

    @Test
    void shouldRefuseAnUnlockOfAFreeLock() {
        assertThrows(IllegalMonitorStateException.class, lock::unlock);
        assertTrue(lock.tryLock());
        lock.unlock();
    }

    @Test
    void shouldRefuseAnUnlockByAnotherThreadWhileChecked() {
        assumeTrue(ThreadGuard.CHECKS);
        try (OtherThread other = new OtherThread("other")) {
            lock.lock();
            assertTrue(other.failureOf(lock::unlock) instanceof IllegalMonitorStateException);
            assertTrue(lock.isHeldByCurrentThread());
            lock.unlock();
        }
    }

    @Test
    void shouldHandTheLockToAWaiterThatStarves() {
        lock.lock();
        final Thread waiter = new Thread(() -> {
            lock.lock();
            lock.unlock();
        });
        waiter.start();
        await("a starving waiter").atMost(LIMIT).until(() -> lock.starvingCount() == 1);

        lock.unlock();

        assertEquals(1, lock.handedCount()); // The lock was not free for an instant.
        await("the waiter's end").atMost(LIMIT).until(() -> !waiter.isAlive());
        assertTrue(lock.longestWaitNs() >= WorkerLock.STARVING_NS);
    }

    @Test
    void shouldServeStarvingWaitersOldestFirst() throws InterruptedException {
        final List<Integer> order = new ArrayList<>(); // Guarded by the lock.
        final List<Thread> waiters = new ArrayList<>();
        lock.lock();
        for (int i = 0; i < 4; i++) {
            final int number = i;
            final Thread waiter = new Thread(() -> {
                lock.lock();
                order.add(number);
                lock.unlock();
            });
            waiters.add(waiter);
            waiter.start();
            await("the waiter's arrival").atMost(LIMIT).until(() -> lock.waiterCount() == number + 1);
        }
        await("all to starve").atMost(LIMIT).until(() -> lock.starvingCount() == 4);

        lock.unlock();

        for (final Thread waiter : waiters) {
            waiter.join();
        }
        assertEquals(List.of(0, 1, 2, 3), order);
        assertEquals(4, lock.handedCount());
        assertTrue(lock.isIdle());
    }

    @Test
    void shouldKeepTheInterruptAndNotEndTheWaitByIt() {
        final AtomicBoolean wasInterrupted = new AtomicBoolean();
        lock.lock();
        final Thread waiter = new Thread(() -> {
            lock.lock();
            wasInterrupted.set(Thread.currentThread().isInterrupted());
            lock.unlock();
        });
        waiter.start();
        await("the waiter to sleep").atMost(LIMIT).until(() -> lock.waiterCount() == 1);
        waiter.interrupt();
        await("the wait to go on").atMost(LIMIT).until(() -> lock.starvingCount() == 1);
        assertTrue(waiter.isAlive());

        lock.unlock();

        await("the waiter's end").atMost(LIMIT).until(() -> !waiter.isAlive());
        assertTrue(wasInterrupted.get());
    }

    @Test
    void shouldServeMoreWaitersThanItHasPlacesFor() throws InterruptedException {
        final int count = WorkerLock.SLOTS + 8;
        final AtomicInteger served = new AtomicInteger();
        final List<Thread> waiters = new ArrayList<>();
        lock.lock();
        for (int i = 0; i < count; i++) {
            final Thread waiter = new Thread(() -> {
                lock.lock();
                served.incrementAndGet();
                lock.unlock();
            });
            waiters.add(waiter);
            waiter.start();
        }
        await("all places to be taken").atMost(LIMIT).until(() -> lock.waiterCount() == WorkerLock.SLOTS);

        lock.unlock();

        for (final Thread waiter : waiters) {
            waiter.join();
        }
        assertEquals(count, served.get());
        assertEquals(count, lock.contendedCount());
        assertTrue(lock.isIdle());
    }

    /** A thread that takes the lock again and again must not keep the others out. */
    @Test
    void shouldGiveEverySenderAtLeastAFairPartBesideAGreedyThread() throws InterruptedException {
        final int senders = 4;
        final long total = 400_000;
        final long[] counts = new long[senders + 1]; // Guarded by the lock.
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i <= senders; i++) {
            final int number = i;
            threads.add(new Thread(() -> {
                boolean isOver = false;
                while (!isOver) {
                    lock.lock();
                    counts[number]++;
                    long sum = 0;
                    for (final long count : counts) {
                        sum += count;
                    }
                    isOver = sum >= total && allAtLeast(counts, 20);
                    lock.unlock();
                }
            }));
        }
        threads.forEach(Thread::start);
        for (final Thread thread : threads) {
            thread.join();
        }
        assertTrue(allAtLeast(counts, 20));
        assertTrue(lock.isIdle());
    }

    /** Whoever starves gets the lock also from a thread that takes it again at once. */
    @Test
    void shouldHandTheLockOverBesideAThreadThatNeverLeavesItFree() {
        final AtomicBoolean isServed = new AtomicBoolean();
        lock.lock();
        final Thread waiter = new Thread(() -> {
            lock.lock();
            isServed.set(true);
            lock.unlock();
        });
        waiter.start();
        await("the waiter's arrival").atMost(LIMIT).until(() -> lock.waiterCount() == 1);
        final long beginNs = System.nanoTime();
        while (!isServed.get() && System.nanoTime() - beginNs < LIMIT.toNanos()) {
            lock.unlock();
            lock.lock();
        }
        lock.unlock();

        assertTrue(isServed.get());
    }

    @Test
    void shouldAllocateNothingWhileContended() throws InterruptedException {
        final int threadCount = 4;
        final int rounds = 20_000;
        final ThreadMXBean meter = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final CyclicBarrier warm = new CyclicBarrier(threadCount);
        final AtomicLong allocatedBytes = new AtomicLong();
        final AtomicLong waits = new AtomicLong();
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < threadCount; i++) {
            final Thread thread = new Thread(() -> {
                contend(rounds);
                awaitAll(warm);
                final long waitsBefore = lock.contendedCount();
                final long before = meter.getCurrentThreadAllocatedBytes();
                contend(rounds);
                allocatedBytes.addAndGet(meter.getCurrentThreadAllocatedBytes() - before);
                waits.addAndGet(lock.contendedCount() - waitsBefore);
            });
            threads.add(thread);
            thread.start();
        }
        for (final Thread thread : threads) {
            thread.join();
        }
        assertTrue(waits.get() > 0, "contended");
        assertTrue(lock.longestWaitNs() > 0, "somebody slept");
        final double perRound = (double) allocatedBytes.get() / threadCount / rounds;
        assertTrue(perRound < 0.01, () -> "bytes per round: " + perRound);
    }

    /** Now and then the holder lets others run, who find the lock taken and go to sleep. */
    private void contend(final int rounds) {
        for (int i = 0; i < rounds; i++) {
            lock.lock();
            if ((i & 63) == 0) {
                Thread.yield();
            }
            lock.unlock();
        }
    }

    private static void awaitAll(final CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (final InterruptedException | BrokenBarrierException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static boolean allAtLeast(final long[] counts, final long least) {
        for (final long count : counts) {
            if (count < least) {
                return false;
            }
        }
        return true;
    }
}
