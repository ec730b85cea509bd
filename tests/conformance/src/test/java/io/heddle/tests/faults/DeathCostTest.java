package io.heddle.tests.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ContextConfig;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.pair.PairJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a peer's death, and the watch for it, cost the traffic of others: ratios of neighbouring measurements, told as
 * their median; and whether the dead one's memory is freed. The bounds only say that nothing has broken.
 */
@Tag("slow")
@Timeout(600)
class DeathCostTest {
    private static final int THIRD = 't' * 100;
    private static final int ROUNDS = 9;
    private static final int BATCH = 200_000;
    private static final int LONG_BYTES = 70_000;
    private static final Duration WINDOW = Duration.ofMillis(500);
    private static final double LEAST_RATIO = 0.5;
    @TempDir(factory = SharedMemoryTemp.class)
    Path directory;

    /** Something that happens while traffic is measured. */
    private interface Event {
        void happen() throws Exception;
    }

    private ContextConfig config() {
        return new ContextConfig().directory(directory.resolve("heddle"));
    }

    /** Messages of the third process that arrive in a second, from an event on. */
    private static double rate(final Survivor survivor, final Event event) throws Exception {
        final long startNs = System.nanoTime();
        final long before = survivor.received(THIRD);
        event.happen();
        await("a window").pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1))
            .until(() -> System.nanoTime() - startNs > WINDOW.toNanos());
        return 1e9 * (survivor.received(THIRD) - before) / (System.nanoTime() - startNs);
    }

    private static void assertMedian(final String what, final List<Double> ratios) {
        final List<Double> sorted = ratios.stream().sorted().toList();
        final double median = sorted.get(sorted.size() / 2);
        TestScale.report("P5 %s ratio=%.3f (median of %d, %.3f to %.3f)", what, median, sorted.size(), sorted.get(0),
            sorted.get(sorted.size() - 1));
        assertTrue(median >= LEAST_RATIO, () -> what + " ratios=" + ratios);
    }

    @Test
    @StandsFor("P5")
    void shouldSlowNobodyDownByADeathAndFreeTheMemory() throws Exception {
        final List<Double> ratios = new ArrayList<>();
        try (Survivor survivor = new Survivor(config()); PairJvm third = PairJvm.start(directory)) {
            third.tell("open t MULTI");
            third.tell("connect t e " + survivor.address());
            third.tell("sending t e 2000000000 500 1");
            rate(survivor, () -> { });
            final long mappedBytes = survivor.mappedBytes();
            for (int i = 0; i < ROUNDS; i++) {
                try (PairJvm victim = PairJvm.start(directory, DyingPeer.class)) {
                    victim.tell("open 1");
                    victim.tell("connect " + survivor.address());
                    victim.tell("send 0 20 " + LONG_BYTES);
                    survivor.awaitReceived(0, 20);
                    final double calm = rate(survivor, () -> { });
                    ratios.add(rate(survivor, victim::kill) / calm);
                }
                assertTrue(survivor.mappedBytes() > mappedBytes);
                survivor.assertOnlyResets(1);
                survivor.forgetAllBut(THIRD);
            }
            await("the dead ones' memory is freed").atMost(Survivor.LIMIT)
                .until(() -> survivor.mappedBytes() <= mappedBytes);
            TestScale.report("P5 mapped_bytes before=%d after=%d", mappedBytes, survivor.mappedBytes());
            third.kill();
        }
        assertMedian("traffic of others while a peer dies / before", ratios);
    }

    @Test
    @StandsFor("P5")
    void shouldHardlyCostThroughputToWatchPeers() throws Exception {
        final List<Double> ratios = new ArrayList<>();
        try (Survivor off = new Survivor(config());
            Survivor on = new Survivor(config().peerTimeout(Duration.ofSeconds(1)));
            PairJvm third = PairJvm.start(directory)) {
            third.tell("open t MULTI");
            third.tell("open u MULTI peer_timeout_ms=1000");
            third.tell("connect t e " + off.address());
            third.tell("connect u e " + on.address());
            sendNs(third, 't', off, 1); // until both are compiled
            sendNs(third, 'u', on, 1);
            for (int i = 2; i < ROUNDS + 2; i++) {
                final double onFirstNs = i % 2 == 0 ? sendNs(third, 'u', on, i) : 0;
                final double offNs = sendNs(third, 't', off, i);
                ratios.add(offNs / (i % 2 == 0 ? onFirstNs : sendNs(third, 'u', on, i)));
            }
            assertEquals(List.of(), on.errors);
            assertEquals(List.of(), on.problems);
            third.kill();
        }
        assertMedian("throughput with heddle.peer.timeout / without", ratios);
    }

    /** How long a batch takes to arrive. */
    private static long sendNs(final PairJvm jvm, final char worker, final Survivor to, final int batch)
        throws Exception {
        final long startNs = System.nanoTime();
        jvm.tell("send " + worker + " e " + BATCH + " 500 1");
        to.awaitReceived(worker * 100, (long) batch * BATCH);
        return System.nanoTime() - startNs;
    }
}
