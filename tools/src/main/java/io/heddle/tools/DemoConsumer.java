package io.heddle.tools;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Context;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerStatistics;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * The consumer's JVM: receives the stream as {@code --mode} and {@code --release} say, checks it, and audits its
 * worker at the end.
 */
@Command(name = "demo-consumer", hidden = true)
final class DemoConsumer implements Callable<Integer> {
    /** The word that carries the worker's address, in hex. */
    static final String ADDRESS = "address";
    /** The word that carries the bytes received so far. */
    static final String PROGRESS = "progress";
    /** The word that says that something is about to be printed on stderr. */
    static final String NOTICE = "notice";
    /** The word that carries the result. */
    static final String RESULT = "result";

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    @Mixin
    private DemoOptions options;

    @Override
    public Integer call() {
        final ChildChannel parent = ChildChannel.open();
        final StreamCheck check = new StreamCheck();
        final DemoErrors errors = new DemoErrors(System.err, () -> parent.tell(NOTICE, ""));
        final ResultLine result = new ResultLine();
        try (Context context = Context.create();
             Worker worker = Worker.create(context, options.mode, "demo-consumer")) {
            worker.onError(errors);
            final DemoStream stream = options.isOneThread()
                ? new OneThreadStream(worker, check) : new PooledStream(worker, check, options, errors);
            worker.onActiveMessage(DemoProducer.ANNOUNCE, message -> {
                Endpoint.of(message.connection()).onError((endpoint, status, reason) -> {
                    if (!check.isComplete()) {
                        errors.cutOff(status, reason);
                    }
                });
                check.begin((int) message.data().getLong(0), (int) message.data().getLong(Long.BYTES));
            });
            worker.onActiveMessage(DemoProducer.CHUNK, stream.handler());
            parent.tell(ADDRESS, worker.address().toHex());
            stream.run(new DemoPatience(parent, check, errors));
            final WorkerStatistics last = worker.statistics();
            final CloseReport report = worker.close(CloseMode.FLUSH, CLOSE_TIMEOUT);
            addStream(result, check);
            result.put("released_elsewhere", stream.releasedElsewhere());
            addAudit(result, last, report);
        }
        parent.tell(RESULT, result.toString());
        return ExitCode.RIGHT;
    }

    private static void addStream(final ResultLine result, final StreamCheck check) {
        result.put("complete", check.isComplete())
            .put("bytes", check.bytes())
            .put("messages", check.arrived())
            .put("wrong", check.wrong())
            .put("crc", check.crc())
            .put("elapsed_ns", check.elapsedNs());
    }

    /** What a worker says of itself at its end. */
    static void addAudit(final ResultLine result, final WorkerStatistics last, final CloseReport report) {
        result.put("in_use", last.poolInUse())
            .put("leaks", report.leaks().size())
            .put("refused", last.poolRefused())
            .put("dropped", last.dropped())
            .put("violations", last.violations());
    }
}
