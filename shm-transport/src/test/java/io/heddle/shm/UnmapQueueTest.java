package io.heddle.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.tests.base.StandsFor;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When a segment is unmapped that nobody refers to any more, by a clock driven by hand. */
@Timeout(30)
class UnmapQueueTest {
    private static final long LINGER_NS = 800;
    private static final long STEP_NS = LINGER_NS / UnmapQueue.STEPS;

    @TempDir
    Path temp;

    private final SegmentGauge gauge = new SegmentGauge();
    private final SegmentBudget budget = new SegmentBudget(1 << 20);
    private final UnmapQueue queue = new UnmapQueue();
    private int names;
    /** Near the end of the scale, since clocks may begin anywhere. */
    private long nowNs = Long.MAX_VALUE - 1000;

    private void add() {
        final String name = "0123456789abcdef-1-" + ++names + ".seg";
        queue.add(SegmentFile.create(temp, name, 4096, budget, gauge), nowNs, LINGER_NS);
    }

    private void passNs(final long durationNs) {
        nowNs += durationNs;
        queue.unmapDue(nowNs, LINGER_NS, 16);
    }

    @AfterEach
    void unmapAll() {
        while (!queue.isEmpty()) {
            passNs(STEP_NS);
        }
        assertEquals(0, gauge.liveMaps());
    }

    @Test
    void shouldUnmapEachAfterItsOwnLinger() {
        add();
        for (int i = 0; i < 4; i++) {
            passNs(STEP_NS);
        }
        add();
        for (int i = 0; i < 4; i++) {
            assertEquals(2, gauge.liveMaps());
            assertEquals(STEP_NS, queue.delayNs(nowNs, LINGER_NS));
            passNs(STEP_NS);
        }
        assertEquals(1, gauge.liveMaps());
        for (int i = 0; i < 4; i++) {
            passNs(STEP_NS);
        }
        assertEquals(0, gauge.liveMaps());
        assertEquals(ControlTimers.NONE, queue.delayNs(nowNs, LINGER_NS));
    }

    @Test
    @StandsFor("C1")
    void shouldNotCountTheTimeInWhichTheProcessStoodStill() {
        add();
        passNs(STEP_NS);
        passNs(TimeUnit.MINUTES.toNanos(1));
        assertEquals(1, gauge.liveMaps(), "whoever was about to read has had no more than two steps for it");
        for (int i = 0; i < UnmapQueue.STEPS - 2; i++) {
            assertEquals(1, gauge.liveMaps());
            passNs(STEP_NS);
        }
        assertEquals(0, gauge.liveMaps());
    }

    @Test
    void shouldNotCountTheTimeBeforeItWasAdded() {
        passNs(TimeUnit.MINUTES.toNanos(1));
        add();
        passNs(STEP_NS - 1);
        assertTrue(queue.delayNs(nowNs, LINGER_NS) > 0);
        assertEquals(1, gauge.liveMaps());
    }

    @Test
    void shouldUnmapNoMoreAtOnceThanAllowed() {
        add();
        add();
        for (int i = 0; i < UnmapQueue.STEPS; i++) {
            nowNs += STEP_NS;
            queue.unmapDue(nowNs, LINGER_NS, 1);
        }
        assertEquals(1, gauge.liveMaps());
        assertEquals(0, queue.delayNs(nowNs, LINGER_NS), "the rest at once");
    }
}
