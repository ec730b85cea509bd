package io.heddle.tests.benchmarks;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A worker with a runtime directory of its own, connected to itself. Confined to the thread that uses the worker. */
final class WorkerFixture implements AutoCloseable {
    final Worker worker;
    private final Path directory;
    private final Context context;

    WorkerFixture(final ThreadMode mode) throws IOException {
        directory = Files.createTempDirectory(Path.of("/dev/shm"), "heddle-jmh-");
        context = Context.create(new ContextConfig().directory(directory));
        worker = Worker.create(context, mode, "benchmark");
    }

    Endpoint connect() {
        final Endpoint endpoint = Endpoint.create(worker, worker.address());
        while (!endpoint.isConnected()) {
            worker.progress();
        }
        return endpoint;
    }

    @Override
    public void close() throws IOException {
        worker.close();
        context.close();
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted((a, b) -> b.compareTo(a)).forEach(path -> path.toFile().delete());
        }
    }
}
