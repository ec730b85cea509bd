package io.heddle.tests.benchmarks;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * How long it takes from {@code Endpoint.create} until the connection stands, and until the answer to a first message
 * of eight bytes is here; between two JVMs, one connection after the other. The server sleeps when it has nothing to
 * do, the client spins.
 *
 * <pre> java --add-opens java.base/jdk.internal.misc=ALL-UNNAMED -cp … ConnectFigures [rounds] </pre>
 */
public final class ConnectFigures {
    private static final int ID = 1;
    private static final int WARM_UP = 500;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private ConnectFigures() {
    }

    /**
     * Measures, or with the argument {@code serve} is the other side.
     *
     * @throws IOException if the other JVM cannot be started
     */
    public static void main(final String[] args) throws IOException {
        if (args.length > 0 && "serve".equals(args[0])) {
            serve(Path.of(args[1]));
        } else {
            measure(args.length == 0 ? 5000 : Integer.parseInt(args[0]));
        }
    }

    private static void serve(final Path directory) throws IOException {
        try (Context context = Context.create(new ContextConfig().directory(directory));
             Worker worker = Worker.create(context, ThreadMode.MULTI)) {
            worker.onActiveMessage(ID, message -> Endpoint.replyTo(message).sendActiveMessage(ID, null, null, 0, 0));
            try (ProgressThread progress = ProgressThread.start(worker)) {
                System.out.println(progress.worker().address().toHex());
                while (System.in.read() >= 0) {
                    // until the other side has gone
                }
            }
        }
    }

    private static void measure(final int rounds) throws IOException {
        final Path directory = Path.of("/dev/shm", "heddle-figures-" + ProcessHandle.current().pid());
        final Process server = new ProcessBuilder(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
            ConnectFigures.class.getName(), "serve", directory.toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        final Histogram connected = new Histogram(3);
        final Histogram answered = new Histogram(3);
        try (Context context = Context.create(new ContextConfig().directory(directory));
             Worker worker = Worker.create(context, ThreadMode.SINGLE);
             BufferedReader in = new BufferedReader(new InputStreamReader(server.getInputStream(),
                 StandardCharsets.US_ASCII))) {
            final WorkerAddress address = WorkerAddress.ofHex(in.readLine());
            final boolean[] answer = new boolean[1];
            worker.onActiveMessage(ID, message -> answer[0] = true);
            for (int i = -WARM_UP; i < rounds; i++) {
                if (i == 0) {
                    connected.reset();
                    answered.reset();
                }
                round(worker, address, answer, connected, answered);
            }
        } finally {
            server.getOutputStream().close();
            server.onExit().join();
            IoUtil.delete(directory.toFile(), true);
        }
        System.out.println(line("connected", connected));
        System.out.println(line("first_answer", answered));
    }

    private static void round(final Worker worker, final WorkerAddress address, final boolean[] answer,
        final Histogram connected, final Histogram answered) {
        answer[0] = false;
        final long start = System.nanoTime();
        final Endpoint endpoint = Endpoint.create(worker, address);
        endpoint.sendActiveMessage(ID, null, new UnsafeBuffer(new byte[Long.BYTES]), 0, Long.BYTES);
        while (!endpoint.isConnected()) {
            worker.progress();
        }
        connected.recordValue(System.nanoTime() - start);
        while (!answer[0]) {
            worker.progress();
        }
        answered.recordValue(System.nanoTime() - start);
        endpoint.close(CloseMode.FORCE, SECOND);
    }

    private static String line(final String what, final Histogram times) {
        return String.format("what=%s rounds=%d p50_us=%.1f p99_us=%.1f p999_us=%.1f max_us=%.1f", what,
            times.getTotalCount(), times.getValueAtPercentile(50) / 1000.0, times.getValueAtPercentile(99) / 1000.0,
            times.getValueAtPercentile(99.9) / 1000.0, times.getMaxValue() / 1000.0);
    }
}
