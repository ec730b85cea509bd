package io.heddle.tools;

import io.heddle.context.Status;
import io.heddle.endpoints.Endpoint;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One of several threads that send on one worker. It counts what it sends and times every 16th call. The count has
 * this thread as its single writer; the times may be read once it has ended.
 */
final class SenderThread {
    private static final int BATCH = 256;
    private static final int SAMPLE_MASK = 15;
    private static final int SPINS_BEFORE_YIELD = 64;
    private static final int YIELDS_BEFORE_PARK = SPINS_BEFORE_YIELD + 4;
    private static final long LEAST_PARK_NS = 5_000;
    private static final long MOST_PARK_NS = 60_000;

    private final Endpoint endpoint;
    private final int size;
    private final int cpu;
    private final Lock turns;
    private final UnsafeBuffer source;
    private final Thread thread;
    private final AtomicLong sent = new AtomicLong();
    private final Histogram waits = Tally.newHistogram();
    private volatile boolean stopped;
    private volatile int period;
    private volatile Throwable failure;

    SenderThread(final int index, final Endpoint endpoint, final PerftestOptions options, final Lock turns) {
        this.endpoint = endpoint;
        this.size = options.sizeBytes();
        this.cpu = options.cpu(0);
        this.turns = turns;
        this.source = new UnsafeBuffer(ByteBuffer.allocateDirect(Math.max(size, Long.BYTES)));
        this.thread = new Thread(this::run, "heddle-perftest-sender-" + index);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Messages sent so far; to be read by any thread. */
    long sent() {
        return sent.getAcquire(); // partner: run()
    }

    /** A new period begins: times taken before do not count. */
    void forgetWaits() {
        period++; // one writer: the group's thread
    }

    /** Throws what ended the thread, if something did. */
    void check() {
        if (failure != null) {
            throw new ToolException("a sender failed: " + failure.getMessage(), failure);
        }
    }

    void end() {
        stopped = true;
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** How long calls of send took, in the last period; after {@link #end()}. */
    Histogram waits() {
        return waits;
    }

    private void run() {
        try {
            HotThread.pin(cpu);
            int seen = period;
            long count = 0;
            while (!stopped) {
                for (int i = 0; i < BATCH; i++) {
                    count += send((i & SAMPLE_MASK) == 0) ? 1 : 0;
                }
                sent.setRelease(count); // partner: sent()
                if (seen != period) {
                    seen = period;
                    waits.reset();
                }
            }
        } catch (final RuntimeException | Error e) {
            failure = e;
        }
    }

    /** Until there was room; false when told to stop. */
    private boolean send(final boolean timed) {
        int spins = 0;
        while (!stopped) {
            final long start = timed ? System.nanoTime() : 0;
            final Status status = trySend();
            if (timed) {
                Tally.record(waits, System.nanoTime() - start);
            }
            if (status == Status.OK) {
                return true;
            }
            if (status != Status.NO_RESOURCE) {
                throw new ToolException("sending failed: status=" + status);
            }
            waitForRoom(++spins);
        }
        return false;
    }

    /**
     * The receiver may be waiting for the very processor that this thread spins on: it is left alone soon, so that with
     * more threads than processors it is the scheduler's turn and not luck that decides who sends.
     */
    private static void waitForRoom(final int tries) {
        if (tries < SPINS_BEFORE_YIELD) {
            Thread.onSpinWait();
        } else if (tries < YIELDS_BEFORE_PARK) {
            Thread.yield();
        } else {
            // Not always as long, or the one that wakes a moment before the others finds the room each time.
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LEAST_PARK_NS, MOST_PARK_NS));
        }
    }

    private Status trySend() {
        if (turns == null) {
            return endpoint.trySendActiveMessage(PerfServer.PING, null, source, 0, size);
        }
        turns.lock();
        try {
            return endpoint.trySendActiveMessage(PerfServer.PING, null, source, 0, size);
        } finally {
            turns.unlock();
        }
    }
}
