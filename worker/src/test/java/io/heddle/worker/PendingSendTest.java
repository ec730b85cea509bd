package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.loop.SteeredLane;
import io.heddle.tests.loop.SteeredSettings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sends that find no room: their place, their requests, giving them up and waiting for them. */
@Timeout(20)
@ExtendWith(HygieneExtension.class)
final class PendingSendTest {
    private static final int RING = SteeredSettings.DEFAULT.ringRecords();
    private static final int FRAGMENT = SteeredSettings.DEFAULT.maxFragmentBytes();

    // ---- order

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldQueueWhileConnectingAndSendInOrder(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.openConnecting(mode)) {
            pair.receive(WorkerPair.ID);
            final List<Request> requests = IntStream.range(0, 40).mapToObj(pair::sendNumber).toList();
            pair.settle();
            assertTrue(requests.stream().noneMatch(Request::isDone));
            assertFalse(pair.there.isConnected());
            assertEquals(Status.NO_RESOURCE, pair.there.trySend(WorkerPair.ID, 0, null, WorkerPair.number(1), 0, 8));
            pair.completeConnect();
            assertTrue(pair.there.isConnected());
            assertEquals(IntStream.range(0, 40).boxed().toList(), pair.numbers());
            assertTrue(requests.stream().allMatch(request -> request.status() == Status.OK));
            assertTrue(pair.there.isWritable());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.10/pending.send_ooo_with_pending", "6.10/pending.pending_op", "6.10/pending.pending_async",
        "6.10/p2p_am.am_max_short_multi"})
    void shouldNotLetANewSendOvertakeAQueuedOne(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            final int last = pair.fillLane();
            assertEquals(RING, last);
            WorkerPair.settle(pair.right);
            assertTrue(pair.leftLane().hasRoom());
            assertEquals(RING, pair.received.size(), "pending sends move in progress only");
            assertFalse(pair.sendNumber(last + 1).isDone());
            assertEquals(Status.NO_RESOURCE, pair.there.trySend(WorkerPair.ID, 0, null, WorkerPair.number(99), 0, 8));
            assertFalse(pair.there.isWritable());
            pair.settle();
            assertTrue(pair.sendNumber(last + 2).isDone());
            pair.settle();
            assertEquals(IntStream.rangeClosed(0, last + 2).boxed().toList(), pair.numbers());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/p2p_am.tx_max_bufs")
    void shouldKeepTheOrderOfShortOnesBehindALongOne(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<Long> lengths = new ArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> lengths.add(message.lengthBytes()));
            final Request longOne = pair.send(WorkerPair.pattern(20 * FRAGMENT, 1));
            assertFalse(longOne.isDone());
            assertFalse(pair.sendNumber(1).isDone());
            pair.settle();
            assertEquals(List.of(20L * FRAGMENT, 8L), lengths);
            assertEquals(Status.OK, longOne.status());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.10/pending.pending_another_ep", "6.10/pending.pending_fairness"})
    void shouldLetEveryEndpointGoAsFarAsItsOwnRoom(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final Connection other = pair.left.connect(pair.right.address());
            pair.settle();
            final SteeredLane otherLane = (SteeredLane) other.lane();
            pair.sending().refuseSends(1000);
            otherLane.steering().refuseSends(2);
            pair.receive(WorkerPair.ID);
            final Request stuck = pair.sendNumber(1);
            final Request free = other.send(WorkerPair.ID, 0, null, WorkerPair.number(2), 0, 8, null, null);
            assertFalse(stuck.isDone() || free.isDone());
            assertEquals(2, pair.left.statistics().pendingEndpoints());
            for (int i = 0; i < 3; i++) {
                pair.left.progress();
            }
            assertEquals(Status.OK, free.status());
            assertFalse(stuck.isDone());
            WorkerPair.settle(pair.right);
            assertEquals(List.of(2), pair.numbers());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/send_copy_header.all_protos")
    void shouldLetTheHeaderBeOverwrittenAtOnce(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.openConnecting(mode)) {
            pair.receive(WorkerPair.ID);
            final UnsafeBuffer header = new UnsafeBuffer(new byte[9]);
            for (int i = 0; i < 5; i++) {
                header.setMemory(0, 9, (byte) i);
                pair.there.send(WorkerPair.ID, 0, header, WorkerPair.pattern(3000 * i, i), 0, 3000 * i, null, null);
            }
            header.setMemory(0, 9, (byte) 99);
            pair.completeConnect();
            for (int i = 0; i < 5; i++) {
                final byte[] wanted = new byte[9];
                java.util.Arrays.fill(wanted, (byte) i);
                assertArrayEquals(wanted, pair.received.get(i).header());
                assertArrayEquals(WorkerPair.bytes(3000 * i, i), pair.received.get(i).data());
            }
        }
    }

    // ---- limits

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.10/stats.tx_no_res", "6.10/stats.pending_add"})
    void shouldRefuseMoreThanMayWait(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT, config -> config.sendPendingMax(3))) {
            pair.receive(WorkerPair.ID);
            final int first = pair.fillLane();
            assertEquals(1, pair.left.statistics().pendingEndpoints());
            assertFalse(pair.sendNumber(first + 1).isDone());
            assertFalse(pair.sendNumber(first + 2).isDone());
            assertEquals(Status.NO_RESOURCE, pair.sendNumber(99).status());
            assertEquals(Status.NO_RESOURCE, pair.there.send(WorkerPair.ID, 0, null,
                new BufferVector().add(WorkerPair.number(99), 0, 8), null, null).status());
            assertEquals(2, pair.left.statistics().sendsRefused());
            pair.settle();
            assertEquals(IntStream.rangeClosed(0, first + 2).boxed().toList(), pair.numbers());
            assertEquals(0, pair.left.statistics().pendingEndpoints());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldNeverQueueATry(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            for (int i = 0; i < RING; i++) {
                assertEquals(Status.OK, pair.there.trySend(WorkerPair.ID, 0, null, WorkerPair.number(i), 0, 8));
            }
            assertEquals(Status.NO_RESOURCE, pair.there.trySend(WorkerPair.ID, 0, null, WorkerPair.number(99), 0, 8));
            assertEquals(0, pair.left.statistics().pendingEndpoints());
            assertEquals(Status.UNSUPPORTED, pair.there.trySend(WorkerPair.ID, 0, null,
                WorkerPair.pattern(FRAGMENT + 1, 1), 0, FRAGMENT + 1));
            assertEquals(Status.UNSUPPORTED, pair.there.trySend(WorkerPair.ID, 0, WorkerPair.number(1),
                WorkerPair.pattern(FRAGMENT, 1), 0, FRAGMENT));
            pair.settle();
            assertEquals(IntStream.range(0, RING).boxed().toList(), pair.numbers());
        }
    }

    // ---- requests

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/pending.send_ooo_with_comp")
    void shouldTellCompletionsInOrderAndOnlyFromProgress(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            pair.fillLane();
            final List<Object> told = new ArrayList<>();
            final List<Request> requests = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                final UnsafeBuffer data = WorkerPair.number(100 + i);
                requests.add(pair.there.send(WorkerPair.ID, 0, null, data, 0, 8, (request, status) -> {
                    pair.assertNoLockHeld();
                    assertEquals(Status.OK, status);
                    assertEquals(Status.OK, request.status());
                    assertSame(requests.get((int) request.userData()), request);
                    told.add(request.userData());
                }, i));
            }
            assertEquals(Status.IN_PROGRESS, requests.get(0).status());
            WorkerPair.settle(pair.right);
            assertEquals(List.of(), told);
            pair.settle();
            assertEquals(List.of(0, 1, 2, 3, 4), told);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldGiveUpASendThatHasNotBegun(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            final int first = pair.fillLane();
            final List<Status> told = new ArrayList<>();
            final Request given = pair.send(WorkerPair.number(99), (request, status) -> told.add(status));
            final Request kept = pair.sendNumber(first + 1);
            assertTrue(given.cancel());
            assertEquals(Status.CANCELED, given.status());
            assertEquals(List.of(), told, "no callback within the call");
            assertFalse(given.cancel());
            pair.settle();
            assertEquals(List.of(Status.CANCELED), told);
            assertEquals(Status.OK, kept.status());
            assertFalse(kept.cancel());
            assertEquals(IntStream.rangeClosed(0, first + 1).boxed().toList(), pair.numbers());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldNotGiveUpASendThatHasBegun(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            final Request begun = pair.send(WorkerPair.pattern(10 * FRAGMENT, 5));
            assertFalse(begun.isDone());
            assertFalse(begun.cancel());
            assertEquals(Status.IN_PROGRESS, begun.status());
            pair.settle();
            assertEquals(Status.OK, begun.status());
            assertArrayEquals(WorkerPair.bytes(10 * FRAGMENT, 5), pair.received.get(0).data());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldHaveNothingToFlushOnceTheOnlyPendingSendWasGivenUp(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.openConnecting(mode)) {
            assertTrue(pair.sendNumber(1).cancel());
            assertEquals(0, pair.left.statistics().pendingEndpoints());
            assertTrue(pair.there.flush().isDone());
            assertEquals(CloseReport.CLEAN, pair.there.close(CloseMode.FLUSH, Duration.ofSeconds(1)));
        }
    }

    // ---- flush and await

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldFlushWhatWasSentBeforeAndNoMore(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            assertEquals(Status.OK, pair.there.flush().status());
            final int before = pair.fillLane();
            final Request flush = pair.there.flush();
            final Request after = pair.sendNumber(before + 1);
            assertEquals(Status.IN_PROGRESS, flush.status());
            pair.sending().holdRoom();
            pair.settle();
            assertFalse(flush.isDone());
            assertEquals(1, pair.sending().giveRoom(1));
            pair.settle();
            assertEquals(Status.OK, flush.status());
            assertFalse(after.isDone());
            pair.sending().resumeRoom();
            pair.settle();
            assertEquals(Status.OK, after.status());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldFlushEveryEndpointOfAWorker(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final Connection other = pair.left.connect(pair.right.address());
            pair.settle();
            assertTrue(pair.left.flush().isDone());
            pair.sending().refuseSends(20);
            ((SteeredLane) other.lane()).steering().refuseSends(1);
            pair.sendNumber(1);
            final Request second = other.send(WorkerPair.ID, 0, null, WorkerPair.number(2), 0, 8, null, null);
            final Request flush = pair.left.flush();
            for (int i = 0; i < 3; i++) {
                pair.left.progress();
            }
            assertEquals(Status.OK, second.status());
            assertFalse(flush.isDone());
            for (int i = 0; i < 30; i++) {
                pair.left.progress();
            }
            assertEquals(Status.OK, flush.status());
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldAwaitByProgressing(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
            pair.sending().refuseSends(5);
            final Request request = pair.sendNumber(1);
            assertEquals(Status.IN_PROGRESS, request.await(Duration.ZERO));
            assertEquals(Status.OK, request.await(Duration.ofSeconds(10)));
            assertEquals(Status.OK, request.await(Duration.ZERO));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldEndAnAwaitWhenItsTimeIsOver(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.openConnecting(mode)) {
            assertEquals(Status.IN_PROGRESS, pair.sendNumber(1).await(Duration.ofMillis(30)));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @Tag("debug-only")
    @ExpectedLog("payload of a pending send was changed")
    void shouldFindAPayloadThatWasChangedWhilePending(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.openConnecting(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
            final UnsafeBuffer data = WorkerPair.number(1);
            pair.send(data);
            pair.send(WorkerPair.number(2));
            data.putInt(4, 1);
            pair.completeConnect();
            assertEquals(1, pair.left.statistics().payloadsChanged());
        }
    }
}
