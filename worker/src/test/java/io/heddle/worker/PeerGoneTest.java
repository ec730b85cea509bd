package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.loop.SteeredCall;
import io.heddle.tests.loop.SteeredLane;
import io.heddle.tests.loop.SteeredSettings;
import io.heddle.tests.loop.Steering;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The end of a connection that comes from the other side, or from a peer that breaks the protocol. */
@Timeout(20)
@ExtendWith(HygieneExtension.class)
final class PeerGoneTest {
    private static final int FRAGMENT = SteeredSettings.DEFAULT.maxFragmentBytes();

    private final List<String> told = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.9/peer_failure.basic", "P5"})
    void shouldDeliverWhatWasPublishedThenTellOnce(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> told.add("got " + message.data().getInt(0)));
            pair.back().onError((connection, status, reason) -> {
                pair.assertNoLockHeld();
                told.add(status + " " + reason);
            });
            IntStream.range(0, 10).forEach(pair::sendNumber);
            pair.sending().killPeer();
            pair.settle();
            assertEquals(11, told.size());
            assertEquals("got 9", told.get(9));
            assertEquals("CONNECTION_RESET peer killed", told.get(10));
            assertTrue(pair.back().isFailed());
            assertFalse(pair.back().isClosed() || pair.back().isConnected());
            assertEquals("peer killed", pair.back().failure());
            assertEquals(Status.CONNECTION_RESET, pair.back().status());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellWhoeverWantsToKnowOnlyAfterwards(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.sending().killPeer();
            pair.settle();
            assertTrue(pair.there.isFailed());
            pair.there.onError((connection, status, reason) -> told.add("first " + status));
            assertEquals(List.of(), told);
            pair.settle();
            pair.there.onError((connection, status, reason) -> told.add("second " + status));
            pair.settle();
            assertEquals(List.of("first CONNECTION_RESET"), told);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.9/peer_failure.force_close", "6.9/peer_failure.bcopy_multi", "6.9/uct.purge_failed_peer"})
    void shouldCompleteEveryPendingRequestWithTheStatus(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.there.onError((connection, status, reason) -> told.add("error"));
            final List<Request> requests = new ArrayList<>();
            requests.add(pair.send(WorkerPair.pattern(20 * FRAGMENT, 1), (request, status) -> told.add("a " + status)));
            requests.add(pair.send(WorkerPair.number(1), (request, status) -> told.add("b " + status)));
            requests.add(pair.there.flush());
            requests.add(pair.left.flush());
            assertTrue(requests.stream().noneMatch(Request::isDone));
            pair.sending().killPeer();
            WorkerPair.settle(pair.left);
            requests.forEach(request -> assertEquals(Status.CONNECTION_RESET, request.status()));
            assertEquals(3, told.size());
            assertTrue(told.containsAll(List.of("a CONNECTION_RESET", "b CONNECTION_RESET", "error")));
            assertEquals(0, pair.left.statistics().pendingEndpoints());
            assertFalse(pair.there.isWritable());
            assertEquals(Status.CONNECTION_RESET, pair.sendNumber(1).status());
            assertEquals(Status.CONNECTION_RESET, pair.there.flush().status());
            assertEquals(Status.CONNECTION_RESET,
                pair.there.trySend(WorkerPair.ID, 0, null, WorkerPair.number(1), 0, 8));
            assertEquals(Status.CONNECTION_RESET, pair.there.send(WorkerPair.ID, 0, null,
                new BufferVector().add(WorkerPair.number(1), 0, 8), null, null).status());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("P6")
    void shouldCloseAtOnceWhatHadPendingSendsWhenItsPeerWent(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.fillLane();
            pair.sending().killPeer();
            WorkerPair.settle(pair.left);
            assertEquals(CloseReport.CLEAN, pair.there.close(CloseMode.FLUSH, Duration.ofSeconds(5)));
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("P6")
    void shouldEndAFlushWhenItsPeerGoes(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.fillLane();
            pair.sending().killPeer();
            assertEquals(new CloseReport(1, 8, List.of(), false),
                pair.there.close(CloseMode.FLUSH, Duration.ofSeconds(5)), "cut off by the peer while it was closed");
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.9/uct.two_pairs_send", "P1"})
    void shouldNotDisturbAnotherEndpoint(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final Connection other = pair.left.connect(pair.right.address());
            pair.settle();
            pair.receive(WorkerPair.ID);
            other.onError((connection, status, reason) -> told.add("other"));
            pair.there.onError((connection, status, reason) -> told.add("there"));
            final Request longOne = other.send(WorkerPair.ID, 0, null, WorkerPair.pattern(20 * FRAGMENT, 1), 0,
                20 * FRAGMENT, null, null);
            pair.sending().killPeer();
            pair.settle();
            assertEquals(Status.OK, longOne.status());
            assertEquals(20 * FRAGMENT, pair.received.get(0).data().length);
            assertEquals(List.of("there"), told);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldReportAnErrorOfTheTransportToBothSides(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            pair.there.onError((connection, status, reason) -> told.add("left " + status));
            pair.back().onError((connection, status, reason) -> told.add("right " + status));
            pair.sending().failAt(SteeredCall.SEND, 3, Status.IO_ERROR);
            assertTrue(pair.sendNumber(0).isDone());
            assertTrue(pair.sendNumber(1).isDone());
            assertEquals(Status.IO_ERROR, pair.sendNumber(2).status());
            pair.settle();
            assertEquals(List.of(0, 1), pair.numbers());
            assertEquals(List.of("left IO_ERROR", "right CONNECTION_RESET"), told);
            assertEquals(Status.IO_ERROR, pair.sendNumber(3).status());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldEndWhereReadingFails(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            pair.back().onError((connection, status, reason) -> told.add("right " + status));
            pair.receiving().failAt(SteeredCall.COLLECT, 1, Status.IO_ERROR);
            pair.sendNumber(0);
            pair.settle();
            assertEquals(List.of("right IO_ERROR"), told);
            assertEquals(List.of(), pair.numbers());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/sockaddr.err_handle")
    void shouldTellOnceThatAConnectionDidNotComeAbout(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.leftSide.steering().refuseConnects(1, Status.REJECTED);
            final Connection refused = pair.left.connect(pair.right.address());
            refused.onError((connection, status, reason) -> told.add("error " + status));
            final Request waiting = refused.send(WorkerPair.ID, 0, null, WorkerPair.number(1), 0, 8,
                (request, status) -> told.add("sent " + status), null);
            pair.settle();
            assertTrue(waiting.isDone());
            assertTrue(told.contains("error REJECTED"), told::toString);
            assertEquals(Status.REJECTED, refused.status());
            assertFalse(refused.isConnected());
            assertEquals(CloseReport.CLEAN, refused.close(CloseMode.FLUSH, Duration.ofSeconds(1)));
            pair.settle();
            assertEquals(1, told.stream().filter(text -> text.startsWith("error")).count());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldFailToConnectToAWorkerThatIsGone(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final WorkerAddress address = pair.right.address();
            pair.right.close(CloseMode.FORCE, Duration.ZERO);
            final Connection late = pair.left.connect(address);
            late.onError((connection, status, reason) -> told.add(status + " " + reason));
            WorkerPair.settle(pair.left);
            assertEquals(List.of("UNREACHABLE nobody has this address"), told);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.9/sockaddr.onesided_disconnect", "6.10/uct_ep.disconnect_after_send"})
    void shouldTellOfThePeersCloseAfterItsLastMessage(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> told.add("got " + message.data().getInt(0)));
            pair.back().onError((connection, status, reason) -> told.add(status + " " + reason));
            pair.sendNumber(1);
            pair.sendNumber(2);
            pair.there.close(CloseMode.FLUSH, Duration.ofSeconds(1));
            pair.settle();
            assertEquals(List.of("got 1", "got 2", "CONNECTION_RESET peer closed"), told);
        }
    }

    // ---- broken protocol

    static Stream<Arguments> breaches() {
        final List<Arguments> all = new ArrayList<>();
        for (final ThreadMode mode : ThreadMode.values()) {
            all.add(Arguments.of(mode, "type=9", breach(steering -> steering.corruptType(9))));
            all.add(Arguments.of(mode, "type=100", breach(steering -> steering.corruptType(100))));
            all.add(Arguments.of(mode, "type=200", breach(steering -> steering.corruptType(200))));
            all.add(Arguments.of(mode, "length=7", breach(steering -> steering.corruptLength(7))));
            all.add(Arguments.of(mode, "length=100000", breach(steering -> steering.corruptLength(100_000))));
            all.add(Arguments.of(mode, "headerBytes=64", breach(steering -> steering.corruptMeta(64L << 16))));
            all.add(Arguments.of(mode, "payloadBytes=4194312", breach(steering -> steering.corruptMeta(1L << 54))));
            all.add(Arguments.of(mode, "fragment without", breach(steering -> steering.corruptType(3))));
            all.add(Arguments.of(mode, "first fragment", breach(steering -> steering.corruptType(2))));
        }
        return all.stream();
    }

    private static Consumer<Steering> breach(final Consumer<Steering> breach) {
        return breach;
    }

    @ParameterizedTest
    @MethodSource("breaches")
    void shouldEndTheEndpointOfAPeerThatBreaksTheProtocolAndNoOther(final ThreadMode mode, final String field,
        final Consumer<Steering> breach) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final Connection other = pair.left.connect(pair.right.address());
            pair.settle();
            pair.right.onActiveMessage(WorkerPair.ID, message -> told.add("got " + message.data().getInt(0)));
            pair.back().onError((connection, status, reason) -> told.add(status + " " + reason));
            pair.sendNumber(1);
            pair.settle();
            breach.accept(pair.receiving());
            pair.sendNumber(2);
            pair.sendNumber(3);
            pair.settle();
            other.send(WorkerPair.ID, 0, null, WorkerPair.number(4), 0, 8, null, null);
            pair.settle();
            assertEquals(3, told.size(), told::toString);
            assertEquals("got 1", told.get(0));
            assertTrue(told.get(1).startsWith("PROTOCOL_VIOLATION "), told.get(1));
            assertTrue(told.get(1).contains(field), told.get(1));
            assertEquals("got 4", told.get(2));
            assertEquals(Status.PROTOCOL_VIOLATION, pair.back().status());
            assertEquals(Status.PROTOCOL_VIOLATION,
                pair.back().send(1, 0, null, WorkerPair.number(1), 0, 8, null, null).status());
            assertEquals(1, pair.right.statistics().protocolViolations());
            pair.back().close(CloseMode.FLUSH, Duration.ofSeconds(1));
            pair.settle();
            assertEquals(3, told.size());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLookNoMoreAtALaneWhoseMessagesBrokeTheProtocol(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            final Connection back = pair.back();
            back.onError((connection, status, reason) -> told.add(status.toString()));
            pair.receiving().corruptType(3);
            pair.sendNumber(1);
            pair.settle();
            assertEquals(Status.PROTOCOL_VIOLATION, back.status());
            assertEquals(-1, back.pollIndex);
            back.resume();
            pair.sendNumber(2);
            pair.settle();
            assertEquals(-1, back.activeIndex);
            assertEquals(List.of("PROTOCOL_VIOLATION"), told);
            assertEquals(List.of(), pair.received);
            assertEquals(1, pair.right.statistics().endpoints(), "until the application closes it");
            back.close(CloseMode.FLUSH, Duration.ofSeconds(1));
            assertEquals(0, pair.right.statistics().endpoints());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldEndAPeerWhoseFragmentsDoNotFitTogether(final ThreadMode mode) {
        final List<Consumer<Steering>> breaches = List.of(steering -> steering.corruptMeta(1L << 35),
            steering -> steering.corruptType(2), steering -> steering.corruptLength(0));
        for (final Consumer<Steering> breach : breaches) {
            try (WorkerPair pair = WorkerPair.open(mode)) {
                told.clear();
                pair.receive(WorkerPair.ID);
                pair.back().onError((connection, status, reason) -> told.add(status + " " + reason));
                pair.receiving().holdDelivery();
                pair.send(WorkerPair.pattern(6 * FRAGMENT, 1));
                assertEquals(2, pair.receiving().deliver(2));
                pair.settle();
                breach.accept(pair.receiving());
                pair.receiving().resumeDelivery();
                pair.settle();
                assertEquals(1, told.size(), told::toString);
                assertTrue(told.get(0).startsWith("PROTOCOL_VIOLATION"), told.get(0));
                assertEquals(List.of(), pair.received);
                pair.back().close(CloseMode.FORCE, Duration.ZERO);
                assertEquals(0, pair.right.statistics().poolInUse());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.9/peer_failure_keepalive.kill_receiver", "6.9/uct.multiple.test"})
    void shouldTellOfEachOfSeveralPeersThatGo(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<Connection> all = new ArrayList<>(List.of(pair.there));
            for (int i = 0; i < 5; i++) {
                all.add(pair.left.connect(pair.right.address()));
            }
            pair.settle();
            for (final Connection each : all) {
                each.onError((connection, status, reason) -> told.add("gone " + all.indexOf(connection)));
            }
            for (final Connection each : all.subList(1, 5)) {
                ((SteeredLane) each.lane()).steering().killPeer();
            }
            pair.settle();
            assertEquals(List.of("gone 1", "gone 2", "gone 3", "gone 4"), told.stream().sorted().toList());
            assertTrue(pair.there.isConnected());
            assertTrue(all.get(5).isConnected());
        }
    }
}
