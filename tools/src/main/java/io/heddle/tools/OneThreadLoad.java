package io.heddle.tools;

import io.heddle.endpoints.Endpoint;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** What the loads have in common: one message sent again and again, a budget, and waiting by progress. Confined. */
abstract class OneThreadLoad implements Load {
    private static final int LOOK_UP_MASK = 0xFFFFF;

    final Worker worker;
    final Endpoint endpoint;
    final PeerWatch watch;
    final int size;
    final UnsafeBuffer source;
    long budget = Long.MAX_VALUE;
    long done;
    private final Idler idler;
    private int empty;
    private long sinceNs;

    OneThreadLoad(final Worker worker, final Endpoint endpoint, final PeerWatch watch, final PerftestOptions options) {
        this.worker = worker;
        this.endpoint = endpoint;
        this.watch = watch;
        this.idler = new Idler(worker, options.isSpinning());
        this.size = options.sizeBytes();
        this.source = new UnsafeBuffer(ByteBuffer.allocateDirect(Math.max(size, Long.BYTES)));
    }

    final Request send() {
        return endpoint.sendActiveMessage(PerfServer.PING, null, source, 0, size);
    }

    /** To be called before the first {@link #progress} of a wait. */
    final void beginWaiting() {
        empty = 0;
        sinceNs = 0;
    }

    /**
     * One round of a wait.
     *
     * @param missing what is told if it does not come for long, or if the peer has gone.
     * @return what the worker's progress returned.
     */
    final int progress(final String missing) {
        final int work = worker.progress();
        if (work == 0 && (++empty & LOOK_UP_MASK) == 0) {
            sinceNs = sinceNs == 0 ? System.nanoTime() : sinceNs;
            watch.check(sinceNs, missing);
        }
        idler.idle(work);
        return work;
    }

    /** Throws what is wrong with the connection, or with the send. */
    final ToolException failed(final Object status) {
        watch.check();
        return new ToolException("sending failed: status=" + status);
    }

    @Override
    public final void budget(final long operations) {
        budget = operations;
        done = 0;
    }

    @Override
    public final boolean isExhausted() {
        return done >= budget;
    }

    @Override
    public final long operations() {
        return done;
    }
}
