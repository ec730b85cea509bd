package io.heddle.tools;

import io.heddle.worker.ActiveMessageHandler;
import io.heddle.worker.Connection;
import io.heddle.worker.HandlerPool;
import io.heddle.worker.PooledHandler;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.ReleasePolicy;
import io.heddle.worker.Worker;

/** Hands every message to a pool of one handler, which counts it on its own thread. */
final class PoolReceiver implements Receiver, PooledHandler {
    private static final int CAPACITY = 1024;

    private final ControlPage page;
    private final HandlerPool pool;
    private long count;

    PoolReceiver(final Worker worker, final ControlPage page) {
        this.page = page;
        pool = HandlerPool.builder(worker).handlers(1).ordered(true).capacity(CAPACITY)
            .releasePolicy(ReleasePolicy.ASYNC).handler(this).start();
    }

    @Override
    public ActiveMessageHandler handler() {
        return pool.asHandler();
    }

    @Override
    public void onMessage(final int id, final ReceivedData data, final Connection connection) {
        page.received(++count);
    }

    @Override
    public void progressed() {
        // The handler thread publishes.
    }

    @Override
    public void close() {
        pool.close();
    }
}
