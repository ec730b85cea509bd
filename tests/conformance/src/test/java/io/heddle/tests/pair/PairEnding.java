package io.heddle.tests.pair;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Status;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/** The last calls on endpoints that have much to send, each timed. Confined to the worker's thread. */
final class PairEnding {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Map<Endpoint, List<Request>> queued = new HashMap<>();

    String queue(final Endpoint endpoint, final int count, final int bytes) {
        final byte[] payload = Stamp.payload(count, bytes);
        final UnsafeBuffer header = Stamp.of(count, 0, payload, bytes);
        final List<Request> requests = queued.computeIfAbsent(endpoint, key -> new ArrayList<>());
        for (int i = 0; i < count; i++) {
            requests.add(endpoint.sendActiveMessage(PairWorker.ID, header, new UnsafeBuffer(payload), 0, bytes));
        }
        return "unfinished=" + unfinished(endpoint);
    }

    private long unfinished(final Endpoint endpoint) {
        return queued.getOrDefault(endpoint, List.of()).stream().filter(request -> !request.isDone()).count();
    }

    String flush(final Endpoint endpoint) {
        final long startNs = System.nanoTime();
        final Status status = endpoint.flush().await(PATIENCE);
        return "status=" + status + " took_us=" + (System.nanoTime() - startNs) / 1000;
    }

    String close(final Endpoint endpoint, final CloseMode mode) {
        final long startNs = System.nanoTime();
        final CloseReport report = endpoint.close(mode, PATIENCE);
        return "timed_out=" + report.isTimedOut() + " closed=" + endpoint.isClosed() + " unfinished="
            + unfinished(endpoint) + " took_us=" + (System.nanoTime() - startNs) / 1000;
    }
}
