package io.heddle.tools;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.ConnectionRequest;
import io.heddle.endpoints.Listener;
import io.heddle.worker.Worker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another JVM with a context and a listener, until it is killed. */
final class OwnerJvm implements AutoCloseable {
    private final Process process;

    private OwnerJvm(final Process process) {
        this.process = process;
    }

    /** Returns when it listens by {@code name}. */
    static OwnerJvm start(final Path directory, final String name) throws IOException {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("surefire.test.class.path",
                System.getProperty("java.class.path"))));
        command.addAll(1, JvmFlags.NEEDED);
        command.addAll(List.of(OwnerJvm.class.getName(), directory.toString(), name));
        final Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        if (process.getInputStream().read() != '!') {
            throw new IOException("the owner ended: name=" + name);
        }
        return new OwnerJvm(process);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** As {@code kill -9} does; returns when it is gone. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("does not end: pid=" + process.pid());
            }
        } catch (final InterruptedException ex) {
            throw new IllegalStateException("interrupted", ex);
        }
    }

    public static void main(final String[] arguments) throws IOException {
        try (Context context = Context.create(new ContextConfig().directory(Path.of(arguments[0])));
             Worker worker = Worker.create(context, ThreadMode.MULTI);
             Listener listener = Listener.create(worker, arguments[1], ConnectionRequest::accept)) {
            System.out.print(listener.name().isEmpty() ? '?' : '!');
            System.out.flush();
            while (System.in.read() >= 0) {
                continue;
            }
        }
    }
}
