package io.heddle.worker;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * How a handler thread waits for messages: spins, yields, then parks. Unlike the blocking strategies of the Disruptor,
 * whose conditions make a node for each sleep, it allocates nothing. One waiting thread; any thread may signal.
 */
final class ParkingWait implements WaitStrategy {
    private static final long MAX_PARK_NS = 1_000_000_000L;
    private static final int LOOKS = 64;

    private final long spinNs;
    private final long yieldNs;
    /** The waiting thread while it is asleep or about to be; null otherwise. */
    private volatile Thread sleeper;

    /** Times are counted from the beginning of the wait. */
    ParkingWait(final long spinNs, final long yieldNs) {
        this.spinNs = spinNs;
        this.yieldNs = yieldNs;
    }

    @Override
    public long waitFor(final long sequence, final Sequence cursor, final Sequence dependent,
        final SequenceBarrier barrier) throws AlertException {
        final long startNs = System.nanoTime();
        long available = dependent.get();
        while (available < sequence) {
            final long waitedNs = System.nanoTime() - startNs;
            if (waitedNs < spinNs) {
                for (int i = 0; i < LOOKS && dependent.get() < sequence; i++) {
                    Thread.onSpinWait();
                }
            } else if (waitedNs < yieldNs) {
                Thread.yield();
            } else {
                sleep(sequence, dependent, barrier);
            }
            barrier.checkAlert();
            available = dependent.get();
        }
        return available;
    }

    private void sleep(final long sequence, final Sequence dependent, final SequenceBarrier barrier) {
        // Volatile store, then the look; partner: the fence between publication and look in signalAllWhenBlocking().
        sleeper = Thread.currentThread();
        if (dependent.get() < sequence && !barrier.isAlerted()) {
            LockSupport.parkNanos(this, MAX_PARK_NS);
        }
        sleeper = null;
    }

    @Override
    public void signalAllWhenBlocking() {
        VarHandle.fullFence(); // What was published, before the look; partner: the volatile store in sleep().
        final Thread waiting = sleeper;
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }
}
