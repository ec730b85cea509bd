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
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.loop.SteeredCall;
import io.heddle.tests.loop.SteeredLane;
import io.heddle.tests.loop.SteeredSettings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Closing endpoints and workers: what is flushed, what is cut off and reported, and what still runs. */
@Timeout(30)
@ExtendWith(HygieneExtension.class)
final class CloseTest {
    private static final int FRAGMENT = SteeredSettings.DEFAULT.maxFragmentBytes();
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofSeconds(10);

    private final List<String> told = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.9/wireup.send_disconnect_onesided", "C3"})
    void shouldFlushWhatWasAccepted(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            pair.sending().refuseSends(5);
            for (int i = 0; i < 5; i++) {
                pair.sendNumber(i);
            }
            final CloseReport report = pair.there.close(CloseMode.FLUSH, LONG);
            assertEquals(CloseReport.CLEAN, report);
            assertTrue(report.isClean());
            assertTrue(pair.there.isClosed());
            pair.settle();
            assertEquals(List.of(0, 1, 2, 3, 4), pair.numbers());
            assertEquals(0, pair.left.statistics().endpoints());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"C2", "6.10/pending.pending_purge", "6.3/discard"})
    void shouldCutOffAndReportWhatIsLeftAtTheDeadline(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final int sent = pair.fillLane();
            final Request left = pair.send(WorkerPair.pattern(100, 1), (request, status) -> told.add("cut " + status));
            final CloseReport report = pair.there.close(CloseMode.FLUSH, SHORT);
            assertEquals(new CloseReport(2, 108, List.of(), true), report);
            assertFalse(report.isClean());
            assertEquals(Status.CANCELED, left.status());
            assertEquals(List.of(), told, "no callback within the call");
            pair.receive(WorkerPair.ID);
            pair.settle();
            assertEquals(List.of("cut CANCELED"), told);
            assertEquals(sent, pair.received.size(), "what the peer had been given is delivered");
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldCutOffAtOnceByForce(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            pair.sendNumber(0);
            pair.sending().refuseSends(2);
            final Request pending = pair.sendNumber(1);
            assertEquals(new CloseReport(1, 8, List.of(), false), pair.there.close(CloseMode.FORCE, LONG));
            assertEquals(Status.CANCELED, pending.status());
            pair.settle();
            assertEquals(List.of(0), pair.numbers());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/wireup.close_nbx_callback")
    void shouldBeIdempotentAndRefuseLaterSends(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.there.onError((connection, status, reason) -> told.add("told of its own close"));
            pair.there.close(CloseMode.FLUSH, LONG);
            assertEquals(CloseReport.CLEAN, pair.there.close(CloseMode.FLUSH, LONG));
            assertEquals(CloseReport.CLEAN, pair.there.close(CloseMode.FORCE, Duration.ZERO));
            assertEquals(Status.CANCELED, pair.sendNumber(1).status());
            assertEquals(Status.CANCELED, pair.there.trySend(WorkerPair.ID, 0, null, null, 0, 0));
            assertEquals(Status.CANCELED, pair.there.tryClaim(WorkerPair.ID, 0, 8, new Claim()));
            assertEquals(Status.CANCELED, pair.there.flush().status());
            pair.there.resume();
            pair.settle();
            assertEquals(List.of(), told);
            assertEquals(1, pair.leftSide.steering().count(SteeredCall.DISPOSE));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.9/sockaddr.concurrent_disconnect", "6.9/wireup.disconnect_reconnect"})
    void shouldCloseBothSidesAndConnectAgain(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            for (int i = 0; i < 20; i++) {
                final Connection again = pair.left.connect(pair.right.address());
                again.send(WorkerPair.ID, 0, null, WorkerPair.number(i), 0, 8, null, null);
                pair.receive(WorkerPair.ID);
                pair.settle();
                final Connection far = pair.received.get(i).from();
                again.close(i % 2 == 0 ? CloseMode.FLUSH : CloseMode.FORCE, LONG);
                far.close(i % 3 == 0 ? CloseMode.FLUSH : CloseMode.FORCE, LONG);
                pair.settle();
            }
            assertEquals(1, pair.left.statistics().endpoints());
            assertEquals(1, pair.right.statistics().endpoints());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/wireup.connect_disconnect")
    void shouldCloseWhileConnecting(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.openConnecting(mode)) {
            pair.sendNumber(1);
            final CloseReport report = pair.there.close(CloseMode.FLUSH, SHORT);
            assertEquals(1, report.cutRequests());
            pair.completeConnect();
            assertEquals(0, pair.left.statistics().endpoints());
        }
    }

    // ---- while others are at work

    @Test
    @StandsFor({"C1", "C4"})
    void shouldWaitForARunningCallbackAndLetNoneRunAfterwards() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            final CountDownLatch inside = new CountDownLatch(1);
            final CountDownLatch goOn = new CountDownLatch(1);
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                told.add("begin");
                inside.countDown();
                await(goOn);
                told.add("end");
            });
            pair.sendNumber(1);
            pair.sendNumber(2);
            final Connection back = pair.back();
            final CompletableFuture<Integer> dispatching = OtherThreads.supply(pair.right::progress);
            await(inside);
            final CompletableFuture<CloseReport> closing =
                OtherThreads.supply(() -> back.close(CloseMode.FORCE, LONG));
            Awaitility.await("closer waits").atMost(10, TimeUnit.SECONDS)
                .until(() -> back.status() == Status.CANCELED);
            assertFalse(closing.isDone());
            goOn.countDown();
            assertEquals(CloseReport.CLEAN, closing.get(10, TimeUnit.SECONDS));
            final int atClose = told.size();
            dispatching.get(10, TimeUnit.SECONDS);
            pair.settle();
            assertEquals(atClose, told.size(), "no callback after close returned");
            assertEquals("end", told.get(atClose - 1));
            assertEquals(0, pair.right.statistics().endpoints());
        }
    }

    @Test
    void shouldReportWhenACallbackRunsBeyondTheDeadline() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            final CountDownLatch inside = new CountDownLatch(1);
            final CountDownLatch goOn = new CountDownLatch(1);
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                told.add("handled");
                inside.countDown();
                await(goOn);
            });
            pair.sendNumber(1);
            pair.sendNumber(2);
            final Connection back = pair.back();
            final CompletableFuture<Integer> dispatching = OtherThreads.supply(pair.right::progress);
            await(inside);
            assertEquals(new CloseReport(0, 0, List.of(), true), back.close(CloseMode.FLUSH, SHORT));
            assertTrue(back.isClosed());
            goOn.countDown();
            dispatching.get(10, TimeUnit.SECONDS);
            pair.settle();
            assertEquals(List.of("handled"), told, "closed before the second");
            assertEquals(0, pair.right.statistics().endpoints());
        }
    }

    @Test
    void shouldNotTearAWorkerDownUnderARunningCallback() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            final CountDownLatch inside = new CountDownLatch(1);
            final CountDownLatch goOn = new CountDownLatch(1);
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                inside.countDown();
                await(goOn);
                told.add("end " + message.data().getInt(0));
            });
            pair.sendNumber(1);
            final CompletableFuture<Integer> dispatching = OtherThreads.supply(pair.right::progress);
            await(inside);
            final CompletableFuture<CloseReport> first =
                OtherThreads.supply(() -> pair.right.close(CloseMode.FORCE, Duration.ZERO));
            final CompletableFuture<CloseReport> second =
                OtherThreads.supply(() -> pair.right.close(CloseMode.FLUSH, LONG));
            Awaitility.await("closers wait").atMost(10, TimeUnit.SECONDS)
                .until(() -> pair.right.core().connections()[0].status() == Status.CANCELED);
            assertFalse(pair.right.isClosed());
            goOn.countDown();
            first.get(10, TimeUnit.SECONDS);
            second.get(10, TimeUnit.SECONDS);
            dispatching.get(10, TimeUnit.SECONDS);
            assertEquals(List.of("end 1"), told);
            assertTrue(pair.right.isClosed());
        }
    }

    // ---- workers

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldCloseEveryEndpointOfAWorkerAndTellWhatWasCut(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            final Connection other = pair.left.connect(pair.right.address());
            pair.settle();
            ((SteeredLane) other.lane()).steering().refuseSends(3);
            final Request flushed = other.send(WorkerPair.ID, 0, null, WorkerPair.number(7), 0, 8, null, null);
            final int sent = pair.fillLane();
            final Request cut = pair.send(WorkerPair.number(9), (request, status) -> told.add("cut " + status));
            final CloseReport report = pair.left.close(CloseMode.FLUSH, SHORT);
            assertEquals(2, report.cutRequests());
            assertEquals(16, report.cutBytes());
            assertTrue(report.isTimedOut());
            assertEquals(Status.OK, flushed.status());
            assertEquals(Status.CANCELED, cut.status());
            assertEquals(List.of("cut CANCELED"), told, "nothing is progressed any more");
            assertTrue(pair.left.isClosed() && other.isClosed() && pair.there.isClosed());
            assertEquals(0, pair.left.statistics().endpoints());
            WorkerPair.settle(pair.right);
            assertEquals(sent + 1, pair.received.size());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.1/own.get_after_close")
    void shouldRefuseOrIgnoreWhatComesAfterTheClose(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final WorkerAddress address = pair.left.address();
            assertEquals(CloseReport.CLEAN, pair.left.close(CloseMode.FLUSH, LONG));
            assertEquals(CloseReport.CLEAN, pair.left.close(CloseMode.FORCE, Duration.ZERO));
            pair.left.close();
            assertThrows(ClosedException.class, () -> pair.left.connect(pair.right.address()));
            assertThrows(ClosedException.class, () -> pair.left.onActiveMessage(1, message -> { }));
            assertThrows(ClosedException.class, pair.left::arm);
            assertEquals(Status.CANCELED, pair.sendNumber(1).status());
            assertEquals(CloseReport.CLEAN, pair.there.close(CloseMode.FLUSH, LONG));
            assertEquals(0, pair.left.progress());
            assertTrue(pair.left.await(LONG), "nobody sleeps in a closed worker");
            pair.left.signal();
            assertTrue(pair.left.flush().isDone());
            assertEquals(address, pair.left.address());
            assertEquals(mode, pair.left.threadMode());
            assertTrue(pair.left.describe().contains("name=left"), pair.left.describe());
            pair.left.statistics();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @ExpectedLog("was not returned to pool .*worker=right")
    void shouldLogLeaksWhenNobodyTakesTheReport(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<ReceivedData> kept = new ArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> kept.add(message.retain()));
            pair.send(WorkerPair.pattern(FRAGMENT, 1));
            pair.settle();
            pair.right.close();
            kept.get(0).close();
        }
    }

    private static void await(final CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS));
        } catch (final InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
