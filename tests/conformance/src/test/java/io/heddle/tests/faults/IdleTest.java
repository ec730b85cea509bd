package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.tests.base.StandsFor;
import io.heddle.tests.pair.PairJvm;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two connected JVMs with default settings: what they cost while they say nothing, and how soon the next message is
 * heard.
 */
@Timeout(180)
@Tag("slow")
class IdleTest {
    private static final long SETTLE_SECONDS = 5;
    private static final long IDLE_SECONDS = 30;
    private static final int MESSAGES = 200;
    private static final int MOST_GAP_MS = 150;
    /** Enough for the compiler: what a long idle JVM runs has mostly been compiled. */
    private static final int WARM_UP = 5000;
    private static final int WARM_UP_GAP_MS = 2;

    @TempDir(factory = SharedMemoryTemp.class)
    Path directory;

    @Test
    @StandsFor("W1")
    void shouldCostNextToNothingWhileIdleAndHearTheNextMessageSoon() throws Exception {
        try (PairJvm talker = PairJvm.start(directory, IdleChild.class);
             PairJvm listener = PairJvm.start(directory, IdleChild.class)) {
            talker.tell("connect " + listener.tell("address"));
            System.out.println("with code not compiled yet: " + talk(talker, listener, MESSAGES, MOST_GAP_MS));
            talk(talker, listener, WARM_UP, WARM_UP_GAP_MS);
            pass(SETTLE_SECONDS);
            final ProcessCost talkerBefore = ProcessCost.of(talker.pid());
            final ProcessCost listenerBefore = ProcessCost.of(listener.pid());
            pass(IDLE_SECONDS);
            assertIdle("talker", talkerBefore, ProcessCost.of(talker.pid()));
            assertIdle("listener", listenerBefore, ProcessCost.of(listener.pid()));
            final String heard = talk(talker, listener, MESSAGES, MOST_GAP_MS);
            System.out.println("after idle gaps: " + heard);
            assertTrue(PairJvm.number("heard", heard, "p50_ns") <= TimeUnit.MICROSECONDS.toNanos(300), heard);
        }
    }

    private static String talk(final PairJvm talker, final PairJvm listener, final int count, final int gapMs)
        throws Exception {
        listener.tell("forget");
        talker.tell("talk " + count + " " + gapMs);
        Awaitility.await("all heard").atMost(20, TimeUnit.SECONDS)
            .until(() -> PairJvm.number("heard", listener.tell("heard"), "count") == count);
        return listener.tell("heard");
    }

    private static void assertIdle(final String who, final ProcessCost before, final ProcessCost after) {
        final double share = after.cpuShareSince(before);
        final double wakeUps = after.wakeUpsPerSecondSince(before);
        System.out.printf("idle %s: cpu_percent=%.3f wake_ups_per_s=%.1f%n", who, share * 100, wakeUps);
        assertTrue(share < 0.01, () -> who + " uses too much of a core: share=" + share);
        assertTrue(wakeUps < 120, () -> who + " wakes too often: per_s=" + wakeUps);
    }

    /** Lets time go by, in which nothing is to happen. */
    private static void pass(final long seconds) throws InterruptedException {
        assertFalse(new CountDownLatch(1).await(seconds, TimeUnit.SECONDS));
    }
}
