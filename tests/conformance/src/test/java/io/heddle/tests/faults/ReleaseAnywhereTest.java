package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.ContextConfig;
import io.heddle.context.DescriptorStateException;
import io.heddle.context.ThreadMode;
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

/** Received on one thread, let go by eight others in random order, some twice, some never. */
@ExtendWith(HygieneExtension.class)
@Timeout(300)
class ReleaseAnywhereTest {
    private static final int RELEASERS = 8;
    private static final int ODD_ONE = 1000;
    private static final int AT_ONCE = 2000;
    private static final int[] SIZES = {8, 700, 2100, 4000, 60_000};

    private record Kept(ReceivedData data, int crc, long number) {
    }

    private final Queue<Kept> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicInteger released = new AtomicInteger();
    private final AtomicInteger dropped = new AtomicInteger();
    private final AtomicInteger twice = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
    private volatile boolean running = true;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("M2")
    @Tag("scaled")
    void shouldRefuseTheSecondReleaseAndReportTheDropped(final ThreadMode mode, final TestSeed seed) throws Exception {
        final int count = TestScale.count(4000, 10_000_000);
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < RELEASERS; i++) {
            final Random random = seed.random(i);
            threads.add(new Thread(() -> releaseAll(mode, random), "releaser-" + i));
        }
        try (Rig rig = Rig.open(mode, new ContextConfig().poolLimitBytes(1L << 30))) {
            rig.receiver.onActiveMessage(Rig.ID, message -> {
                queue.add(new Kept(message.retain(), Stamp.crc(message.header()), Stamp.sequence(message.header())));
                queued.incrementAndGet();
            });
            threads.forEach(Thread::start);
            Request last = null;
            for (int i = 0; i < count; i++) {
                last = rig.send(SIZES[i % SIZES.length]);
                final int number = i;
                if (i % 64 == 0) {
                    rig.until("room", () -> number - released.get() - dropped.get() < AT_ONCE);
                }
            }
            rig.until("sent", last::isDone);
            rig.until("let go", () -> released.get() + dropped.get() == count);
            running = false;
            for (final Thread thread : threads) {
                thread.join();
            }
            assertEquals(List.of(), List.copyOf(problems), seed::toString);
            rig.until("home", () -> rig.receiver.statistics().poolInUse() == dropped.get());
            assertTrue(twice.get() > 0 && dropped.get() > 0);
            assertEquals(twice.get(), refused.get(), "each second release was refused");
            assertEquals(twice.get(), rig.receiver.statistics().poolRefused());
            final CloseReport report = rig.receiver.close(CloseMode.FLUSH, Rig.LIMIT);
            assertEquals(dropped.get(), report.leaks().size());
        }
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
        if (one.number % ODD_ONE == 1) {
            dropped.incrementAndGet();
            return;
        }
        if (mode == ThreadMode.MULTI) {
            one.data.release();
        } else {
            one.data.releaseAsync();
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
