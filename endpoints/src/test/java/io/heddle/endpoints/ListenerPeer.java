package io.heddle.endpoints;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.worker.Worker;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Another JVM that listens or connects. It prints one word when it has, and stays until killed, or until it is told
 * something.
 */
final class ListenerPeer implements AutoCloseable {
    private final Process process;
    private final BufferedReader lines;

    ListenerPeer(final String mode, final Path directory, final int count) throws IOException {
        process = new ProcessBuilder(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            ListenerPeer.class.getName(), mode, directory.toString(), Integer.toString(count)))
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        lines = process.inputReader(StandardCharsets.UTF_8);
    }

    /** What it prints next; null at its end. */
    String line() throws IOException {
        return lines.readLine();
    }

    long pid() {
        return process.pid();
    }

    /** Kills it as {@code kill -9} does, and returns when it is gone. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (final InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(final String[] arguments) throws IOException {
        final int count = Integer.parseInt(arguments[2]);
        try (Context context = Context.create(new ContextConfig().directory(Path.of(arguments[1])));
            Worker worker = Worker.create(context, ThreadMode.SINGLE)) {
            if (arguments[0].equals("listen")) {
                Listener.create(worker, "prices", ConnectionRequest::accept);
                System.out.println("listening");
            } else {
                final List<Endpoint> endpoints = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    endpoints.add(Endpoint.create(worker, "prices"));
                }
                System.out.println("asked");
                Pair.until("every one has an outcome", () ->
                    endpoints.stream().allMatch(each -> each.isConnected() || each.failure() != null), worker);
                System.out.println(endpoints.stream().filter(Endpoint::isConnected).count() + " connected");
            }
            while (System.in.available() == 0) {
                worker.progress();
                worker.arm();
                worker.await(Duration.ofMillis(10));
            }
        }
    }
}
