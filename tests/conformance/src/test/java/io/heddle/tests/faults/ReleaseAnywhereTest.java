package io.heddle.tests.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.ContextConfig;
import io.heddle.context.ContextConfig.LeakTracking;
import io.heddle.context.DescriptorStateException;
import io.heddle.context.ThreadMode;
import io.heddle.context.internal.LeakTracker;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.base.TestSeed;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Received on one thread, let go by eight others in random order, some twice, some never. With sampling some of those
 * that were dropped are found by the garbage collector and given back; the rest is in the report of the close.
 */
@ExtendWith(HygieneExtension.class)
@Timeout(300)
class ReleaseAnywhereTest {
    private static final int RELEASERS = 8;
    /** Shares no factor with the sampling's interval, so that the samples are of all kinds. */
    private static final int ODD_ONE = 997;
    private static final LeakTracking TRACKING = TestScale.isFull() ? LeakTracking.SAMPLED : LeakTracking.FULL;
    private static final int AT_ONCE = 2000;
    private static final int TIMED = 64;
    /** Only what is kept as a copy is dropped: in place it would keep its lane's mapping for ever. */
    private static final int COPIED_BYTES = 700;
    private static final int[] SIZES = {8, 700, 2100, 4000, 60_000};
    /** At full scale most are small, so that it is the descriptors that count and not their bytes. */
    private static final int SMALL_SHARE = TestScale.isFull() ? 100 : 1;

    private record Kept(ReceivedData data, int crc, long number) {
    }

    private final Queue<Kept> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicInteger released = new AtomicInteger();
    private final AtomicInteger dropped = new AtomicInteger();
    private final AtomicInteger twice = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
    /** Of one release of {@link #TIMED}, in nanoseconds. */
    private final Queue<Long> times = new ConcurrentLinkedQueue<>();
    private volatile boolean running = true;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("M2")
    @Tag("scaled")
    @ExpectedLog("received data was dropped without release and is given back")
    void shouldRefuseTheSecondReleaseAndReportTheDropped(final ThreadMode mode, final TestSeed seed) throws Exception {
        final int goal = TestScale.count(4000, 10_000_000);
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < RELEASERS; i++) {
            final Random random = seed.random(i);
            threads.add(new Thread(() -> releaseAll(mode, random), "releaser-" + i));
        }
        try (Rig rig = Rig.open(mode, new ContextConfig().poolLimitBytes(1L << 30)
            .leakTracking(TRACKING))) {
            rig.receiver.onActiveMessage(Rig.ID, message -> {
                queue.add(new Kept(message.retain(), Stamp.crc(message.header()), Stamp.sequence(message.header())));
                queued.incrementAndGet();
            });
            threads.forEach(Thread::start);
            final int count = sendAll(rig, goal);
            rig.until("let go", () -> released.get() + dropped.get() == count);
            running = false;
            for (final Thread thread : threads) {
                thread.join();
            }
            assertEquals(List.of(), List.copyOf(problems), seed::toString);
            assertTrue(twice.get() > 0 && dropped.get() > 0);
            final int left = findDropped(rig);
            assertEquals(twice.get(), refused.get(), "each second release was refused");
            assertEquals(twice.get(), rig.receiver.statistics().poolRefused());
            final CloseReport report = rig.receiver.close(CloseMode.FLUSH, Rig.LIMIT);
            final int foundSince = left - report.leaks().size(); // the collector goes on until the last moment
            assertTrue(foundSince >= 0 && foundSince <= dropped.get() / LeakTracker.SAMPLE_INTERVAL,
                () -> "left=" + left + " leaks=" + report.leaks().size());
            report(mode, count, goal, left);
        }
    }

    private int sendAll(final Rig rig, final int goal) {
        final long start = System.nanoTime();
        Request last;
        int count = 0;
        do {
            last = rig.send(SIZES[count % SMALL_SHARE == 0 ? count / SMALL_SHARE % SIZES.length : 0]);
            if (count % 64 == 0) {
                final int number = count;
                rig.until("room", () -> number - released.get() - dropped.get() < AT_ONCE);
            }
            count++;
        } while (count < goal && !TestScale.isOver(start));
        rig.until("sent", last::isDone);
        return count;
    }

    /** Lets the collector look for what was dropped. How many are still out: those that were not sampled. */
    private int findDropped(final Rig rig) {
        final int least = TestScale.isFull() ? dropped.get() / (2 * LeakTracker.SAMPLE_INTERVAL) : dropped.get();
        await("sampled ones are found").atMost(Rig.LIMIT).pollInSameThread().until(() -> {
            System.gc();
            rig.progress();
            return rig.receiver.statistics().poolInUse() <= dropped.get() - least;
        });
        return (int) rig.receiver.statistics().poolInUse();
    }

    private void report(final ThreadMode mode, final int count, final int goal, final int left) {
        final long[] sorted = times.stream().mapToLong(Long::longValue).sorted().toArray();
        TestScale.report("M2 mode=%s descriptors=%d of=%d dropped=%d found_by_gc=%d release_p50_ns=%d "
            + "release_p99_ns=%d", mode, count, goal, dropped.get(), dropped.get() - left, sorted[sorted.length / 2],
            sorted[(int) (sorted.length * 0.99)]);
    }

    private void releaseAll(final ThreadMode mode, final Random random) {
        final List<Kept> mine = new ArrayList<>();
        while (running || !queue.isEmpty() || !mine.isEmpty()) {
            final Kept next = queue.poll();
            if (next != null) {
                mine.add(next);
            } else if (mine.isEmpty()) {
                Thread.yield();
            }
            if (!mine.isEmpty() && (next == null || mine.size() > 16)) {
                try {
                    letGo(mode, mine.remove(random.nextInt(mine.size())));
                } catch (final RuntimeException | Error ex) {
                    problems.add(ex);
                }
            }
        }
    }

    private void letGo(final ThreadMode mode, final Kept one) {
        assertEquals(one.crc, Stamp.crcOf(one.data), "bytes of number=" + one.number);
        if (one.number % ODD_ONE == 1 && one.data.lengthBytes() <= COPIED_BYTES) {
            dropped.incrementAndGet();
            return;
        }
        final long start = System.nanoTime();
        if (mode == ThreadMode.MULTI) {
            one.data.release();
        } else {
            one.data.releaseAsync();
        }
        if (one.number % TIMED == 0) {
            times.add(System.nanoTime() - start);
        }
        if (one.number % ODD_ONE == 2) {
            twice.incrementAndGet();
            final DescriptorStateException second =
                assertThrows(DescriptorStateException.class, one.data::releaseAsync);
            assertEquals(DescriptorStateException.Kind.DOUBLE_RELEASE, second.kind());
            refused.incrementAndGet();
        }
        released.incrementAndGet();
    }
}
