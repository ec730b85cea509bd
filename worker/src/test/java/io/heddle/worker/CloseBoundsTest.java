package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.ClosedException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A close keeps its deadline whatever callbacks, dispatchers and other closers do. */
@Timeout(60)
@ExtendWith(HygieneExtension.class)
final class CloseBoundsTest {
    private static final Duration SHORT = Duration.ofMillis(30);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final CloseReport LATE = new CloseReport(0, 0, List.of(), true);

    private final List<String> told = new CopyOnWriteArrayList<>();
    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    // ---- a handler that does not return

    @Test
    @StandsFor({"C2", "C4"})
    void shouldReturnFromAWorkersCloseWhileAHandlerRunsAndEndTheWorkerWhenItReturns() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            holdRightHandler(pair);
            pair.sendNumber(1);
            pair.sendNumber(2);
            final CompletableFuture<Integer> round = OtherThreads.supply(pair.right::progress);
            await(inside);
            final Connection back = pair.back();
            assertEquals(LATE, pair.right.close(CloseMode.FLUSH, SHORT));
            assertEquals(LATE, pair.right.close(CloseMode.FORCE, Duration.ZERO));
            assertFalse(pair.right.isClosed());
            assertTrue(back.isClosed());
            assertThrows(ClosedException.class, () -> pair.right.connect(pair.left.address()));
            goOn.countDown();
            round.get(30, TimeUnit.SECONDS);
            assertTrue(pair.right.isClosed(), "by the very round in which the handler ran");
            assertEquals(List.of("handled 1"), told, "closed before the second");
            assertEquals(0, pair.right.statistics().endpoints());
            assertEquals(CloseReport.CLEAN, pair.right.close(CloseMode.FLUSH, SHORT));
        }
    }

    @Test
    @StandsFor("C2")
    void shouldCutOffAndReportThoughAHandlerRuns() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            holdRightHandler(pair);
            pair.sendNumber(1);
            final CompletableFuture<Integer> round = OtherThreads.supply(pair.right::progress);
            await(inside);
            final Connection back = pair.back();
            int waiting = 0;
            while (waiting < 3) {
                waiting += back.send(WorkerPair.ID, 0, null, WorkerPair.number(0), 0, 8, null, null).isDone() ? 0 : 1;
            }
            assertEquals(new CloseReport(3, 24, List.of(), true), back.close(CloseMode.FLUSH, SHORT));
            assertEquals(LATE, pair.right.close(CloseMode.FLUSH, SHORT), "reported once");
            goOn.countDown();
            round.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    @StandsFor("C2")
    void shouldNotWaitForARequestsHandlerBeyondTheDeadlineOfAListenersClose() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            final NamedListener listener = pair.right.listen("held", request -> {
                inside.countDown();
                await(goOn);
                request.reject("held");
            });
            pair.left.connect("held", new byte[0], 0).onError((connection, status, reason) -> told.add(reason));
            final CompletableFuture<Integer> round = OtherThreads.supply(() -> {
                while (inside.getCount() != 0) {
                    pair.right.progress();
                }
                return 0;
            });
            await(inside);
            assertTrue(listener.close(CloseMode.FORCE, SHORT).isTimedOut());
            assertTrue(listener.close(CloseMode.FLUSH, Duration.ZERO).isTimedOut(), "it runs still");
            goOn.countDown();
            assertEquals(CloseReport.CLEAN, listener.close(CloseMode.FLUSH, LONG));
            round.get(30, TimeUnit.SECONDS);
            pair.takeErrors(); // answered twice: by the close and by the handler
            pair.settle();
        }
    }

    private void holdRightHandler(final WorkerPair pair) {
        pair.right.onActiveMessage(WorkerPair.ID, message -> {
            inside.countDown();
            await(goOn);
            told.add("handled " + message.data().getInt(0));
        });
    }

    // ---- a dispatcher that takes the token again and again

    @Test
    @StandsFor("C1")
    void shouldNotBeStarvedByDispatchersThatSpin() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            pair.receive(WorkerPair.ID);
            final AtomicBoolean stop = new AtomicBoolean();
            final List<CompletableFuture<Void>> spinners = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                spinners.add(OtherThreads.run(() -> {
                    while (!stop.get()) {
                        pair.left.progress();
                        pair.right.progress();
                    }
                }));
            }
            for (int i = 0; i < 300; i++) {
                final Connection again = pair.left.connect(pair.right.address());
                again.send(WorkerPair.ID, 0, null, WorkerPair.number(i), 0, 8, null, null);
                final CloseReport report = again.close(i % 2 == 0 ? CloseMode.FLUSH : CloseMode.FORCE, LONG);
                assertFalse(report.isTimedOut());
                assertTrue(i % 2 != 0 || report.isClean(), report::toString);
            }
            assertFalse(pair.left.close(CloseMode.FLUSH, LONG).isTimedOut());
            assertFalse(pair.right.close(CloseMode.FLUSH, LONG).isTimedOut());
            stop.set(true);
            for (final CompletableFuture<Void> each : spinners) {
                each.get(30, TimeUnit.SECONDS);
            }
        }
    }

    // ---- several closers

    @Test
    @StandsFor({"C1", "6.9/wireup.stress_force_disconnect"})
    void shouldCutShortByForceWhatAnotherThreadFlushes() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            pair.fillLane();
            final CompletableFuture<CloseReport> flushing =
                OtherThreads.supply(() -> pair.there.close(CloseMode.FLUSH, LONG));
            Awaitility.await("flushing").atMost(20, TimeUnit.SECONDS)
                .until(() -> pair.there.status() == Status.CANCELED);
            final CloseReport cut = pair.there.close(CloseMode.FORCE, LONG);
            final CloseReport other = flushing.get(20, TimeUnit.SECONDS);
            assertEquals(new CloseReport(1, 8, List.of(), false), cut.plus(other), "told to one of both");
            assertEquals(0, pair.left.statistics().endpoints());
        }
    }

    @Test
    @StandsFor("C1")
    void shouldCloseAWorkerFromSeveralThreadsAtOnce() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            pair.fillLane();
            final List<CompletableFuture<CloseReport>> closers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                closers.add(OtherThreads.supply(() -> pair.left.close(CloseMode.FLUSH, SHORT)));
            }
            CloseReport all = CloseReport.CLEAN;
            for (final CompletableFuture<CloseReport> each : closers) {
                all = all.plus(each.get(20, TimeUnit.SECONDS));
                assertTrue(pair.left.isClosed(), "none returns before the end");
            }
            assertEquals(new CloseReport(1, 8, List.of(), true), all);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLetAnyThreadCloseWhatIsClosed(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.there.close(CloseMode.FORCE, LONG);
            OtherThreads.run(() -> pair.there.close(CloseMode.FLUSH, LONG)).get(20, TimeUnit.SECONDS);
            pair.left.close(CloseMode.FORCE, LONG);
            OtherThreads.run(() -> pair.left.close(CloseMode.FLUSH, LONG)).get(20, TimeUnit.SECONDS);
        }
    }

    // ---- inside a callback

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/wireup.disconnect_nb_onesided")
    void shouldKeepTheDeadlineOfACloseInsideACallback(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final Request left = fillAndCloseInside(pair, SHORT);
            Awaitility.await("cut off").atMost(20, TimeUnit.SECONDS).pollInSameThread()
                .pollInterval(1, TimeUnit.MILLISECONDS)
                .until(() -> WorkerPair.settle(pair.right) >= 0 && left.isDone());
            assertEquals(Status.CANCELED, left.status());
            assertEquals(0, pair.right.statistics().endpoints());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldEndByForceWhatWasClosedInsideACallback(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final Connection back = pair.back();
            final Request left = fillAndCloseInside(pair, LONG);
            assertEquals(new CloseReport(1, 8, List.of(), false), back.close(CloseMode.FORCE, LONG));
            assertEquals(Status.CANCELED, left.status());
            assertEquals(0, pair.right.statistics().endpoints());
        }
    }

    /** The right side fills its lane, and closes it within a handler; the left one does not progress any more. */
    private Request fillAndCloseInside(final WorkerPair pair, final Duration deadline) {
        final Request[] left = new Request[1];
        pair.right.onActiveMessage(WorkerPair.ID, message -> {
            do {
                left[0] = message.connection().send(WorkerPair.ID, 0, null, WorkerPair.number(0), 0, 8, null, null);
            } while (left[0].isDone());
            assertEquals(CloseReport.CLEAN, message.connection().close(CloseMode.FLUSH, deadline));
        });
        pair.sendNumber(1);
        while (left[0] == null) {
            pair.right.progress();
        }
        assertFalse(left[0].isDone());
        return left[0];
    }

    // ---- modes

    @Test
    @StandsFor("C2")
    void shouldFlushASerializedWorkerUnderTheLockThatItsProgressThreadNeeds() {
        final ReentrantLock lock = new ReentrantLock();
        try (WorkerPair pair = WorkerPair.open(ThreadMode.SERIALIZED)) {
            pair.receive(WorkerPair.ID);
            try (ProgressThread progress = ProgressThread.start(pair.left, lock)) {
                lock.lock();
                try {
                    pair.sending().refuseSends(5);
                    pair.sendNumber(1);
                    assertEquals(CloseReport.CLEAN, pair.left.close(CloseMode.FLUSH, LONG));
                } finally {
                    lock.unlock();
                }
                assertTrue(progress.thread().isAlive(), "only its own close ends it");
            }
            WorkerPair.settle(pair.right);
            assertEquals(List.of(1), pair.numbers());
        }
    }

    private static void await(final CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (final InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
