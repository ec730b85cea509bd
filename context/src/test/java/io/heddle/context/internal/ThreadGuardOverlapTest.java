package io.heddle.context.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.context.ThreadMode;
import io.heddle.context.ThreadModeViolation;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(20)
final class ThreadGuardOverlapTest {
    private final RecordingListener listener = new RecordingListener();
    private final AtomicInteger nowNs = new AtomicInteger();
    private final ThreadGuard serialized =
        new ThreadGuard("prices", ThreadMode.SERIALIZED, nowNs::get, listener);
    private final OtherThread other = new OtherThread("other");

    @AfterEach
    void stop() {
        other.close();
    }

    @Test
    void shouldRefuseAnOverlappingCallAndNameBothSides() {
        assumeTrue(ThreadGuard.CHECKS);
        other.run(() -> serialized.enter(Operation.PROGRESS));

        final ThreadModeViolation violation = violationOf(Operation.RELEASE);

        assertEquals("prices", violation.workerName());
        assertEquals(ThreadMode.SERIALIZED, violation.mode());
        assertSame(Thread.currentThread(), violation.intruder());
        assertSame(other.thread(), violation.holder());
        assertEquals("release", violation.intruderOperation());
        assertEquals("progress", violation.holderOperation());
        final String text = violation.getMessage();
        assertContains(text, "worker=prices mode=SERIALIZED");
        final Thread me = Thread.currentThread();
        assertContains(text, "\"" + me.getName() + "\" (id=" + me.getId() + ")");
        assertContains(text, "\"other\" (id=" + other.thread().getId() + ")");
        assertContains(text, "called release while thread \"other\"");
        assertContains(text, "was inside progress");
        assertContains(text, "the application orders the calls");
        assertContains(text, "ThreadMode.MULTI");
        assertContains(text, "order the calls so that they never overlap");
        assertContains(text, "releaseAsync() or close()");
        assertContains(text, "(sampled, may be later than the overlap)");
        assertContains(text, "ThreadPoolExecutor");
    }

    @Test
    void shouldLetTheIntruderRepeatTheCallOnceTheOtherHasLeft() {
        assumeTrue(ThreadGuard.CHECKS);
        other.run(() -> serialized.enter(Operation.PROGRESS));
        violationOf(Operation.SEND);
        other.run(() -> serialized.exit(Operation.PROGRESS));

        serialized.enter(Operation.SEND);
        serialized.exit(Operation.SEND);

        assertEquals(1, serialized.violations());
    }

    @Test
    void shouldHandTheHoldersOwnStackToTheListenerWhenItLeaves() {
        assumeTrue(ThreadGuard.CHECKS);
        other.run(() -> serialized.enter(Operation.PROGRESS));
        nowNs.set(1_000);
        violationOf(Operation.SEND);
        assertTrue(listener.holderStacks.isEmpty());
        nowNs.set(1_250);

        other.run(() -> leaveFromHere(serialized));

        final Throwable stack = listener.holderStacks.get(0);
        assertContains(stack.getMessage(), "thread=\"other\"");
        assertContains(stack.getMessage(), "operation=progress");
        assertContains(stack.getMessage(), "left 250 ns after");
        assertTrue(Arrays.stream(stack.getStackTrace()).anyMatch(f -> "leaveFromHere".equals(f.getMethodName())));
    }

    @Test
    void shouldNotDisturbTheHolderWhenNobodyCame() {
        assumeTrue(ThreadGuard.CHECKS);
        serialized.enter(Operation.PROGRESS);
        serialized.exit(Operation.PROGRESS);

        assertTrue(listener.holderStacks.isEmpty());
        assertEquals(0, serialized.violations());
    }

    @Test
    void shouldTellEveryViolationAndMarkTheFirstOfAPair() {
        assumeTrue(ThreadGuard.CHECKS);
        other.run(() -> serialized.enter(Operation.PROGRESS));
        violationOf(Operation.SEND);
        violationOf(Operation.SEND);
        final ThreadModeViolation thrown = violationOf(Operation.RELEASE);

        assertEquals(3, serialized.violations());
        assertEquals(3, listener.violations.size());
        assertEquals(2, listener.firstOfPair.size());
        assertSame(thrown, listener.violations.get(2));
        assertSame(Thread.currentThread(), listener.toldOn.get(0));
    }

