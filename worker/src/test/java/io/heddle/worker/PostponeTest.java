package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.loop.SteeredSettings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages left where they are, and the lane that pauses for them. */
@Timeout(20)
@ExtendWith(HygieneExtension.class)
final class PostponeTest {
    private static final int FRAGMENT = SteeredSettings.DEFAULT.maxFragmentBytes();

    private final List<Integer> seen = new ArrayList<>();
    private int postponements;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldDeliverAgainAfterResumeWithWhatCameBehind(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            postponements = 1;
            record(pair, 2);
            IntStream.range(0, 5).forEach(pair::sendNumber);
            pair.settle();
            assertEquals(List.of(0, 1, 2), seen);
            pair.settle();
            assertEquals(List.of(0, 1, 2), seen, "paused until resumed");
            pair.back().resume();
            pair.settle();
            assertEquals(List.of(0, 1, 2, 2, 3, 4), seen);
            assertEquals(1, pair.right.statistics().postponed());
            assertEquals(5, pair.right.statistics().messagesReceived());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldPauseAgainAsOftenAsItIsPostponed(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            postponements = 3;
            record(pair, 0);
            pair.sendNumber(0);
            pair.sendNumber(1);
            for (int i = 1; i <= 3; i++) {
                pair.settle();
                assertEquals(i, seen.size());
                pair.back().resume();
            }
            pair.settle();
            assertEquals(List.of(0, 0, 0, 0, 1), seen);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLetOtherLanesGoOn(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final Connection other = pair.left.connect(pair.right.address());
            pair.settle();
            postponements = 1;
            record(pair, 0);
            pair.sendNumber(0);
            pair.settle();
            for (int i = 10; i < 50; i++) {
                other.send(WorkerPair.ID, 0, null, WorkerPair.number(i), 0, 8, null, null);
                pair.settle();
            }
            assertEquals(41, seen.size());
            pair.back().resume();
            pair.settle();
            assertEquals(0, seen.get(41));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldGoOnIfResumedBeforeThePauseTookEffect(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                seen.add(message.data().getInt(0));
                if (seen.size() == 1) {
                    message.postpone();
                    message.connection().resume();
                }
            });
            pair.sendNumber(5);
            pair.settle();
            assertEquals(List.of(5, 5), seen);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldForgetAResumeThatFoundNothingPaused(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final Connection other = pair.left.connect(pair.right.address());
            pair.settle();
            postponements = 1;
            record(pair, 0);
            pair.back().resume();
            pair.settle();
            pair.sendNumber(0);
            pair.settle();
            other.resume();
            pair.right.core().connections()[1].resume();
            pair.settle();
            assertEquals(List.of(0), seen);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLeaveWithItsHolderWhatWasKeptOfAPostponedMessage(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            for (final int bytes : new int[] {8, 300, FRAGMENT, 3 * FRAGMENT}) {
                final List<ReceivedData> kept = new ArrayList<>();
                pair.right.onActiveMessage(WorkerPair.ID, message -> {
                    kept.add(message.retain());
                    if (kept.size() < 3) {
                        message.postpone();
                    }
                });
                pair.send(WorkerPair.pattern(bytes, 6));
                for (int i = 0; i < 3; i++) {
                    pair.settle();
                    pair.back().resume();
                }
                assertEquals(3, kept.size());
                for (final ReceivedData each : kept) {
                    final byte[] copy = new byte[bytes];
                    each.getBytes(0, copy);
                    assertArrayEquals(WorkerPair.bytes(bytes, 6), copy);
                    each.release();
                }
                pair.settle();
                assertEquals(0, pair.right.statistics().poolInUse());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldDeliverALongMessageAgain(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<Received> copies = new ArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                copies.add(Received.of(message));
                if (copies.size() < 3) {
                    message.postpone();
                }
            });
            pair.there.send(WorkerPair.ID, 0, WorkerPair.pattern(7, 2), WorkerPair.pattern(9 * FRAGMENT, 3), 0,
                9 * FRAGMENT, null, null);
            final Request behind = pair.sendNumber(1);
            for (int i = 0; i < 3; i++) {
                pair.settle();
                pair.back().resume();
            }
            pair.settle();
            assertEquals(4, copies.size());
            for (int i = 0; i < 3; i++) {
                assertArrayEquals(WorkerPair.bytes(9 * FRAGMENT, 3), copies.get(i).data());
                assertArrayEquals(WorkerPair.bytes(7, 2), copies.get(i).header());
            }
            assertEquals(1, copies.get(3).number() == 1 ? 1 : 0);
            assertEquals(Status.OK, behind.status());
            assertEquals(0, pair.right.statistics().poolInUse());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLeaveNothingBehindWhenAPausedEndpointIsClosed(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, ActiveMessage::postpone);
            pair.send(WorkerPair.pattern(3 * FRAGMENT, 1));
            pair.send(WorkerPair.pattern(FRAGMENT, 1));
            pair.settle();
            assertTrue(pair.back().isPaused());
            pair.back().close(CloseMode.FLUSH, Duration.ofSeconds(1));
            pair.settle();
            assertEquals(0, pair.right.statistics().poolInUse());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellThePeersEndOnlyAfterWhatWasPostponed(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            postponements = 1;
            record(pair, 1);
            pair.back().onError((connection, status, reason) -> seen.add(-1));
            IntStream.range(0, 3).forEach(pair::sendNumber);
            pair.settle();
            pair.sending().killPeer();
            pair.settle();
            assertEquals(List.of(0, 1), seen);
            pair.back().resume();
            pair.settle();
            assertEquals(List.of(0, 1, 1, 2, -1), seen);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldReadWhatIsNoMessageAlsoWhilePaused(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            postponements = 1;
            record(pair, 0);
            final Connection back = pair.back();
            back.onError((connection, status, reason) -> seen.add(-1));
            pair.sendNumber(0);
            pair.sendNumber(1);
            pair.settle();
            assertEquals(Status.OK, pair.right.arm(), "a message that is postponed keeps nobody awake");
            pair.there.close(CloseMode.FLUSH, Duration.ofSeconds(1));
            assertTrue(WorkerPair.settle(pair.right) > 0);
            assertEquals(Status.CONNECTION_RESET, back.status(), "the farewell does not wait behind the message");
            assertEquals(List.of(0), seen);
            back.resume();
            pair.settle();
            assertEquals(List.of(0, 0, 1, -1), seen);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldStayPostponedAlsoIfTheHandlerThenThrows(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                seen.add(message.data().getInt(0));
                if (seen.size() == 1) {
                    message.postpone();
                    throw new IllegalStateException("on purpose");
                }
            });
            pair.sendNumber(3);
            pair.settle();
            assertEquals(1, pair.takeErrors().size());
            pair.back().resume();
            pair.settle();
            assertEquals(List.of(3, 3), seen);
        }
    }

    /** Notes every delivery; postpones this number the first few times. */
    private void record(final WorkerPair pair, final int number) {
        pair.right.onActiveMessage(WorkerPair.ID, message -> {
            final int got = message.data().getInt(0);
            seen.add(got);
            if (got == number && postponements > 0) {
                postponements--;
                message.postpone();
            }
        });
    }
}
