package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.ClosedException;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.loop.SteeredSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Closing a context with workers that are open, from whichever thread. */
@Timeout(60)
@ExtendWith(HygieneExtension.class)
final class CloseContextTest {
    private static final Duration SHORT = Duration.ofMillis(30);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"C1", "C2"})
    void shouldCloseWorkersFromAnyThreadThroughTheirProgressThreads(final ThreadMode mode) throws Exception {
        final Lock lock = new ReentrantLock();
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            pair.sending().refuseSends(5);
            pair.sendNumber(1);
            final boolean isSerialized = mode == ThreadMode.SERIALIZED;
            try (ProgressThread left = isSerialized ? ProgressThread.start(pair.left, lock)
                : ProgressThread.start(pair.left);
                ProgressThread right = isSerialized ? ProgressThread.start(pair.right, lock)
                : ProgressThread.start(pair.right)) {
                assertEquals(CloseReport.CLEAN,
                    OtherThreads.supply(() -> pair.context.close(CloseMode.FLUSH, LONG)).get(30, TimeUnit.SECONDS));
                assertTrue(pair.left.isClosed() && pair.right.isClosed() && pair.context.isClosed());
                assertTrue(left.thread().isAlive() && right.thread().isAlive(), "only their own close ends them");
            }
            assertEquals(CloseReport.CLEAN, pair.context.close(CloseMode.FLUSH, LONG));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("C2")
    void shouldTellWhatWasCutOffAndIsKept(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final ReceivedData kept = new ReceivedData();
            pair.right.onActiveMessage(WorkerPair.ID, message -> message.retainInto(kept));
            pair.sendNumber(1);
            pair.settle();
            pair.fillLane();
            final CloseReport report = pair.context.close(CloseMode.FLUSH, SHORT);
            assertEquals(1, report.cutRequests());
            assertEquals(8, report.cutBytes());
            assertEquals(1, report.leaks().size());
            assertTrue(report.isTimedOut());
            assertEquals(1, kept.getInt(0));
            kept.close();
            assertThrows(ClosedException.class, () -> Worker.create(pair.context, mode));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @ExpectedLog("context close cut off what it could not finish: .*cutRequests=1 cutBytes=8")
    @ExpectedLog("was not returned to pool")
    void shouldLogWhatNobodyIsToldOf(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT, config -> config.closeTimeout(SHORT))) {
            final ReceivedData kept = new ReceivedData();
            pair.right.onActiveMessage(WorkerPair.ID, message -> message.retainInto(kept));
            pair.sendNumber(1);
            pair.settle();
            pair.fillLane();
            pair.context.close();
            kept.close();
        }
    }

    @Test
    @StandsFor("T1")
    void shouldChangeNothingIfAWorkerIsAnotherThreadsOwn() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.SINGLE)) {
            final CompletableFuture<HeddleException> refused = OtherThreads.supply(
                () -> assertThrows(HeddleException.class, () -> pair.context.close(CloseMode.FORCE, LONG)));
            assertEquals(Status.BUSY, refused.get(30, TimeUnit.SECONDS).status());
            assertTrue(refused.get().getMessage().contains("worker=left mode=SINGLE is owned by thread=main"),
                refused.get().getMessage());
            assertFalse(pair.context.isClosed());
            pair.receive(WorkerPair.ID);
            pair.sendNumber(1);
            pair.settle();
            assertEquals(List.of(1), pair.numbers());
            pair.left.detach();
            pair.right.detach();
            assertEquals(CloseReport.CLEAN,
                OtherThreads.supply(() -> pair.context.close(CloseMode.FORCE, LONG)).get(30, TimeUnit.SECONDS));
        }
    }

    @Test
    @StandsFor("C2")
    void shouldNotWaitForAHandlerBeyondTheDeadline() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            final CompletableFuture<Integer> round = handling(pair);
            assertTrue(pair.context.close(CloseMode.FLUSH, SHORT).isTimedOut());
            assertTrue(pair.left.isClosed());
            assertFalse(pair.right.isClosed());
            goOn.countDown();
            round.get(30, TimeUnit.SECONDS);
            assertTrue(pair.right.isClosed(), "when the handler has returned");
        }
    }

    @Test
    @StandsFor("C1")
    void shouldLetLaterCallersWaitForTheFirst() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            final CompletableFuture<Integer> round = handling(pair);
            final CompletableFuture<CloseReport> first =
                OtherThreads.supply(() -> pair.context.close(CloseMode.FLUSH, LONG));
            Awaitility.await("first closes").atMost(20, TimeUnit.SECONDS).until(pair.context::isClosed);
            assertTrue(pair.context.close(CloseMode.FLUSH, Duration.ZERO).isTimedOut(), "the first is not done");
            goOn.countDown();
            assertEquals(CloseReport.CLEAN, pair.context.close(CloseMode.FLUSH, LONG));
            assertTrue(pair.left.isClosed() && pair.right.isClosed());
            assertEquals(CloseReport.CLEAN, first.get(30, TimeUnit.SECONDS));
            round.get(30, TimeUnit.SECONDS);
        }
    }

    /** A round of the right worker whose handler does not return before the test lets it. */
    private CompletableFuture<Integer> handling(final WorkerPair pair) {
        pair.right.onActiveMessage(WorkerPair.ID, message -> {
            inside.countDown();
            await(goOn);
        });
        pair.sendNumber(1);
        final CompletableFuture<Integer> round = OtherThreads.supply(pair.right::progress);
        await(inside);
        return round;
    }

    private static void await(final CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (final InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
