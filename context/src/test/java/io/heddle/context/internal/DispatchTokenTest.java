package io.heddle.context.internal;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CallbackException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class DispatchTokenTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final DispatchToken token = new DispatchToken("prices");
    private final OtherThread other = new OtherThread("other");

    @AfterEach
    void stop() {
        other.close();
    }

    @Test
    void shouldBeHeldByOneThread() {
        assertTrue(token.tryAcquire());
        assertFalse(token.tryAcquire());
        other.run(() -> assertFalse(token.tryAcquire()));
        other.run(() -> assertFalse(token.isHeldByCurrentThread()));
        assertTrue(token.isHeldByCurrentThread());
        assertTrue(token.isHeld());

        token.release();

        assertFalse(token.isHeldByCurrentThread());
        other.run(() -> assertTrue(token.tryAcquire()));
    }

    @Test
    void shouldRefuseProgressInsideACallback() {
        token.checkNotInCallback(Operation.PROGRESS);
        assertTrue(token.tryAcquire());
        token.checkNotInCallback(Operation.PROGRESS);
        token.enterCallback();
        assertTrue(token.isInCallback());

        final CallbackException refused =
            assertThrows(CallbackException.class, () -> token.checkNotInCallback(Operation.PROGRESS));

        assertTrue(refused.getMessage().contains("operation=progress worker=prices"), refused::getMessage);
        token.exitCallback();
        token.checkNotInCallback(Operation.PROGRESS);
        token.release();
    }

    @Test
    void shouldRefuseProgressOfAnotherWorkerInsideACallback() {
        final DispatchToken second = new DispatchToken("orders");
        assertTrue(second.tryAcquire()); // The second worker has been progressed by this thread before.
        second.release();
        final DispatchToken third = new DispatchToken("fresh");
        assertTrue(token.tryAcquire());
        token.enterCallback();

        assertThrows(CallbackException.class, () -> second.checkNotInCallback(Operation.PROGRESS));
        assertThrows(CallbackException.class, () -> third.checkNotInCallback(Operation.PROGRESS));
        assertThrows(CallbackException.class, () -> DispatchToken.checkThreadNotInCallback(Operation.FLUSH));

        token.exitCallback();
        second.checkNotInCallback(Operation.PROGRESS);
        token.release();
    }

    @Test
    void shouldNotRefuseThreadsThatRunNoCallback() {
        assertTrue(token.tryAcquire());
        token.enterCallback();

        other.run(() -> token.checkNotInCallback(Operation.PROGRESS));
        other.run(() -> DispatchToken.checkThreadNotInCallback(Operation.FLUSH));

        token.exitCallback();
        token.release();
    }

    @Test
    void shouldCountNestedCallbacks() {
        assertTrue(token.tryAcquire());
        token.enterCallback();
        token.enterCallback();
        token.exitCallback();
        assertThrows(CallbackException.class, () -> token.checkNotInCallback(Operation.PROGRESS));
        token.exitCallback();
        token.checkNotInCallback(Operation.PROGRESS);
        token.release();
    }

    @Test
    void shouldFindTheTokenFreeWithoutSleeping() {
        assertTrue(token.awaitRelease(System.nanoTime()));
        assertEquals(0, token.waiterCount());
    }

    @Test
    void shouldReturnFromWaitingWhenTheDeadlineHasPassed() {
        other.run(() -> assertTrue(token.tryAcquire()));
        assertFalse(token.awaitRelease(System.nanoTime()));
        assertEquals(0, token.waiterCount());
    }

    @Test
    void shouldWakeAWaiterWhenLettingGo() throws Exception {
        assertTrue(token.tryAcquire());
        final var waiter = other.start(() -> {
            while (!token.tryAcquire()) {
                token.awaitRelease(System.nanoTime() + LIMIT.toNanos());
            }
        });
        await("the waiter").atMost(LIMIT).until(() -> token.waiterCount() == 1);
        assertFalse(waiter.isDone());

        token.release();

        waiter.get(10, TimeUnit.SECONDS);
        assertTrue(token.isHeld());
        assertFalse(token.isHeldByCurrentThread());
    }

    @Test
    void shouldKeepTheInterruptOfAWaiter() {
        other.run(() -> assertTrue(token.tryAcquire()));
        Thread.currentThread().interrupt();
        token.awaitRelease(System.nanoTime() + LIMIT.toNanos());
        assertTrue(Thread.interrupted());
    }

    @Test
    void shouldServeMoreWaitersThanItHasPlacesFor() throws InterruptedException {
        final Thread[] waiters = new Thread[40];
        assertTrue(token.tryAcquire());
        for (int i = 0; i < waiters.length; i++) {
            waiters[i] = new Thread(() -> {
                while (!token.tryAcquire()) {
                    token.awaitRelease(System.nanoTime() + LIMIT.toNanos());
                }
                token.release();
            });
            waiters[i].start();
        }
        token.release();
        for (final Thread waiter : waiters) {
            waiter.join();
        }
        assertFalse(token.isHeld());
        assertEquals(0, token.waiterCount());
    }

    @Test
    void shouldNameTheRefusedCallWhateverTheWorker() {
        assertTrue(token.tryAcquire());
        token.enterCallback();
        final Throwable failure = assertInstanceOf(CallbackException.class,
            assertThrows(RuntimeException.class, () -> DispatchToken.checkThreadNotInCallback(Operation.FLUSH)));
        token.exitCallback();
        token.release();
        assertTrue(failure.getMessage().contains("operation=flush"), failure::getMessage);
    }
}
