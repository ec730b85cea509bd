package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.loop.SteeredLane;
import io.heddle.tests.loop.SteeredSettings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whether a connection can be written to, and who is told when it can. */
@Timeout(20)
@ExtendWith(HygieneExtension.class)
final class WritableTest {
    private static final int RING = SteeredSettings.DEFAULT.ringRecords();
    private static final int FRAGMENT = SteeredSettings.DEFAULT.maxFragmentBytes();
    private static final int LIMIT = 8;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final List<String> told = new ArrayList<>();

    private void ask(final WorkerPair pair, final Connection connection, final String name) {
        assertEquals(Status.OK, connection.onWritable(() -> {
            pair.assertNoLockHeld();
            told.add(name);
        }));
    }

    private static Status tryNumber(final Connection connection, final int number) {
        return connection.trySend(WorkerPair.ID, 0, null, WorkerPair.number(number), 0, 8);
    }

    /** Tries until the ring is full; the first that was refused. */
    private static int fill(final Connection connection) {
        int next = 0;
        while (tryNumber(connection, next) == Status.OK) {
            next++;
        }
        return next;
    }

    // ---- room

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellOnceThatTheRingHasRoom(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            assertTrue(pair.there.isWritable());
            assertEquals(RING, fill(pair.there));
            assertFalse(pair.there.isWritable());
            ask(pair, pair.there, "room");
            WorkerPair.settle(pair.left);
            assertEquals(List.of(), told);
            WorkerPair.settle(pair.right);
            assertTrue(pair.there.isWritable());
            assertEquals(List.of(), told, "in progress only");
            WorkerPair.settle(pair.left);
            assertEquals(List.of("room"), told);
            fill(pair.there);
            pair.settle();
            assertEquals(List.of("room"), told, "once per asking");
            assertEquals(0, pair.left.statistics().pendingEndpoints());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellAtTheNextProgressIfThereIsRoomAlready(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            ask(pair, pair.there, "a");
            ask(pair, pair.there, "b");
            assertEquals(List.of(), told, "never inside the asking");
            assertEquals(Status.BUSY, pair.left.arm(), "there is something to tell");
            assertTrue(pair.left.progress() > 0);
            assertEquals(List.of("a", "b"), told);
            WorkerPair.settle(pair.left);
            assertEquals(2, told.size());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellThatADescriptorWasLentAgain(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT.withCredits(4, 4))) {
            final List<ReceivedData> kept = new ArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> kept.add(message.retain()));
            while (pair.there.trySend(WorkerPair.ID, 0, null, WorkerPair.pattern(FRAGMENT, 1), 0, FRAGMENT)
                == Status.OK) {
                pair.settle();
            }
            assertEquals(4, kept.size());
            ask(pair, pair.there, "credit");
            pair.settle();
            assertFalse(pair.there.isWritable());
            assertEquals(List.of(), told);
            kept.get(0).releaseAsync();
            pair.settle();
            assertEquals(List.of("credit"), told);
            assertTrue(pair.there.isWritable());
            kept.stream().skip(1).forEach(ReceivedData::close);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellWhenTheConnectionStands(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.openConnecting(mode)) {
            pair.receive(WorkerPair.ID);
            ask(pair, pair.there, "asked before anything was sent");
            WorkerPair.settle(pair.left);
            assertEquals(Status.NO_RESOURCE, tryNumber(pair.there, 1));
            ask(pair, pair.there, "asked after a refusal");
            WorkerPair.settle(pair.left);
            assertFalse(pair.there.isWritable());
            assertEquals(List.of(), told);
            pair.completeConnect();
            assertEquals(List.of("asked before anything was sent", "asked after a refusal"), told);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellWhenTheClaimThatWasInTheWayHasEnded(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            for (int i = 1; i <= 2; i++) {
                final Claim claim = new Claim();
                assertEquals(Status.OK, pair.there.tryClaim(WorkerPair.ID, 0, 8, claim));
                assertFalse(pair.there.isWritable());
                assertEquals(Status.NO_RESOURCE, tryNumber(pair.there, i));
                ask(pair, pair.there, "claim");
                WorkerPair.settle(pair.left);
                assertEquals(i - 1, told.size());
                if (i == 1) {
                    claim.commit();
                } else {
                    claim.abort();
                }
                WorkerPair.settle(pair.left);
                assertEquals(i, told.size());
            }
            pair.settle();
        }
    }

    // ---- the pending limit

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellAfterThePendingLimitWasReached(final ThreadMode mode) {
        try (WorkerPair pair = limited(mode)) {
            pair.receive(WorkerPair.ID);
            int accepted = 0;
            while (pair.sendNumber(accepted).status() != Status.NO_RESOURCE) {
                accepted++;
            }
            assertEquals(RING + LIMIT, accepted);
            assertFalse(pair.there.isWritable());
            ask(pair, pair.there, "drained");
            WorkerPair.settle(pair.left);
            assertEquals(List.of(), told);
            assertEquals(1, pair.left.statistics().pendingEndpoints());
            pair.settle();
            assertEquals(List.of("drained"), told);
            assertEquals(Status.OK, pair.sendNumber(accepted).status());
            pair.settle();
            assertEquals(IntStream.rangeClosed(0, accepted).boxed().toList(), pair.numbers());
            assertEquals(1, pair.left.statistics().sendsRefused());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellWhenWhatWaitedWasCanceled(final ThreadMode mode) {
        try (WorkerPair pair = limited(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
            final int last = fill(pair.there);
            final Request waiting = pair.sendNumber(last);
            ask(pair, pair.there, "canceled");
            WorkerPair.settle(pair.left);
            assertTrue(waiting.cancel());
            WorkerPair.settle(pair.left);
            assertEquals(List.of(), told, "there is no more room for it");
            assertEquals(1, pair.left.statistics().pendingEndpoints());
            pair.settle();
            assertEquals(List.of("canceled"), told);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldRefuseMoreAskingsAndMoreFlushesThanMayWait(final ThreadMode mode) {
        try (WorkerPair pair = limited(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
            pair.fillLane();
            for (int i = 0; i < LIMIT; i++) {
                ask(pair, pair.there, "asked");
            }
            assertEquals(Status.NO_RESOURCE, pair.there.onWritable(() -> told.add("too many")));
            int flushes = 0;
            while (pair.there.flush().status() == Status.IN_PROGRESS) {
                flushes++;
            }
            assertEquals(2 * LIMIT, flushes + 1);
            assertEquals(Status.NO_RESOURCE, pair.there.flush().status());
            pair.settle();
            assertEquals(LIMIT, told.size());
            assertEquals(Status.OK, pair.there.flush().status());
        }
    }

    private static WorkerPair limited(final ThreadMode mode) {
        return WorkerPair.open(mode, SteeredSettings.DEFAULT, config -> config.sendPendingMax(LIMIT));
    }

    // ---- the edge

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldStreamByAskingAgainInTheCallback(final ThreadMode mode) {
        final int count = 10 * RING;
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            final int[] next = new int[1];
            final Runnable[] pump = new Runnable[1];
            pump[0] = () -> {
                while (next[0] < count && tryNumber(pair.there, next[0]) == Status.OK) {
                    next[0]++;
                }
                if (next[0] < count) {
                    assertEquals(Status.OK, pair.there.onWritable(pump[0]));
                }
            };
            pump[0].run();
            pair.settle();
            assertEquals(IntStream.range(0, count).boxed().toList(), pair.numbers());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellOfOneEndpointWhileAnotherIsStuck(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
            final Connection other = pair.left.connect(pair.right.address());
            pair.settle();
            fill(pair.there);
            fill(other);
            ask(pair, pair.there, "stuck");
            ask(pair, other, "other");
            pair.sending().holdRoom();
            pair.settle();
            assertEquals(List.of("other"), told);
            assertTrue(other.isWritable());
            assertFalse(pair.there.isWritable());
            assertEquals(1, pair.left.statistics().pendingEndpoints());
            pair.sending().resumeRoom();
            pair.settle();
            assertEquals(List.of("other", "stuck"), told);
            assertTrue(((SteeredLane) other.lane()).isReady());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldWakeAWorkerThatSleeps(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
            fill(pair.there);
            ask(pair, pair.there, "awake");
            WorkerPair.settle(pair.left);
            assertEquals(Status.OK, pair.left.arm());
            final long before = pair.left.statistics().wakeUps();
            WorkerPair.settle(pair.right);
            assertEquals(before + 1, pair.left.statistics().wakeUps());
            assertTrue(pair.left.await(SECOND));
            WorkerPair.settle(pair.left);
            assertEquals(List.of("awake"), told);
            assertEquals(Status.OK, pair.left.arm());
            ask(pair, pair.there, "there is room already");
            assertEquals(before + 2, pair.left.statistics().wakeUps());
        }
    }

    // ---- the end

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellNothingAfterTheClose(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
            final Connection other = pair.left.connect(pair.right.address());
            final Connection third = pair.left.connect(pair.right.address());
            pair.settle();
            ask(pair, pair.there, "asked with room, then closed");
            pair.there.close(CloseMode.FLUSH, SECOND);
            fill(other);
            ask(pair, other, "asked without room, then closed");
            third.onWritable(() -> other.close(CloseMode.FORCE, Duration.ZERO));
            pair.settle();
            assertEquals(List.of(), told);
            assertEquals(Status.CANCELED, other.onWritable(() -> told.add("late")));
            assertFalse(other.isWritable());
            assertEquals(0, pair.left.statistics().pendingEndpoints());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellNothingAfterThePeersEnd(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            fill(pair.there);
            ask(pair, pair.there, "room");
            pair.there.onError((connection, status, reason) -> told.add("error"));
            pair.sending().killPeer();
            WorkerPair.settle(pair.left);
            assertEquals(List.of("error"), told);
            assertEquals(Status.CONNECTION_RESET, pair.there.onWritable(() -> told.add("late")));
            assertEquals(0, pair.left.statistics().pendingEndpoints());
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldReportACallbackThatThrowsAndTellTheOthers(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.there.onWritable(() -> {
                throw new IllegalStateException("on purpose");
            });
            ask(pair, pair.there, "other");
            pair.settle();
            assertEquals(List.of("other"), told);
            assertEquals(1, pair.takeErrors().size());
        }
    }
}
