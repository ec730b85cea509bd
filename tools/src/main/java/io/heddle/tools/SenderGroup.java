package io.heddle.tools;

import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.HdrHistogram.Histogram;

/**
 * Several threads that send on one worker, beside a progress thread: their rate together, each one's share, and how
 * long a call of send took, which under contention is the wait for the worker's lock; beside it the wait for a bare
 * {@link ReentrantLock} by as many threads in the same run. In mode serialized the threads take turns under a lock of
 * ours. Confined to the client's main thread.
 */
final class SenderGroup {
    private final PerftestOptions options;
    private final ControlPage page;
    private final Worker worker;
    private final PeerWatch watch;
    private final Lock turns;
    private final List<SenderThread> senders = new ArrayList<>();

    SenderGroup(
        final PerftestOptions options,
        final ControlPage page,
        final Worker worker,
        final Endpoint endpoint,
        final PeerWatch watch) {
        this.options = options;
        this.page = page;
        this.worker = worker;
        this.watch = watch;
        this.turns = options.mode == ThreadMode.SERIALIZED ? new ReentrantLock() : null;
        for (int i = 0; i < options.threads; i++) {
            senders.add(new SenderThread(i, endpoint, options, turns));
        }
    }

    /** Runs warm-up and measurement, and adds what was found to {@code line}. */
    void run(final ResultLine line) {
        final ProgressThread progress = progressThread();
        try {
            senders.forEach(SenderThread::start);
            pause(options.warmupNs());
            page.beginMeter();
            page.endMeter();
            measure(line);
        } finally {
            senders.forEach(SenderThread::end);
            progress.close();
        }
        watch.check();
        reportWaits(line);
    }

    private ProgressThread progressThread() {
        final PinnedIdleStrategy pinned = new PinnedIdleStrategy(options.cpu(0));
        if (!options.isSpinning()) {
            return turns == null ? ProgressThread.start(worker) : ProgressThread.start(worker, turns);
        }
        return turns == null ? ProgressThread.start(worker, pinned) : ProgressThread.start(worker, turns, pinned);
    }

    private void measure(final ResultLine line) {
        final long[] before = new long[senders.size()];
        final long[] sent = new long[senders.size()];
        page.beginMeter();
        for (int i = 0; i < before.length; i++) {
            senders.get(i).forgetWaits();
            before[i] = senders.get(i).sent();
        }
        final long receivedBefore = page.received();
        final long start = System.nanoTime();
        pause(options.measureNs());
        final long received = page.received() - receivedBefore;
        final long elapsed = System.nanoTime() - start;
        long all = 0;
        for (int i = 0; i < before.length; i++) {
            sent[i] = senders.get(i).sent() - before[i];
            all += sent[i];
        }
        final long allocated = page.endMeter();
        senders.forEach(SenderThread::check);
        PerfLines.rate(line, received, options.sizeBytes(), elapsed);
        reportShares(line, sent, all);
        PerfLines.allocation(line, allocated, all);
    }

    private static void reportShares(final ResultLine line, final long[] sent, final long all) {
        double least = Double.MAX_VALUE;
        double most = 0;
        final StringBuilder counts = new StringBuilder();
        for (final long count : sent) {
            final double share = count * (double) sent.length / Math.max(1, all);
            least = Math.min(least, share);
            most = Math.max(most, share);
            counts.append(counts.length() == 0 ? "" : ",").append(count);
        }
        line.put("sent", counts.toString()).put("fair_share_min", least, 3).put("fair_share_max", most, 3);
    }

    private void reportWaits(final ResultLine line) {
        final Histogram waits = Tally.newHistogram();
        senders.forEach(sender -> waits.add(sender.waits()));
        final WorkerStatistics statistics = worker.statistics();
        final Histogram bare = LockBaseline.waits(senders.size() + 1, Math.min(options.measureNs(), 1_000_000_000L));
        line.put("send_p50_ns", waits.getValueAtPercentile(50))
            .put("lock_wait_p999_ns", waits.getValueAtPercentile(99.9))
            .put("lock_wait_max_ns", waits.getMaxValue())
            .put("lock_longest_ns", statistics.lockLongestWaitNs())
            .put("lock_contended", statistics.lockContended())
            .put("lock_handed", statistics.lockHanded())
            .put("reentrant_p999_ns", bare.getValueAtPercentile(99.9))
            .put("reentrant_max_ns", bare.getMaxValue());
    }

    private static void pause(final long ns) {
        final long start = System.nanoTime();
        for (long left = ns; left > 0; left = ns - (System.nanoTime() - start)) {
            LockSupport.parkNanos(left);
        }
    }
}
