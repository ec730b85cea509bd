package io.heddle.tools;

import io.heddle.endpoints.Endpoint;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.ActiveMessageHandler;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;

/** Sends a message, progresses until the reply is there, and takes the time of each round trip. */
final class PingPongLoad extends OneThreadLoad implements ActiveMessageHandler {
    private long replies;

    PingPongLoad(final Worker worker, final Endpoint endpoint, final PeerWatch watch, final PerftestOptions options) {
        super(worker, endpoint, watch, options);
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
        final Request sent = send();
        beginWaiting();
        while (replies != want) {
            progress("no reply");
        }
        if (sent.status().isError()) {
            throw failed(sent.status());
        }
    }
}
