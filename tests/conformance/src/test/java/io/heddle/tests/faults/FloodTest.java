package io.heddle.tests.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ThreadMode;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.pair.PairJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A sender in a loop and a receiver in a small JVM that progresses and takes nothing, or keeps everything: neither side
 * grows beyond its limits, and afterwards everything arrives, in order.
 */
@Timeout(180)
class FloodTest {
    private static final long MIB = 1 << 20;
    /** Of the receiver, by what it is configured with: receive pools, copies of as much, two long messages. */
    private static final long CAP_BYTES = 64 * MIB;
    private static final String LIMITS = " pool=" + 24 * MIB + " message=" + 4 * MIB + " pending=256";

    @TempDir(factory = SharedMemoryTemp.class)
    Path directory;

    @Test
    @StandsFor("F1")
    @Tag("scaled")
    void shouldBoundBothSidesAndLoseNothing() throws Exception {
        try (PairJvm right = PairJvm.start(directory, "-Xmx128m"); PairJvm left = PairJvm.start(directory)) {
            flood(left, right, ThreadMode.SINGLE, "postpone", 0, 3000);
            flood(left, right, ThreadMode.SERIALIZED, "retain", 0, 3000);
        }
    }

    @ParameterizedTest
    @CsvSource({"retain,8,500000", "retain,20000,6000", "postpone,70000,6000"})
    @Tag("slow")
    void shouldBoundBothSidesWhateverTheSize(final String how, final int bytes, final int count) throws Exception {
        try (PairJvm right = PairJvm.start(directory, "-Xmx128m"); PairJvm left = PairJvm.start(directory)) {
            flood(left, right, ThreadMode.MULTI, how, bytes, count);
        }
    }

    /** @param mode of the receiver; several threads send. */
    private static void flood(final PairJvm left, final PairJvm right, final ThreadMode mode, final String how,
        final int bytes, final int count) throws Exception {
        left.tell("open l MULTI" + LIMITS);
        left.tell("connect l e " + right.tell("open r " + mode + LIMITS));
        right.tell("hold r " + how);
        final long before = right.memoryBytes("VmRSS");
        left.tell("flood l e " + count + " " + bytes);
        await("refused").atMost(Duration.ofSeconds(60)).until(() -> left.number("l", "sends_refused") > 0);
        final long held = standstill(left, right, how);
        assertTrue(held < count, "the flood was stopped");
        final long shared = right.memoryBytes("RssShmem");
        final long own = right.number("r", "pool_memory");
        TestScale.report("flood how=%s bytes=%d accepted=%d received=%d shared=%dK pools=%dK rss=%dK before=%dK", how,
            bytes, left.number("l", "sent"), held, shared >> 10, own >> 10,
            right.memoryBytes("VmRSS") >> 10, before >> 10);
        assertTrue(shared + own <= CAP_BYTES, () -> "shared=" + shared + " own=" + own);
        // What waits is bounded, and so is what is on its way.
        assertTrue(left.number("l", "sent") - held <= 256 + 1024, () -> "held=" + held);

        right.tell("drain r");
        await("all").atMost(Duration.ofSeconds(60)).until(() -> right.number("r", "received") == count);
        left.assertNoProblem("l");
        right.assertNoProblem("r");
        await("balance").atMost(Duration.ofSeconds(30)).until(() -> right.number("r", "in_use") == 0);
        assertEquals(0, PairJvm.number("leaks", left.tell("close l"), "leaks"));
        assertEquals(0, PairJvm.number("leaks", right.tell("close r"), "leaks"));
    }

    /** Waits until nothing moves any more, and a while on. How many were received. */
    private static long standstill(final PairJvm left, final PairJvm right, final String how) throws Exception {
        final long quietNs = TimeUnit.MILLISECONDS.toNanos(TestScale.count(300, 10_000));
        final long[] seen = {-1, System.nanoTime()};
        await("standing still, " + how).atMost(Duration.ofSeconds(100)).pollInterval(Duration.ofMillis(50))
            .until(() -> {
                final long now = left.number("l", "sent") + right.number("r", "received");
                if (now != seen[0]) {
                    seen[0] = now;
                    seen[1] = System.nanoTime();
                }
                return System.nanoTime() - seen[1] > quietNs;
            });
        return right.number("r", "received");
    }
}
