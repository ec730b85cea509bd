package io.heddle.context.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.context.CallbackException;
import io.heddle.context.ThreadMode;
import io.heddle.context.ThreadModeViolation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(20)
final class ThreadGuardOwnerTest {
    private final RecordingListener listener = new RecordingListener();
    private final ThreadGuard single = new ThreadGuard("prices", ThreadMode.SINGLE, () -> 0L, listener);
    private final OtherThread other = new OtherThread("other");

    @AfterEach
    void stop() {
        other.close();
    }

    @ParameterizedTest
    @EnumSource(Operation.class)
    void shouldRefuseEveryOperationOfAThreadThatIsNotTheOwner(final Operation operation) {
        assumeTrue(ThreadGuard.CHECKS);

        final ThreadModeViolation violation = assertInstanceOf(
            ThreadModeViolation.class, other.failureOf(() -> single.enter(operation)));

        assertSame(other.thread(), violation.intruder());
        assertSame(Thread.currentThread(), violation.holder());
        assertEquals(operation.toString(), violation.intruderOperation());
        assertNull(violation.holderOperation());
        assertTrue(violation.getMessage().contains("but the worker's owner is thread"), violation::getMessage);
        assertTrue(violation.getMessage().contains("its owner thread only"), violation::getMessage);
        use(single); // The owner goes on.
        assertEquals(1, single.violations());
    }

    @Test
    void shouldSayWhatTheOwnerWasDoing() {
        assumeTrue(ThreadGuard.CHECKS);
        single.enter(Operation.PROGRESS);

        final ThreadModeViolation violation = assertInstanceOf(
            ThreadModeViolation.class, other.failureOf(() -> single.enter(Operation.SEND)));
        single.exit(Operation.PROGRESS);

        assertEquals("progress", violation.holderOperation());
        assertEquals(1, listener.holderStacks.size());
    }

    @Test
    void shouldBelongToTheOtherThreadAfterTransfer() {
        single.transferTo(other.thread());

        assertSame(other.thread(), single.ownerThread());
        assertFalse(single.isOwner());
        other.run(() -> use(single));
        if (ThreadGuard.CHECKS) {
            assertThrows(ThreadModeViolation.class, () -> single.enter(Operation.SEND));
        }
    }

    @Test
    void shouldBelongToNobodyAfterDetach() {
        single.detach();

        assertNull(single.ownerThread());
        if (ThreadGuard.CHECKS) {
            final ThreadModeViolation violation =
                assertThrows(ThreadModeViolation.class, () -> single.enter(Operation.SEND));
            assertNull(violation.holder());
            assertTrue(violation.getMessage().contains("nobody has called attach()"), violation::getMessage);
        }
    }

    @Test
    void shouldBelongToWhoAttaches() {
        single.detach();
        other.run(single::attach);

        other.run(() -> use(single));
        assertSame(other.thread(), single.ownerThread());
    }

    @Test
    void shouldRefuseToAttachAWorkerThatHasAnOwner() {
        assertInstanceOf(IllegalStateException.class, other.failureOf(single::attach));
        single.attach(); // The owner's own attach changes nothing.
        assertTrue(single.isOwner());
    }

    @Test
    void shouldRefuseToTransferWhatIsNotOnesOwn() {
        assumeTrue(ThreadGuard.CHECKS);
        assertInstanceOf(
            ThreadModeViolation.class, other.failureOf(() -> single.transferTo(Thread.currentThread())));
        assertTrue(single.isOwner());
    }

    @Test
    void shouldRefuseToTransferToAThreadThatHasEnded() throws InterruptedException {
        final Thread ended = endedThread();
        assertThrows(IllegalArgumentException.class, () -> single.transferTo(ended));
        assertTrue(single.isOwner());
    }

    @Test
    void shouldRefuseToChangeOwnersInsideACallback() {
        final DispatchToken token = new DispatchToken("prices");
        assertTrue(token.tryAcquire());
        token.enterCallback();
        try {
            assertThrows(CallbackException.class, () -> single.transferTo(other.thread()));
            assertThrows(CallbackException.class, single::detach);
            assertThrows(CallbackException.class, single::attach);
        } finally {
            token.exitCallback();
            token.release();
        }
        assertTrue(single.isOwner());
    }

    @Test
    void shouldLetAnybodyCloseAWorkerWhoseOwnerHasEnded() throws InterruptedException {
        final ThreadGuard[] made = new ThreadGuard[1];
        final Thread owner = new Thread(() -> made[0] = new ThreadGuard("w", ThreadMode.SINGLE, () -> 0L, listener));
        owner.start();
        owner.join();

        made[0].enter(Operation.CLOSE_WORKER);
        made[0].enter(Operation.CLOSE_ENDPOINT);
        made[0].exit(Operation.CLOSE_ENDPOINT);
        made[0].exit(Operation.CLOSE_WORKER);

        if (ThreadGuard.CHECKS) {
            assertThrows(ThreadModeViolation.class, () -> made[0].enter(Operation.SEND));
        }
    }

    @ParameterizedTest
    @EnumSource(value = ThreadMode.class, names = {"SERIALIZED", "MULTI"})
    void shouldHaveNoOwnerInTheOtherModes(final ThreadMode mode) {
        final ThreadGuard guard = new ThreadGuard("w", mode, () -> 0L, listener);
        guard.transferTo(other.thread());
        guard.detach();
        guard.attach();

        assertNull(guard.ownerThread());
        assertTrue(guard.isOwner());
        use(guard);
        other.run(() -> use(guard));
    }

    private static Thread endedThread() throws InterruptedException {
        final Thread thread = new Thread(() -> { });
        thread.start();
        thread.join();
        return thread;
    }

    private static void use(final ThreadGuard guard) {
        guard.enter(Operation.SEND);
        guard.exit(Operation.SEND);
    }
}
