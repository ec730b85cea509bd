package io.heddle.context.internal;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class BiasTest {
    private static final int STREAK = 3;
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Queue<Thread> stopped = new ConcurrentLinkedQueue<>();
    private final Bias bias = new Bias(STREAK, 2, stopped::add);
    private final WorkerLock lock = new WorkerLock(bias);
    private final DispatchToken token = new DispatchToken("prices", bias);
    private final OtherThread other = new OtherThread("other");

    @AfterEach
    void stop() {
        other.close();
    }

    @Test
    void shouldSettleAfterAStreak() {
        for (int i = 0; i < STREAK; i++) {
            lockOnce();
            assertFalse(bias.isOwned());
        }

        lockOnce();

        assertTrue(bias.isOwned());
        assertFalse(bias.isInside());
        lock.lock();
        assertTrue(bias.isInside());
        assertTrue(bias.isHeldBy(Thread.currentThread()));
        lock.unlock();
        assertTrue(lock.isIdle());
    }

    @Test
    void shouldNotSettleWhileThreadsAlternate() {
        for (int i = 0; i < 10 * STREAK; i++) {
            lockOnce();
            other.run(this::lockOnce);
        }
        assertFalse(bias.isOwned());
    }

    @Test
    void shouldStopTheOwnerBeforeAnotherComesIn() {
        settleInLock();

        other.run(this::lockOnce);

        assertEquals(List.of(Thread.currentThread()), List.copyOf(stopped));
        assertFalse(bias.isOwned());
        lockOnce();
        assertTrue(lock.isIdle());
    }

    @Test
    void shouldWaitForAnOwnerThatIsInside() throws Exception {
        settleInLock();
        lock.lock();

        final Future<?> waiter = other.start(this::lockOnce);

        await("the bias to be taken away").atMost(LIMIT).until(() -> !bias.isOwned());
        assertFalse(waiter.isDone());
        assertTrue(bias.isHeldBy(Thread.currentThread()));
        lock.unlock();
        waiter.get();
        assertTrue(lock.isIdle());
    }

    @Test
    void shouldAskForALongerStreakAfterEachTime() {
        settleInLock();
        other.run(this::lockOnce);

        for (int i = 0; i <= STREAK; i++) {
            lockOnce();
        }
        assertFalse(bias.isOwned());
        for (int i = 0; i < STREAK; i++) {
            lockOnce();
        }
        assertTrue(bias.isOwned());
    }

    @Test
    void shouldNotSettleOnAThreadThatCouldAnswerForItself() throws InterruptedException {
        final Thread subclass = new Thread() {
            @Override
            public void run() {
                for (int i = 0; i < 10 * STREAK; i++) {
                    lockOnce();
                }
            }
        };
        subclass.start();
        subclass.join();
        assertFalse(bias.isOwned());
    }

    @Test
    void shouldTryAgainWhenTheOwnerCouldNotBeStopped() {
        final int[] tries = new int[1];
        final Bias stubborn = new Bias(1, 1, thread -> {
            if (++tries[0] < 3) {
                throw new OutOfMemoryError("no room for a stack: as the test wants it");
            }
        });
        stubborn.settle(Thread.currentThread());
        stubborn.leave();

        other.run(() -> assertTrue(stubborn.revoke()));

        assertEquals(3, tries[0]);
        assertFalse(stubborn.enter(Thread.currentThread()));
    }

    @Test
    void shouldRefuseAnUnlockOfABiasedLockThatIsFree() {
        settleInLock();
        assertThrows(IllegalMonitorStateException.class, lock::unlock);
        assertTrue(other.failureOf(lock::unlock) instanceof IllegalMonitorStateException);
    }

    @Test
    void shouldNotWaitForATokenWhoseOwnerIsInside() {
        settleInToken();
        assertTrue(token.tryAcquire());
        assertFalse(token.tryAcquire());
        assertTrue(token.isHeldByCurrentThread());

        other.run(() -> assertFalse(token.tryAcquire()));

        assertEquals(1, stopped.size());
        assertTrue(token.isHeldByCurrentThread());
        assertTrue(token.isHeld());
        other.run(() -> assertFalse(token.tryAcquire()));
        token.release();
        assertFalse(token.isHeld());
        other.run(() -> assertTrue(token.tryAcquire()));
        assertFalse(token.tryAcquire());
        assertFalse(token.isHeldByCurrentThread());
    }

    @Test
    void shouldGiveAFreeTokenAtOnce() {
        settleInToken();
        other.run(() -> assertTrue(token.tryAcquire()));
        other.run(() -> assertTrue(token.isHeldByCurrentThread()));
        assertFalse(token.tryAcquire());
        other.run(token::release);
        assertTrue(token.tryAcquire());
    }

    @Test
    void shouldBePossibleOnHotSpotOnly() {
        assertTrue(Bias.isPossible("OpenJDK 64-Bit Server VM"));
        assertTrue(Bias.isPossible("Java HotSpot(TM) 64-Bit Server VM"));
        assertFalse(Bias.isPossible("Eclipse OpenJ9 VM"));
        assertFalse(Bias.isPossible("Substrate VM"));
    }

    @Test
    void shouldNeverSettleWhereItIsNotWanted() {
        final WorkerLock unbiased = new WorkerLock(false);
        for (int i = 0; i < 3 * Bias.FIRST_STREAK; i++) {
            unbiased.lock();
            unbiased.unlock();
        }
        assertTrue(unbiased.isIdle());
        final Bias none = new Bias(false);
        assertFalse(none.countTaken(Thread.currentThread()));
        for (int i = 0; i < 3 * Bias.FIRST_STREAK; i++) {
            assertFalse(none.countTaken(Thread.currentThread()));
        }
    }

    private void settleInLock() {
        while (!bias.isOwned()) {
            lockOnce();
        }
    }

    private void settleInToken() {
        while (!bias.isOwned()) {
            assertTrue(token.tryAcquire());
            token.release();
        }
    }

    private void lockOnce() {
        lock.lock();
        lock.unlock();
    }
}
