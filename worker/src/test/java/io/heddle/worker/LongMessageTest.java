package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.loop.SteeredLane;
import io.heddle.tests.loop.SteeredSettings;
import io.heddle.tests.loop.Steering;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages of several fragments, and the memory they are put together in. */
@Timeout(20)
@ExtendWith(HygieneExtension.class)
final class LongMessageTest {
    private static final int FRAGMENT = SteeredSettings.DEFAULT.maxFragmentBytes();
    /** As much as one endpoint may have; all have three times that. */
    private static final int BUDGET = 512 * 1024;
    /** Takes all of that. */
    private static final int LARGE = 300_000;

    private final List<ReceivedData> kept = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.6/reply_always.multi_bcopy", "6.6/reply_always.multi_zcopy"})
    void shouldPutMessagesOfManyEndpointsTogetherAtOnce(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<Connection> all = new ArrayList<>(List.of(pair.there));
            for (int i = 1; i < 5; i++) {
                all.add(pair.left.connect(pair.right.address()));
            }
            pair.settle();
            pair.receive(WorkerPair.ID);
            final List<Integer> replies = new ArrayList<>();
            pair.left.onActiveMessage(8, message -> replies.add((int) message.lengthBytes()));
            for (int i = 0; i < all.size(); i++) {
                final int bytes = (10 + i) * FRAGMENT + i;
                all.get(i).send(WorkerPair.ID, 0, null, WorkerPair.pattern(bytes, i), 0, bytes, null, null);
            }
            pair.settle();
            assertEquals(5, pair.received.size());
            for (final Received each : pair.received) {
                final int i = each.data().length / FRAGMENT - 10;
                assertArrayEquals(WorkerPair.bytes((10 + i) * FRAGMENT + i, i), each.data());
                each.from().send(8, 0, null, WorkerPair.pattern(3 * FRAGMENT, i), 0, 3 * FRAGMENT, null, null);
            }
            pair.settle();
            assertEquals(List.of(3 * FRAGMENT, 3 * FRAGMENT, 3 * FRAGMENT, 3 * FRAGMENT, 3 * FRAGMENT), replies);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldStallOverTheBudgetAndGoOnAfterARelease(final ThreadMode mode) {
        try (WorkerPair pair = budgeted(mode)) {
            final Connection other = pair.left.connect(pair.right.address());
            pair.settle();
            keepAll(pair);
            pair.send(WorkerPair.pattern(LARGE, 1));
            pair.settle();
            pair.send(WorkerPair.pattern(LARGE, 2));
            final Request behind = pair.sendNumber(3);
            pair.settle();
            assertEquals(1, kept.size());
            assertTrue(pair.back().isPaused());
            other.send(WorkerPair.ID, 0, null, WorkerPair.number(4), 0, 8, null, null);
            pair.settle();
            assertEquals(2, kept.size(), "other lanes go on");
            kept.get(0).release();
            pair.settle();
            assertEquals(4, kept.size());
            assertPattern(2, kept.get(2));
            assertEquals(3, kept.get(3).getInt(0));
            assertEquals(Status.OK, behind.status());
            assertTrue(pair.right.statistics().poolExhausted() > 0);
            kept.stream().skip(1).forEach(ReceivedData::close);
            pair.settle();
            assertEquals(0, pair.right.statistics().poolInUse());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldServeEveryLaneThatStalls(final ThreadMode mode) {
        try (WorkerPair pair = budgeted(mode)) {
            final List<Connection> others = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                others.add(pair.left.connect(pair.right.address()));
            }
            pair.settle();
            keepAll(pair);
            pair.send(WorkerPair.pattern(LARGE, 1));
            pair.settle();
            for (final Connection each : others) {
                each.send(WorkerPair.ID, 0, null, WorkerPair.pattern(LARGE, 1), 0, LARGE, null, null);
            }
            for (int i = 1; i <= 5; i++) {
                pair.settle();
                assertEquals(Math.min(i + 1, 5), kept.size(), "two at a time");
                assertPattern(1, kept.get(i - 1));
                kept.get(i - 1).releaseAsync();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLeaveMemoryToOthersWhateverOneEndpointAnnounces(final ThreadMode mode) {
        try (WorkerPair pair = budgeted(mode)) {
            final Connection other = pair.left.connect(pair.right.address());
            pair.settle();
            pair.receive(WorkerPair.ID);
            sendHalf(pair, pair.there, BUDGET);
            assertEquals(0, pair.received.size());
            assertThreeArrive(pair, other, BUDGET);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLeaveMemoryToOthersWhateverSeveralEndpointsAnnounce(final ThreadMode mode) {
        try (WorkerPair pair = budgeted(mode)) {
            final Connection second = pair.left.connect(pair.right.address());
            final Connection third = pair.left.connect(pair.right.address());
            final Connection greedy = pair.left.connect(pair.right.address());
            final Connection other = pair.left.connect(pair.right.address());
            pair.settle();
            pair.receive(WorkerPair.ID);
            sendHalf(pair, pair.there, BUDGET);
            sendHalf(pair, second, BUDGET);
            sendHalf(pair, third, BUDGET / 2);
            assertEquals(0, pair.right.statistics().poolExhausted());
            sendHalf(pair, greedy, BUDGET / 2);
            assertTrue(pair.right.statistics().poolExhausted() > 0, "more than half of what the three leave");
            assertThreeArrive(pair, other, BUDGET / 4);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldHaveManyMessagesUnderWayWhereTheLongestIsShort(final ThreadMode mode) {
        final int longest = 16 * 1024;
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT,
            config -> config.messageMaxBytes(longest))) {
            pair.receive(WorkerPair.ID);
            final List<Connection> others = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                others.add(pair.left.connect(pair.right.address()));
            }
            pair.settle();
            others.forEach(each -> sendHalf(pair, each, longest));
            pair.send(WorkerPair.pattern(longest, 1));
            pair.settle();
            assertEquals(1, pair.received.size());
            assertEquals(0, pair.right.statistics().poolExhausted());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldGoOnWhenAnotherLanesMessageIsDone(final ThreadMode mode) {
        try (WorkerPair pair = budgeted(mode)) {
            final Connection second = pair.left.connect(pair.right.address());
            final Connection other = pair.left.connect(pair.right.address());
            pair.settle();
            pair.receive(WorkerPair.ID);
            sendHalf(pair, pair.there, LARGE);
            sendHalf(pair, second, LARGE);
            other.send(WorkerPair.ID, 0, null, WorkerPair.pattern(LARGE, 2), 0, LARGE, null, null);
            pair.settle();
            assertEquals(0, pair.received.size(), "half of the two holds what the other needs");
            pair.receiving().resumeDelivery();
            pair.settle();
            assertEquals(2, pair.received.size());
            assertArrayEquals(WorkerPair.bytes(LARGE, 1), pair.received.get(0).data());
            assertArrayEquals(WorkerPair.bytes(LARGE, 2), pair.received.get(1).data());
        }
    }

    /** One after the other, each at once, the first that are received at all. */
    private static void assertThreeArrive(final WorkerPair pair, final Connection sender, final int bytes) {
        for (int i = 1; i <= 3; i++) {
            sender.send(WorkerPair.ID, 0, null, WorkerPair.pattern(bytes, i), 0, bytes, null, null);
            pair.settle();
            assertEquals(i, pair.received.size());
            assertArrayEquals(WorkerPair.bytes(bytes, i), pair.received.get(i - 1).data());
        }
    }

    /** Has the first two fragments of a message delivered and the others held back. */
    private static void sendHalf(final WorkerPair pair, final Connection connection, final int bytes) {
        final Steering receiving = ((SteeredLane) connection.lane()).peer().steering();
        receiving.holdDelivery();
        connection.send(WorkerPair.ID, 0, null, WorkerPair.pattern(bytes, 1), 0, bytes, null, null);
        assertEquals(2, receiving.deliver(2));
        pair.settle();
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldPassOverWhatIsLongerThanItTakesAndGoOn(final ThreadMode mode) {
        try (WorkerPair pair = budgeted(mode)) {
            pair.receive(WorkerPair.ID);
            final ContextConfig config = new ContextConfig().directory(HygieneExtension.runtimeDirectory())
                .transports(List.of("steered"));
            try (Context generous = Context.create(config); Worker far = Worker.create(generous, mode, "far")) {
                final Connection connection = far.connect(pair.right.address());
                move(pair, far);
                final Request tooLong = connection.send(WorkerPair.ID, 0, null, WorkerPair.pattern(BUDGET + 1, 1), 0,
                    BUDGET + 1, null, null);
                connection.send(WorkerPair.ID, 0, null, WorkerPair.number(5), 0, 8, null, null);
                connection.send(WorkerPair.ID, 0, null, WorkerPair.pattern(BUDGET, 6), 0, BUDGET, null, null);
                move(pair, far);
                assertEquals(Status.OK, tooLong.status());
                assertEquals(2, pair.received.size());
                assertEquals(5, pair.received.get(0).number());
                assertArrayEquals(WorkerPair.bytes(BUDGET, 6), pair.received.get(1).data());
                final List<Throwable> errors = pair.takeErrors();
                assertEquals(1, errors.size());
                assertEquals(Status.EXCEEDS_LIMIT, ((HeddleException) errors.get(0)).status());
                assertEquals(1, pair.right.statistics().dropped());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldGiveBackHalfAMessageOfAPeerThatIsGone(final ThreadMode mode) {
        try (WorkerPair pair = budgeted(mode)) {
            final List<Status> told = new ArrayList<>();
            pair.receive(WorkerPair.ID);
            pair.back().onError((connection, status, reason) -> told.add(status));
            final Request sent = pair.send(WorkerPair.pattern(BUDGET, 1));
            assertFalse(sent.isDone());
            WorkerPair.settle(pair.right);
            pair.sending().killPeer();
            pair.settle();
            assertEquals(Status.CONNECTION_RESET, sent.status());
            assertEquals(List.of(Status.CONNECTION_RESET), told);
            pair.back().close(CloseMode.FLUSH, Duration.ofSeconds(1));
            pair.settle();
            assertEquals(List.of(), pair.received);
            assertEquals(0, pair.right.statistics().poolInUse());
        }
    }

    private static void move(final WorkerPair pair, final Worker far) {
        int done;
        do {
            done = WorkerPair.settle(far) + pair.settle();
        } while (done > 0);
    }

    private void keepAll(final WorkerPair pair) {
        pair.right.onActiveMessage(WorkerPair.ID, message -> kept.add(message.retain()));
    }

    private static void assertPattern(final int seed, final ReceivedData data) {
        final byte[] copy = new byte[data.capacity()];
        data.getBytes(0, copy);
        assertArrayEquals(WorkerPair.bytes(LARGE, seed), copy);
    }

    private static WorkerPair budgeted(final ThreadMode mode) {
        return WorkerPair.open(mode, SteeredSettings.DEFAULT, config -> config.messageMaxBytes(BUDGET));
    }
}