    @Test
    void shouldThrowTheViolationAlsoIfTheListenerFails() {
        assumeTrue(ThreadGuard.CHECKS);
        final IllegalStateException failure = new IllegalStateException("listener failed");
        final ThreadGuard guard = new ThreadGuard("w", ThreadMode.SERIALIZED, nowNs::get, new FailingListener(failure));
        other.run(() -> guard.enter(Operation.PROGRESS));

        final ThreadModeViolation violation = assertInstanceOf(
            ThreadModeViolation.class, failureOf(() -> guard.enter(Operation.SEND)));

        assertSame(failure, violation.getSuppressed()[0]);
        other.run(() -> guard.exit(Operation.PROGRESS));
    }

    @ParameterizedTest
    @EnumSource(value = ThreadMode.class, names = {"SINGLE", "SERIALIZED"})
    void shouldAllowCallsNestedInACallback(final ThreadMode mode) {
        final ThreadGuard guard = new ThreadGuard("w", mode, nowNs::get, listener);
        guard.enter(Operation.PROGRESS);
        guard.enter(Operation.SEND);
        guard.exit(Operation.SEND);
        guard.enter(Operation.RELEASE);
        guard.exit(Operation.RELEASE);

        if (ThreadGuard.CHECKS) {
            final Throwable failure = other.failureOf(() -> guard.enter(Operation.ARM));
            assertEquals("progress", ((ThreadModeViolation) failure).holderOperation());
        }
        guard.exit(Operation.PROGRESS);

        assertNull(mode == ThreadMode.SERIALIZED ? other.failureOf(() -> guard.enter(Operation.ARM)) : null);
    }

    @Test
    void shouldAllowAnyThreadOneAtATimeWhenSerialized() {
        for (int i = 0; i < 100; i++) {
            serialized.enter(Operation.SEND);
            serialized.exit(Operation.SEND);
            other.run(() -> {
                serialized.enter(Operation.PROGRESS);
                serialized.exit(Operation.PROGRESS);
            });
        }
        assertEquals(0, serialized.violations());
    }

    @Test
    void shouldCheckNothingWhenChecksAreOff() {
        assumeFalse(ThreadGuard.CHECKS);
        other.run(() -> serialized.enter(Operation.PROGRESS));

        serialized.enter(Operation.RELEASE);
        serialized.exit(Operation.RELEASE);

        assertEquals(0, serialized.violations());
    }

    /** Two threads in progress at once, without a lock: seen, survived, and the worker is usable afterwards. */
    @Test
    void shouldFindUnorderedProgressCallsAndStayUsable() throws InterruptedException {
        assumeTrue(ThreadGuard.CHECKS);
        final CountDownLatch isInside = new CountDownLatch(1);
        final CountDownLatch mayLeave = new CountDownLatch(1);
        other.start(() -> {
            serialized.enter(Operation.PROGRESS);
            isInside.countDown();
            try {
                mayLeave.await();
            } catch (final InterruptedException ex) {
                Thread.currentThread().interrupt();
            } finally {
                serialized.exit(Operation.PROGRESS);
            }
        });
        isInside.await();

        final ThreadModeViolation violation = violationOf(Operation.PROGRESS);
        mayLeave.countDown();
        other.run(() -> { });

        assertContains(violation.getMessage(), "called progress while thread \"other\"");
        serialized.enter(Operation.PROGRESS);
        serialized.exit(Operation.PROGRESS);
        assertEquals(1, listener.holderStacks.size());
    }

    @Test
    void shouldRefuseAnExitWithoutAnEnter() {
        assumeTrue(ThreadGuard.CHECKS);
        assertInstanceOf(IllegalStateException.class, failureOf(() -> serialized.exit(Operation.SEND)));
    }

    private ThreadModeViolation violationOf(final Operation operation) {
        return assertInstanceOf(ThreadModeViolation.class, failureOf(() -> serialized.enter(operation)));
    }

    private static Throwable failureOf(final Runnable call) {
        try {
            call.run();
            return null;
        } catch (final RuntimeException | AssertionError ex) {
            return ex;
        }
    }

    private static void leaveFromHere(final ThreadGuard guard) {
        guard.exit(Operation.PROGRESS);
    }

    private static void assertContains(final String text, final String part) {
        assertFalse(text == null || !text.contains(part), () -> "missing '" + part + "' in:\n" + text);
    }

    private static final class FailingListener implements ViolationListener {
        private final RuntimeException failure;

        FailingListener(final RuntimeException failure) {
            this.failure = failure;
        }

        @Override
        public void onViolation(final ThreadModeViolation violation, final boolean firstOfPair) {
            throw failure;
        }

        @Override
        public void onHolderLeft(final Throwable exactStack, final boolean firstOfOperation) {
            throw failure;
        }
    }
}
