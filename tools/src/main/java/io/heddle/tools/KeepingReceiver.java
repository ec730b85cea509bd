package io.heddle.tools;

import io.heddle.worker.ActiveMessage;
import io.heddle.worker.ActiveMessageHandler;
import io.heddle.worker.ReceivedData;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.OneToOneConcurrentArrayQueue;

/**
 * Keeps what it receives, in handles that go round, and has a second thread release it with {@code releaseAsync()},
 * which every mode allows there. The two queues between the threads are single producer, single consumer.
 */
final class KeepingReceiver implements Receiver, ActiveMessageHandler {
    private static final int HANDLES = 1024;

    private final ControlPage page;
    private final OneToOneConcurrentArrayQueue<ReceivedData> held = new OneToOneConcurrentArrayQueue<>(HANDLES);
    private final OneToOneConcurrentArrayQueue<ReceivedData> free = new OneToOneConcurrentArrayQueue<>(HANDLES);
    private final Thread releaser = new Thread(this::release, "heddle-perftest-release");
    private volatile boolean closed;
    private long count;

    KeepingReceiver(final ControlPage page) {
        this.page = page;
        for (int i = 0; i < HANDLES; i++) {
            free.offer(new ReceivedData());
        }
        releaser.setDaemon(true);
        releaser.start();
    }

    @Override
    public ActiveMessageHandler handler() {
        return this;
    }

    @Override
    public void onMessage(final ActiveMessage message) {
        ReceivedData mine = free.poll();
        while (mine == null) {
            // Short: the releaser waits for nobody.
            Thread.yield();
            mine = free.poll();
        }
        message.retainInto(mine);
        held.offer(mine);
        count++;
    }

    private void release() {
        final IdleStrategy idle = new BackoffIdleStrategy(100, 10, 1_000, 100_000);
        while (!closed || !held.isEmpty()) {
            final ReceivedData data = held.poll();
            if (data == null) {
                idle.idle();
            } else {
                idle.reset();
                data.releaseAsync();
                free.offer(data);
            }
        }
    }

    @Override
    public void progressed() {
        page.received(count);
    }

    @Override
    public void close() {
        closed = true;
        try {
            releaser.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
