package io.heddle.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.HdrHistogram.Histogram;

/**
 * How long threads wait for a bare {@link ReentrantLock} that they do nothing else but take, as a measure for the
 * worker's lock.
 */
final class LockBaseline {
    private static final int BATCH = 256;
    private static final int SAMPLE_MASK = 15;

    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private long guarded;

    private LockBaseline() {
    }

    /** Nanoseconds, of every 16th taking, by {@code count} threads together. */
    static Histogram waits(final int count, final long ns) {
        final LockBaseline baseline = new LockBaseline();
        final List<Histogram> each = new ArrayList<>();
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final Histogram mine = Tally.newHistogram();
            each.add(mine);
            final Thread thread = new Thread(() -> baseline.run(mine), "heddle-perftest-lock-" + i);
            thread.setDaemon(true);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
        final long start = System.nanoTime();
        for (long left = ns; left > 0; left = ns - (System.nanoTime() - start)) {
            LockSupport.parkNanos(left);
        }
        baseline.stopped.set(true);
        final Histogram all = Tally.newHistogram();
        try {
            for (int i = 0; i < count; i++) {
                threads.get(i).join();
                all.add(each.get(i));
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return all;
    }

    private void run(final Histogram waits) {
        while (!stopped.getOpaque()) { // partner: set() in waits()
            for (int i = 0; i < BATCH; i++) {
                take((i & SAMPLE_MASK) == 0 ? waits : null);
            }
        }
    }

    private void take(final Histogram waits) {
        final long start = waits == null ? 0 : System.nanoTime();
        lock.lock();
        try {
            if (waits != null) {
                Tally.record(waits, System.nanoTime() - start);
            }
            guarded++;
        } finally {
            lock.unlock();
        }
    }
}
