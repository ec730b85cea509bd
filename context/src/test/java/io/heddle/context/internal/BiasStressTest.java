package io.heddle.context.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.tests.base.TestScale;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One thread owns the bias again and again, another takes it away: nobody's count is lost. */
@Timeout(120)
final class BiasStressTest {
    private static final int STREAK = 20;
    private static final long LIMIT_NS = 60_000_000_000L;

    private final OtherThread other = new OtherThread("other");
    /** On a cache line of its own. */
    private final int[] plainCount = new int[64];
    private int othersCount;

    @AfterEach
    void stop() {
        other.close();
    }

    @Test
    @Tag("scaled")
    void shouldLetOneThreadIntoTheLockAtATime() throws Exception {
        final Bias bias = new Bias(STREAK, 1, Thread::getStackTrace);
        final WorkerLock lock = new WorkerLock(bias);
        final int counted = countTogether(TestScale.count(2_000, 100_000), () -> countUnder(lock));
        assertEquals(counted, plainCount[32]);
    }

    @Test
    @Tag("scaled")
    void shouldGiveTheTokenToOneThreadAtATime() throws Exception {
        final Bias bias = new Bias(STREAK, 1, Thread::getStackTrace);
        final DispatchToken token = new DispatchToken("prices", bias);
        final int counted = countTogether(TestScale.count(2_000, 100_000), () -> countWith(token));
        assertEquals(counted, plainCount[32]);
    }

    /** What the stop is for. (With a token, since nobody waits for it: a lock entered by two may hang.) */
    @Test
    void shouldLoseCountsWhenTheOwnerIsNotStopped() throws Exception {
        final DispatchToken broken = new DispatchToken("prices", new Bias(STREAK, 1, thread -> { }));
        int counted = 0;
        final long startNs = System.nanoTime();
        while (counted == plainCount[32]) {
            assertTrue(System.nanoTime() - startNs < LIMIT_NS, "the broken twin never showed what it forbids");
            counted += countTogether(20_000, () -> countWith(broken));
        }
        assertNotEquals(counted, plainCount[32]);
    }

    /**
     * The other counts so often, or for a minute, with pauses long enough for a bias to settle; this thread goes on all
     * the while.
     */
    private int countTogether(final int times, final BooleanSupplier count) throws Exception {
        othersCount = 0;
        final long startNs = System.nanoTime();
        final Future<?> others = other.start(() -> {
            while (othersCount < times && System.nanoTime() - startNs < LIMIT_NS) {
                othersCount += count.getAsBoolean() ? 1 : 0;
                pause(othersCount & 255);
            }
        });
        int mine = 0;
        while (!others.isDone()) {
            mine += count.getAsBoolean() ? 1 : 0;
        }
        others.get();
        return mine + othersCount;
    }

    private static void pause(final int looks) {
        for (int i = 0; i < looks; i++) {
            Thread.onSpinWait();
        }
    }

    private boolean countUnder(final WorkerLock lock) {
        lock.lock();
        plainCount[32]++;
        lock.unlock();
        return true;
    }

    private boolean countWith(final DispatchToken token) {
        if (!token.tryAcquire()) {
            return false;
        }
        plainCount[32]++;
        token.release();
        return true;
    }
}
