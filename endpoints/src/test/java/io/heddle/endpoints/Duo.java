package io.heddle.endpoints;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.worker.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.agrona.IoUtil;

/**
 * Two workers of one context in a fresh directory, connected over shared memory, progressed by the test's thread, which
 * owns them in SINGLE.
 */
final class Duo implements AutoCloseable {
    private static final long LIMIT_NS = 10_000_000_000L;

    final Path directory;
    final Context context;
    final Worker near;
    final Worker far;
    final Endpoint endpoint;

    Duo(final ThreadMode mode, final ContextConfig config) throws IOException {
        directory = Files.createTempDirectory(Path.of("/dev/shm"), "heddle-t");
        context = Context.create(config.directory(directory));
        near = Worker.create(context, mode);
        far = Worker.create(context, mode);
        endpoint = Endpoint.create(near, far.address());
        until(endpoint::isConnected);
    }

    void until(final BooleanSupplier condition) {
        final long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            near.progress();
            far.progress();
            if (System.nanoTime() - start > LIMIT_NS) {
                throw new AssertionError("not within ten seconds");
            }
        }
    }

    @Override
    public void close() {
        near.close(CloseMode.FORCE, Duration.ofSeconds(1));
        far.close(CloseMode.FORCE, Duration.ofSeconds(1));
        context.close();
        IoUtil.delete(directory.toFile(), true);
    }
}
