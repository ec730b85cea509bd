package io.heddle.tools;

import io.heddle.context.Status;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;

/**
 * Sends one message after another. Those that fit a record by trying, with progress while there is no room; longer
 * ones by requests, a window of them under way. The clock is read once per chunk of messages.
 */
final class StreamLoad extends OneThreadLoad {
    private static final int SMALL_CHUNK = 1024;
    private static final int LARGE_CHUNK = 4;
    private static final int WINDOW = 16;

    private final ControlPage page;
    private final int chunk;
    private final boolean trying;
    private final Request[] window = new Request[WINDOW];
    private int next;
    private long sent;

    StreamLoad(
        final Worker worker,
        final Endpoint endpoint,
        final PeerWatch watch,
        final ControlPage page,
        final PerftestOptions options) {
        super(worker, endpoint, watch, options);
        this.page = page;
        this.chunk = chunk(size);
        this.trying = size <= endpoint.maxClaimBytes();
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
        beginWaiting();
        while (status == Status.NO_RESOURCE) {
            if (progress("no room to send") == 0) {
                Thread.onSpinWait();
            }
            status = endpoint.trySendActiveMessage(PerfServer.PING, null, source, 0, size);
        }
        if (status != Status.OK) {
            throw failed(status);
        }
    }

    private void queueSome(final int count) {
        for (int i = 0; i < count; i++) {
            if (window[next] != null) {
                complete(window[next]);
            }
            window[next] = send();
            next = (next + 1) % WINDOW;
        }
    }

    private void complete(final Request request) {
        beginWaiting();
        while (!request.isDone()) {
            progress("a send has not completed");
        }
        if (request.status().isError()) {
            throw failed(request.status());
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
}
