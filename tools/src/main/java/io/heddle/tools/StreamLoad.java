package io.heddle.tools;

import io.heddle.context.Status;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Sends one message after another. Those that fit a record by trying, with progress while there is no room; longer
 * ones by requests, a window of them under way. The clock is read once per chunk of messages.
 */
final class StreamLoad implements Load {
    private static final int SMALL_CHUNK = 1024;
    private static final int LARGE_CHUNK = 4;
    private static final int WINDOW = 16;
    private static final int LOOK_UP_MASK = 0xFFFFF;

    private final Worker worker;
    private final Endpoint endpoint;
    private final PeerWatch watch;
    private final ControlPage page;
    private final Idler idler;
    private final int size;
    private final int chunk;
    private final boolean trying;
    private final UnsafeBuffer source;
    private final Request[] window = new Request[WINDOW];
    private int next;
    private long sent;
    private long budget = Long.MAX_VALUE;
    private long done;

    StreamLoad(
        final Worker worker,
        final Endpoint endpoint,
        final PeerWatch watch,
        final ControlPage page,
        final PerftestOptions options) {
        this.worker = worker;
        this.endpoint = endpoint;
        this.watch = watch;
        this.page = page;
        this.idler = new Idler(worker, options.isSpinning());
        this.size = options.sizeBytes();
        this.chunk = chunk(size);
        this.trying = size <= endpoint.maxClaimBytes();
        this.source = new UnsafeBuffer(ByteBuffer.allocateDirect(Math.max(size, Long.BYTES)));
    }

    /** Messages between two looks at the clock. */
    static int chunk(final int sizeBytes) {
        return sizeBytes >= PerftestOptions.BANDWIDTH_BYTES ? LARGE_CHUNK : SMALL_CHUNK;
    }

    @Override
    public void run(final Tally into, final long untilNs) {
        final long before = page.received();
        final long start = System.nanoTime();
        do {
            final int count = (int) Math.min(chunk, budget - done);
            if (trying) {
                trySome(count);
            } else {
                queueSome(count);
            }
            done += count;
            sent += count;
        } while (System.nanoTime() - untilNs < 0 && done < budget);
        if (done >= budget) {
            drain();
        }
        into.messages = page.received() - before;
        into.nanos = System.nanoTime() - start;
    }

    private void trySome(final int count) {
        for (int i = 0; i < count; i++) {
            final Status status = endpoint.trySendActiveMessage(PerfServer.PING, null, source, 0, size);
            if (status != Status.OK) {
                tryAgain(status);
            }
        }
    }

    private void tryAgain(final Status first) {
        Status status = first;
        int tries = 0;
        long start = 0;
        while (status == Status.NO_RESOURCE) {
            final int work = worker.progress();
            if (work == 0) {
                Thread.onSpinWait();
                if ((++tries & LOOK_UP_MASK) == 0) {
                    start = start == 0 ? System.nanoTime() : start;
                    watch.check(start, "no room to send");
                }
            }
            idler.idle(work);
            status = endpoint.trySendActiveMessage(PerfServer.PING, null, source, 0, size);
        }
        if (status != Status.OK) {
            watch.check();
            throw new ToolException("sending failed: status=" + status);
        }
    }

    private void queueSome(final int count) {
        for (int i = 0; i < count; i++) {
            if (window[next] != null) {
                complete(window[next]);
            }
            window[next] = endpoint.sendActiveMessage(PerfServer.PING, null, source, 0, size);
            next = (next + 1) % WINDOW;
        }
    }

    private void complete(final Request request) {
        int empty = 0;
        long start = 0;
        while (!request.isDone()) {
            final int work = worker.progress();
            if (work == 0 && (++empty & LOOK_UP_MASK) == 0) {
                start = start == 0 ? System.nanoTime() : start;
                watch.check(start, "a send has not completed");
            }
            idler.idle(work);
        }
        if (request.status().isError()) {
            throw new ToolException("sending failed: status=" + request.status());
        }
    }

    /** At the end of a budget: until the receiver has counted all. */
    private void drain() {
        for (final Request request : window) {
            if (request != null) {
                complete(request);
            }
        }
        final long start = System.nanoTime();
        while (page.received() < sent) {
            worker.progress();
            watch.check(start, "the receiver has not counted all messages");
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
