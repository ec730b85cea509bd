package io.heddle.tools;

import io.heddle.worker.ActiveMessage;
import io.heddle.worker.ActiveMessageHandler;
import org.agrona.DirectBuffer;

/** Counts and returns at once, or first reads a long of every cache line where it lies. */
final class CountingReceiver implements Receiver, ActiveMessageHandler {
    private static final int CACHE_LINE = 64;

    private final ControlPage page;
    private final boolean touch;
    private long count;
    private long sum;

    CountingReceiver(final ControlPage page, final boolean touch) {
        this.page = page;
        this.touch = touch;
    }

    @Override
    public ActiveMessageHandler handler() {
        return this;
    }

    @Override
    public void onMessage(final ActiveMessage message) {
        if (touch) {
            sum += touch(message.data());
        }
        count++;
    }

    private static long touch(final DirectBuffer data) {
        final int last = data.capacity() - Long.BYTES;
        long sum = 0;
        for (int i = 0; i <= last; i += CACHE_LINE) {
            sum += data.getLong(i);
        }
        return sum;
    }

    @Override
    public void progressed() {
        page.received(count);
    }

    /**
     * Says so if the bytes read add up to the number that no stream of zeros and counters reaches, so that reading is
     * not optimised away.
     */
    @Override
    public void close() {
        if (sum == Long.MIN_VALUE) {
            System.err.println("sum=" + sum);
        }
    }
}
