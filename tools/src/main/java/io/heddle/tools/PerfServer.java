package io.heddle.tools;

import io.heddle.context.Context;
import io.heddle.context.Status;
import io.heddle.worker.Connection;
import io.heddle.worker.Worker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The receiving side of a measurement: one thread that progresses one worker until the client says stop. */
@Command(name = "perftest-server", hidden = true)
final class PerfServer implements Callable<Integer> {
    /** The word that carries the worker's address, in hex. */
    static final String ADDRESS = "address";
    /** The id of measured messages. */
    static final int PING = 1;
    /** The id of replies. */
    static final int PONG = 2;

    private static final int CALLS_BETWEEN_LOOKS = 1000;

    @Mixin
    private PerftestOptions options;

    @Override
    public Integer call() throws IOException {
        final ChildChannel parent = ChildChannel.open();
        serve(options, hex -> parent.tell(ADDRESS, hex));
        return ExitCode.RIGHT;
    }

    /** Serves one client; {@code whenReady} gets the address. */
    static void serve(final PerftestOptions options, final Consumer<String> whenReady) throws IOException {
        final ControlPage page = ControlPage.open(Path.of(options.page));
        HotThread.pin(options.cpu(1));
        try (Context context = Context.create();
             Worker worker = Worker.create(context, options.mode, "perftest-server");
             Receiver receiver = Receiver.of(options, worker, page)) {
            worker.onActiveMessage(PING, receiver.handler());
            worker.onError(PerfServer::onError);
            whenReady.accept(worker.address().toHex());
            progress(worker, receiver, page, new Idler(worker, options.isSpinning()));
            worker.onActiveMessage(PING, null);
        }
    }

    /** A peer that goes away is how every run ends; anything that was thrown is not. */
    private static void onError(
        final Worker worker,
        final Connection connection,
        final Status status,
        final Throwable problem) {
        if (problem != null) {
            System.err.println("perftest-server: status=" + status + " " + OneLineErrors.oneLine(problem));
        }
    }

    private static void progress(
        final Worker worker,
        final Receiver receiver,
        final ControlPage page,
        final Idler idler) {
        while (page.running()) {
            boolean slept = false;
            for (int i = 0; i < CALLS_BETWEEN_LOOKS && !slept; i++) {
                final int work = worker.progress();
                if (work > 0) {
                    receiver.progressed();
                }
                slept = idler.idle(work);
            }
        }
    }
}
