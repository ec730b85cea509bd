package io.heddle.shm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class ControlThreadTest {
    private static final ControlTimings LONG_LINGER = new ControlTimings(
        TimeUnit.SECONDS.toNanos(5), TimeUnit.HOURS.toNanos(1), TimeUnit.MILLISECONDS.toNanos(1),
        TimeUnit.MILLISECONDS.toNanos(10));

    @TempDir
    Path temp;

    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final ControlReports reports = new ControlReports(errors::add);
    private final SegmentGauge gauge = new SegmentGauge();
    private final SegmentBudget budget = new SegmentBudget(1 << 20);

    private ControlThread start(final NanoClock clock) {
        final ControlThread control = new ControlThread("test", Thread::new, clock, LONG_LINGER, reports);
        control.start();
        return control;
    }

    private MappedSegment segment(final String name) {
        return SegmentFile.create(temp, name, 4096, budget, gauge);
    }

    @Test
    void shouldOutliveWhatACommandThrows() {
        final ControlThread control = start(System::nanoTime);
        final AtomicInteger ran = new AtomicInteger();
        control.execute(() -> {
            throw new IllegalStateException("one");
        });
        control.execute(() -> {
            throw new StackOverflowError("two");
        });
        control.execute(ran::incrementAndGet);
        await("still runs").atMost(TestWorker.LIMIT).until(() -> ran.get() == 1);
        assertEquals(2, errors.size());
        assertEquals(2, reports.errors());
        control.close();
    }

    @Test
    void shouldOutliveAnErrorHandlerThatThrows() {
        final ControlReports broken = new ControlReports(error -> {
            throw new IllegalStateException("handler", error);
        });
        final ControlThread control = new ControlThread("test", Thread::new, System::nanoTime, LONG_LINGER, broken);
        control.start();
        final AtomicInteger ran = new AtomicInteger();
        control.execute(() -> {
            throw new IllegalStateException("one");
        });
        control.execute(ran::incrementAndGet);
        await("still runs").atMost(TestWorker.LIMIT).until(() -> ran.get() == 1);
        assertEquals(2, broken.errors());
        control.close();
    }

    @Test
    void shouldNotWakeUpWhenNothingIsDue() {
        final AtomicLong reads = new AtomicLong();
        final ControlThread control = start(() -> {
            reads.incrementAndGet();
            return System.nanoTime();
        });
        final AtomicInteger ran = new AtomicInteger();
        control.execute(ran::incrementAndGet);
        await("ran").atMost(TestWorker.LIMIT).until(() -> ran.get() == 1);
        final AtomicLong last = new AtomicLong(-1);
        await("no round for a while").during(300, TimeUnit.MILLISECONDS).atMost(TestWorker.LIMIT)
            .until(() -> last.getAndSet(reads.get()) == reads.get());
        control.close();
    }

    @Test
    void shouldUnmapAfterTheLinger() {
        final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 5); // the clock may wrap
        final ControlThread control = start(nowNs::get);
        control.unmap(segment("a.seg"));
        final AtomicInteger seen = new AtomicInteger();
        control.execute(seen::incrementAndGet);
        await("posted").atMost(TestWorker.LIMIT).until(() -> seen.get() == 1);
        assertEquals(1, gauge.liveMaps());
        await("unmapped").atMost(TestWorker.LIMIT).until(() -> {
            nowNs.addAndGet(LONG_LINGER.lingerNs() / UnmapQueue.STEPS); // longer ones count as no more
            control.execute(seen::incrementAndGet);
            return gauge.liveMaps() == 0;
        });
        control.close();
    }

    @Test
    void shouldUnmapAtCloseWhatLingers() {
        final ControlThread control = start(System::nanoTime);
        control.unmap(segment("a.seg"));
        control.close();
        assertEquals(0, gauge.liveMaps());
        assertEquals(0, budget.usedBytes());
    }

    @Test
    void shouldUnmapWhatIsReleasedAfterTheEnd() {
        final ControlThread control = start(System::nanoTime);
        final MappedSegment first = segment("a.seg");
        final MappedSegment second = segment("b.seg");
        control.close();
        control.unmap(first);
        control.unmap(second);
        control.unmap(second);
        await("unmapped").atMost(TestWorker.LIMIT).until(() -> gauge.liveMaps() == 0);
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldRunTimersInOrderAndForgetCancelledOnes() {
        final ControlTimers timers = new ControlTimers();
        final StringBuilder order = new StringBuilder();
        timers.add(Long.MAX_VALUE, () -> order.append('b'));
        timers.add(Long.MAX_VALUE - 1, () -> order.append('a'));
        timers.cancel(timers.add(Long.MIN_VALUE, () -> order.append('x')));
        timers.add(Long.MIN_VALUE + 1, () -> order.append('c'));
        assertEquals(9, timers.delayNs(Long.MAX_VALUE - 10));
        for (Runnable due = timers.poll(Long.MIN_VALUE + 1); due != null; due = timers.poll(Long.MIN_VALUE + 1)) {
            due.run();
        }
        assertEquals("abc", order.toString());
        assertEquals(ControlTimers.NONE, timers.delayNs(0));
    }

    @Test
    void shouldCloseAnInterruptedCallerAndKeepItsFlag() {
        final ControlThread control = start(System::nanoTime);
        Thread.currentThread().interrupt();
        control.close();
        assertTrue(Thread.interrupted());
        assertFalse(Thread.interrupted());
    }
}
