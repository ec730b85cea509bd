package io.heddle.endpoints;

import static org.awaitility.Awaitility.await;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.worker.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.agrona.IoUtil;

/** Two workers of two contexts that share a fresh directory, progressed by the test's thread; nothing is connected. */
final class Pair implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(30);
    static final Duration LONG = Duration.ofSeconds(60);

    final Path directory;
    final Worker client;
    final Worker server;
    /** What the workers' error handlers were told. */
    final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final Context clientContext;
    private final Context serverContext;

    Pair(final ThreadMode mode) throws IOException {
        directory = Files.createTempDirectory(Path.of("/dev/shm"), "heddle-t");
        clientContext = Context.create(new ContextConfig().directory(directory));
        serverContext = Context.create(new ContextConfig().directory(directory));
        client = Worker.create(clientContext, mode, "client");
        server = Worker.create(serverContext, mode, "server");
        client.onError((worker, connection, status, error) -> errors.add(error));
        server.onError((worker, connection, status, error) -> errors.add(error));
    }

    static void until(final String what, final BooleanSupplier condition, final Worker... workers) {
        await(what).pollInSameThread().pollInterval(Duration.ofMillis(1)).atMost(LIMIT).until(() -> {
            for (final Worker worker : workers) {
                worker.progress();
            }
            return condition.getAsBoolean();
        });
    }

    void until(final String what, final BooleanSupplier condition) {
        until(what, condition, client, server);
    }

    /** Files of listener names, segments among them if any is left. */
    List<String> files(final String glob) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.matches(glob)).sorted()
                .toList();
        }
    }

    @Override
    public void close() {
        client.close(CloseMode.FORCE, Duration.ofSeconds(1));
        server.close(CloseMode.FORCE, Duration.ofSeconds(1));
        clientContext.close();
        serverContext.close();
        IoUtil.delete(directory.toFile(), true);
    }
}
