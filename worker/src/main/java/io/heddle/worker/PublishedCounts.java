package io.heddle.worker;

import io.heddle.context.WorkerCounter;
import io.heddle.context.WorkerCounters;

/**
 * Mirrors a worker's counts into the context's counters file, where they can be read from outside, also after a crash.
 *
 * <p>Single writer: the holder of the dispatcher token, every so many rounds and when the worker falls idle.
 */
final class PublishedCounts implements AutoCloseable {
    private final WorkerCounters listed;
    private long highWater;

    PublishedCounts(final WorkerCounters listed, final long poolLimitBytes) {
        this.listed = listed;
        set(WorkerCounter.POOL_LIMIT_BYTES, poolLimitBytes);
    }

    void publish(final WorkerCore core) {
        final WorkerCounts c = core.counts();
        set(WorkerCounter.MESSAGES_SENT, c.messagesSent);
        set(WorkerCounter.BYTES_SENT, c.bytesSent);
        set(WorkerCounter.MESSAGES_RECEIVED, c.messagesReceived);
        set(WorkerCounter.BYTES_RECEIVED, c.bytesReceived);
        set(WorkerCounter.MESSAGES_DROPPED, c.dropped);
        set(WorkerCounter.MESSAGES_POSTPONED, c.postponed);
        set(WorkerCounter.BYTES_COPIED, c.bytesCopied);
        set(WorkerCounter.SENDS_QUEUED, c.sendsQueued);
        set(WorkerCounter.ENDPOINTS_WAITING, core.waitingCount());
        set(WorkerCounter.SENDS_REFUSED, c.sendsRefused);
        set(WorkerCounter.RELEASES, c.homecomings);
        final long inUse = core.keeping().heldElements();
        highWater = Math.max(highWater, inUse);
        set(WorkerCounter.POOL_IN_USE, inUse);
        set(WorkerCounter.POOL_HIGH_WATER, highWater);
        set(WorkerCounter.CALLBACKS_FAILED, c.callbacksFailed);
        set(WorkerCounter.VIOLATIONS, core.guard().violations());
        set(WorkerCounter.PROTOCOL_VIOLATIONS, c.protocolViolations);
        set(WorkerCounter.WAKEUPS, core.sleeper().wakeUps());
    }

    /** What is costly to add up: at the end, and when the worker falls idle. */
    void publishPools(final WorkerCore core) {
        publish(core);
        set(WorkerCounter.POOL_EXHAUSTED, core.keeping().poolsExhausted());
        set(WorkerCounter.POOL_REFUSED, core.keeping().poolsRefused());
    }

    private void set(final WorkerCounter kind, final long value) {
        // Read by other processes, each value by itself.
        listed.counter(kind).setOpaque(value);
    }

    @Override
    public void close() {
        listed.close();
    }
}
