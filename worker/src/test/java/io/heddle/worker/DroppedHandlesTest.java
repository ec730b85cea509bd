package io.heddle.worker;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ContextConfig.LeakTracking;
import io.heddle.context.ThreadMode;
import io.heddle.context.internal.LeakTracker;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.loop.SteeredSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handles that nobody lets go, found by the garbage collector where leaks are tracked. */
@Timeout(60)
@ExtendWith(HygieneExtension.class)
final class DroppedHandlesTest {
    private final List<ReceivedData> kept = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("M2")
    @ExpectedLog("received data was dropped without release and is given back: worker=right")
    void shouldFindWhatWasDroppedAndGiveItBack(final ThreadMode mode) {
        try (WorkerPair pair = open(mode, LeakTracking.FULL)) {
            keep(pair, 20);
            final ReceivedData second = kept.get(0).retain();
            kept.subList(5, 10).forEach(ReceivedData::releaseAsync);
            kept.subList(1, 20).clear();
            settleWithCollection(pair, 1);
            assertEquals(14, pair.right.core().keeping().droppedHandles());
            assertTrue(pair.right.describe().contains(" droppedHandlesFound=14\n"), pair.right.describe());
            kept.remove(0).release();
            assertEquals(0, second.getByte(0), "another holder's handle is not let go with it");
            second.release();
            settleWithCollection(pair, 0);
            assertEquals(14, pair.right.core().keeping().droppedHandles());
            assertEquals(0, pair.right.statistics().poolRefused());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @ExpectedLog("received data was dropped without release and is given back: worker=right")
    void shouldFindOneOfSoManyIfSampled(final ThreadMode mode) {
        try (WorkerPair pair = open(mode, LeakTracking.SAMPLED)) {
            keep(pair, 2 * LeakTracker.SAMPLE_INTERVAL);
            kept.clear();
            settleWithCollection(pair, 2 * LeakTracker.SAMPLE_INTERVAL - 2);
            pair.expectLeaks(2 * LeakTracker.SAMPLE_INTERVAL - 2);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldMakePlainHandlesIfOff(final ThreadMode mode) {
        try (WorkerPair pair = open(mode, LeakTracking.OFF)) {
            keep(pair, 2);
            kept.forEach(handle -> assertSame(ReceivedData.class, handle.getClass()));
            kept.forEach(ReceivedData::releaseAsync);
        }
    }

    private static WorkerPair open(final ThreadMode mode, final LeakTracking tracking) {
        return WorkerPair.open(mode, SteeredSettings.DEFAULT, config -> config.leakTracking(tracking));
    }

    private void keep(final WorkerPair pair, final int count) {
        pair.right.onActiveMessage(WorkerPair.ID, message -> kept.add(message.retain()));
        for (int i = 0; i < count; i++) {
            pair.sendNumber(0);
            pair.settle();
        }
        assertEquals(count, kept.size());
    }

    private static void settleWithCollection(final WorkerPair pair, final int left) {
        await("dropped handles are found").atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(5))
            .pollInSameThread().until(() -> {
                System.gc();
                pair.settle();
                return pair.right.statistics().poolInUse() == left;
            });
    }
}
