package io.heddle.tools;

import io.heddle.endpoints.Endpoint;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.ActiveMessageHandler;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Sends a message, progresses until the reply is there, and takes the time of each round trip. */
final class PingPongLoad implements Load, ActiveMessageHandler {
    private static final int LOOK_UP_MASK = 0xFFFFF;

    private final Worker worker;
    private final Endpoint endpoint;
    private final PeerWatch watch;
    private final Idler idler;
    private final int size;
    private final UnsafeBuffer source;
    private long replies;
    private long budget = Long.MAX_VALUE;
    private long done;

    PingPongLoad(final Worker worker, final Endpoint endpoint, final PeerWatch watch, final PerftestOptions options) {
        this.worker = worker;
        this.endpoint = endpoint;
        this.watch = watch;
        this.idler = new Idler(worker, options.isSpinning());
        this.size = options.sizeBytes();
        this.source = new UnsafeBuffer(ByteBuffer.allocateDirect(Math.max(size, Long.BYTES)));
    }

    @Override
    public void onMessage(final ActiveMessage reply) {
        replies++;
    }

    @Override
    public void run(final Tally into, final long untilNs) {
        final long start = System.nanoTime();
        long last = start;
        long trips = 0;
        do {
            roundTrip();
            final long now = System.nanoTime();
            Tally.record(into.latency, now - last);
            last = now;
            trips++;
        } while (last - untilNs < 0 && done + trips < budget);
        done += trips;
        into.messages = trips;
        into.nanos = last - start;
    }

    private void roundTrip() {
        final long want = replies + 1;
        final Request sent = endpoint.sendActiveMessage(PerfServer.PING, null, source, 0, size);
        int empty = 0;
        long start = 0;
        while (replies != want) {
            final int work = worker.progress();
            if (work == 0 && (++empty & LOOK_UP_MASK) == 0) {
                start = start == 0 ? System.nanoTime() : start;
                watch.check(start, "no reply");
            }
            idler.idle(work);
        }
        if (sent.status().isError()) {
            throw new ToolException("sending failed: status=" + sent.status());
        }
    }

    @Override
    public void budget(final long operations) {
        budget = operations;
        done = 0;
    }

    @Override
    public boolean isExhausted() {
        return done >= budget;
    }

    @Override
    public long operations() {
        return done;
    }
}
