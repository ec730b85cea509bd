package io.heddle.context.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.tests.base.TestScale;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
    private final AtomicInteger stops = new AtomicInteger();
    private int othersCount;

    @AfterEach
    void stop() {
        other.close();
    }

    @Test
    @Tag("scaled")
    void shouldLetOneThreadIntoTheLockAtATime() throws Exception {
        final WorkerLock lock = new WorkerLock(new Bias(STREAK, 1, this::stopForStack));
        assertEquals(countFor(TestScale.count(700, 20_000), () -> countUnder(lock)), plainCount[32]);
        TestScale.report("bias of the lock taken away %d times, counted %d", stops.get(), plainCount[32]);
        assertTrue(stops.get() > 0);
    }

    @Test
    @Tag("scaled")
    void shouldGiveTheTokenToOneThreadAtATime() throws Exception {
        final DispatchToken token = new DispatchToken("prices", new Bias(STREAK, 1, this::stopForStack));
        assertEquals(countFor(TestScale.count(700, 20_000), () -> countWith(token)), plainCount[32]);
        TestScale.report("bias of the token taken away %d times, counted %d", stops.get(), plainCount[32]);
        assertTrue(stops.get() > 0);
    }

    /** What the stop is for. (With a token, since nobody waits for it: a lock entered by two may hang.) */
    @Test
    void shouldLoseCountsWhenTheOwnerIsNotStopped() throws Exception {
        final DispatchToken broken = new DispatchToken("prices", new Bias(STREAK, 1, thread -> { }));
        int counted = 0;
        final long startNs = System.nanoTime();
        while (counted == plainCount[32]) {
            assertTrue(System.nanoTime() - startNs < LIMIT_NS, "the broken twin never showed what it forbids");
            counted += countFor(100, () -> countWith(broken));
        }
        assertNotEquals(counted, plainCount[32]);
    }

    private void stopForStack(final Thread thread) {
        stops.incrementAndGet();
        thread.getStackTrace();
    }

    /** Both threads for so long: this one without a break, the other with pauses in which a bias settles. */
    private int countFor(final int milliseconds, final BooleanSupplier count) throws Exception {
        othersCount = 0;
        final long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
        final Future<?> others = other.start(() -> {
            for (int i = 0; System.nanoTime() - endNs < 0; i++) {
                othersCount += count.getAsBoolean() ? 1 : 0;
                pause(i & 255);
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
