package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.loop.SteeredSettings;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A silent lane among many is found soon, and costs little until then. */
@Timeout(30)
@ExtendWith(HygieneExtension.class)
final class LanePollerTest {
    private static final int LANES = 300;
    private static final int WARM_UP = 1200;
    private static final SteeredSettings SMALL = SteeredSettings.DEFAULT.withRingRecords(8).withCredits(0, 0);

    private final List<Integer> got = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldSeeTheFirstMessageOfASilentLaneWhileAnotherIsBusy(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SMALL)) {
            final List<Connection> silent = connectMany(pair);
            for (int i = 0; i < WARM_UP; i++) {
                busyRound(pair);
            }
            for (int i = 0; i < LANES; i += 13) {
                silent.get(i).send(2, 0, null, WorkerPair.number(i), 0, 8, null, null);
                int rounds = 0;
                while (got.isEmpty()) {
                    busyRound(pair);
                    rounds++;
                    assertTrue(rounds <= LanePoller.ROUNDS_FOR_ALL, "lane=" + i + " rounds=" + rounds);
                }
                assertEquals(List.of(i), got);
                got.clear();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldSeeTheFirstMessageOfASilentLaneWhenNothingElseHappens(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SMALL)) {
            final List<Connection> silent = connectMany(pair);
            for (int i = 0; i < WARM_UP; i++) {
                pair.right.progress();
            }
            for (int i = 0; i < LANES; i += 13) {
                silent.get(i).send(2, 0, null, WorkerPair.number(i), 0, 8, null, null);
                int rounds = 0;
                while (got.isEmpty()) {
                    pair.right.progress();
                    rounds++;
                    assertTrue(rounds <= LanePoller.ROUNDS_FOR_ALL, "lane=" + i + " rounds=" + rounds);
                }
                got.clear();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLookAtFewOfManySilentLanesInARoundButAtAllBeforeSleeping(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SMALL)) {
            final List<Connection> silent = connectMany(pair);
            for (int i = 0; i < WARM_UP; i++) {
                pair.right.progress();
            }
            final long before = pair.rightSide.steering().looks();
            pair.right.progress();
            final long looks = pair.rightSide.steering().looks() - before;
            assertTrue(looks <= 20, "looks=" + looks);
            silent.get(LANES - 1).send(2, 0, null, WorkerPair.number(1), 0, 8, null, null);
            assertEquals(io.heddle.context.Status.BUSY, pair.right.arm());
            pair.right.progress();
            assertEquals(List.of(1), got);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldSeeASilentLaneThatIsOneOfFewAgain(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SMALL)) {
            final List<Connection> silent = connectMany(pair);
            for (int i = 0; i < WARM_UP; i++) {
                pair.right.progress();
            }
            for (int i = 1; i < LANES; i++) {
                silent.get(i).close(CloseMode.FORCE, java.time.Duration.ofSeconds(1));
            }
            pair.settle();
            silent.get(0).send(2, 0, null, WorkerPair.number(7), 0, 8, null, null);
            pair.settle();
            assertEquals(List.of(7), got);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldGoOnWithTheRestWhenLanesAreClosed(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SMALL)) {
            final List<Connection> silent = connectMany(pair);
            for (int i = 0; i < LANES; i += 2) {
                silent.get(i).close(CloseMode.FORCE, java.time.Duration.ofSeconds(1));
            }
            pair.settle();
            for (final Connection each : pair.right.core().connections()) {
                if (each.isFailed()) {
                    each.close(CloseMode.FORCE, java.time.Duration.ofSeconds(1));
                }
            }
            assertEquals(1 + LANES / 2, pair.right.statistics().endpoints());
            for (int i = 1; i < LANES; i += 2) {
                silent.get(i).send(2, 0, null, WorkerPair.number(i), 0, 8, null, null);
            }
            for (int i = 0; i < 2 * LanePoller.ROUNDS_FOR_ALL; i++) {
                pair.right.progress();
            }
            assertEquals(LANES / 2, got.size());
        }
    }

    private List<Connection> connectMany(final WorkerPair pair) {
        final List<Connection> silent = new ArrayList<>();
        for (int i = 0; i < LANES; i++) {
            silent.add(pair.left.connect(pair.right.address()));
        }
        pair.settle();
        pair.right.onActiveMessage(1, message -> { });
        pair.right.onActiveMessage(2, message -> got.add(message.data().getInt(0)));
        return silent;
    }

    private static void busyRound(final WorkerPair pair) {
        pair.there.trySend(1, 0, null, WorkerPair.number(1), 0, 8);
        pair.right.progress();
    }
}
