package io.heddle.tests.pair;

import io.heddle.context.Status;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.Request;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A sender in a loop that queues whatever is not refused, and waits to be told when it is. Needs a MULTI worker that
 * somebody progresses.
 */
final class PairFlood implements Runnable {
    private static final int ID = 7;
    private static final int[] SIZES = {0, 8, 47, 500, 2024, 5000, 20_000, 65_511, 70_000};

    private final Endpoint endpoint;
    private final int sender;
    private final int count;
    private final int size;
    private final AtomicLong refused;
    private final AtomicLong accepted;
    private final Consumer<String> problem;
    private final Semaphore writable = new Semaphore(0);

    PairFlood(final Endpoint endpoint, final int sender, final int count, final int size, final AtomicLong refused,
        final AtomicLong accepted, final Consumer<String> problem) {
        this.endpoint = endpoint;
        this.sender = sender;
        this.count = count;
        this.size = size;
        this.refused = refused;
        this.accepted = accepted;
        this.problem = problem;
    }

    @Override
    public void run() {
        try {
            for (long i = 0; i < count; i++) {
                send(i);
                accepted.incrementAndGet();
            }
        } catch (final Exception | Error ex) {
            problem.accept("flooding threw: " + ex);
        }
    }

    private void send(final long number) throws InterruptedException {
        final int bytes = size == 0 ? SIZES[(int) (number % SIZES.length)] : size;
        // The payload belongs to the send until its request is done.
        final byte[] payload = Stamp.payload(number, bytes);
        final UnsafeBuffer header = Stamp.of(sender, number, payload, bytes);
        final UnsafeBuffer data = new UnsafeBuffer(payload);
        Request request = endpoint.sendActiveMessage(ID, header, data, 0, bytes);
        while (request.status() == Status.NO_RESOURCE) {
            refused.incrementAndGet();
            if (endpoint.onWritable(writable::release) == Status.OK) {
                writable.acquire();
            }
            request = endpoint.sendActiveMessage(ID, header, data, 0, bytes);
        }
        if (request.status() != Status.OK && request.status() != Status.IN_PROGRESS) {
            throw new IllegalStateException("send " + number + ": " + request.status());
        }
    }
}
