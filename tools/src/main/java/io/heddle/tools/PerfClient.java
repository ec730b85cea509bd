package io.heddle.tools;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The measuring side. */
@Command(name = "perftest-client", hidden = true)
final class PerfClient implements Callable<Integer> {
    /** The word that carries the result. */
    static final String RESULT = "result";

    private static final int IDLE_CALLS = 200_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    @Mixin
    private PerftestOptions options;

    @Override
    public Integer call() throws IOException {
        final ChildChannel parent = ChildChannel.open();
        parent.tell(RESULT, measure(options, parent.hear()).toString());
        return ExitCode.RIGHT;
    }

    /** Measures against the server whose worker's address is {@code hex}, and tells it to end. */
    static ResultLine measure(final PerftestOptions options, final String hex) throws IOException {
        final ControlPage page = ControlPage.open(Path.of(options.page));
        // The server mapped it before it told its address: nobody needs the name now, and nothing can be left behind.
        Files.deleteIfExists(Path.of(options.page));
        HotThread.pin(options.cpu(0));
        try (Context context = Context.create();
             Worker worker = Worker.create(context, options.mode, "perftest-client")) {
            final PeerWatch watch = new PeerWatch();
            final List<Endpoint> endpoints = connect(options, worker, WorkerAddress.ofHex(hex), watch);
            final Endpoint endpoint = endpoints.get(endpoints.size() / 2);
            final ResultLine line = PerfLines.begin(options);
            if (options.endpoints > 0) {
                line.put("endpoints", options.endpoints);
            }
            if (options.threads > 0) {
                new SenderGroup(options, page, worker, endpoint, watch).run(line);
            } else {
                final Measurement measurement = new Measurement(options, page,
                    load(options, page, worker, endpoint, watch));
                measurement.run();
                measurement.report(line);
            }
            if (options.endpoints > 0) {
                line.put("progress_ns", idleProgressNs(worker), 1);
            }
            for (final Endpoint each : endpoints) {
                each.close(CloseMode.FLUSH, CLOSE_TIMEOUT);
            }
            return PerfLines.end(line);
        } finally {
            page.stop();
        }
    }

    private static Load load(
        final PerftestOptions options,
        final ControlPage page,
        final Worker worker,
        final Endpoint endpoint,
        final PeerWatch watch) {
        if (options.test == PerftestOptions.Test.AM_BW) {
            return new StreamLoad(worker, endpoint, watch, page, options);
        }
        final PingPongLoad load = new PingPongLoad(worker, endpoint, watch, options);
        worker.onActiveMessage(PerfServer.PONG, load);
        return load;
    }

    /** As many endpoints as asked, all connected; the ones that stay silent lie on both sides of the one that talks. */
    private static List<Endpoint> connect(
        final PerftestOptions options,
        final Worker worker,
        final WorkerAddress address,
        final PeerWatch watch) {
        final List<Endpoint> endpoints = new ArrayList<>();
        for (int i = 0; i < Math.max(1, options.endpoints); i++) {
            final Endpoint endpoint = Endpoint.create(worker, address);
            endpoint.onError(watch);
            endpoints.add(endpoint);
        }
        final long start = System.nanoTime();
        for (final Endpoint endpoint : endpoints) {
            while (!endpoint.isConnected()) {
                worker.progress();
                watch.check(start, "not connected");
            }
        }
        return endpoints;
    }

    /** What a call of progress costs when there is nothing to do. */
    private static double idleProgressNs(final Worker worker) {
        double best = Double.MAX_VALUE;
        for (int round = 0; round < 5; round++) {
            final long start = System.nanoTime();
            for (int i = 0; i < IDLE_CALLS; i++) {
                worker.progress();
            }
            best = Math.min(best, (double) (System.nanoTime() - start) / IDLE_CALLS);
        }
        return best;
    }
}
