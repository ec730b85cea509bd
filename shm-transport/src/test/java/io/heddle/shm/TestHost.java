package io.heddle.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.context.ContextConfig;
import io.heddle.context.internal.RuntimeDirectory;
import io.heddle.context.spi.TransportContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.agrona.ErrorHandler;

/** A context's place in a test: a transport with its own runtime directory, whose close checks that nothing is left. */
final class TestHost implements AutoCloseable {
    /** Short where a test would have to wait, long where a slow machine might. */
    static final ControlTimings TIMINGS = new ControlTimings(
        TimeUnit.SECONDS.toNanos(20), TimeUnit.MILLISECONDS.toNanos(20), TimeUnit.MILLISECONDS.toNanos(5),
        TimeUnit.MILLISECONDS.toNanos(20));

    final List<Throwable> errors = new CopyOnWriteArrayList<>();
    final ShmTransport transport;
    private final RuntimeDirectory directory;
    private final List<TestWorker> workers = new ArrayList<>();

    TestHost(final Path path) {
        this(path, new ContextConfig(), TIMINGS);
    }

    TestHost(final Path path, final ContextConfig config, final ControlTimings timings) {
        directory = RuntimeDirectory.open(path);
        final ContextConfig concluded = config.directory(path).conclude();
        transport = new ShmTransport(new TransportContext() {
            @Override
            public long contextId() {
                return directory.contextId();
            }

            @Override
            public ContextConfig config() {
                return concluded;
            }

            @Override
            public RuntimeDirectory runtimeDirectory() {
                return directory;
            }

            @Override
            public ThreadFactory threadFactory() {
                return Thread::new;
            }

            @Override
            public ErrorHandler errorHandler() {
                return errors::add;
            }
        }, timings);
    }

    TestWorker worker(final String name) {
        final TestWorker worker = new TestWorker(transport, name);
        workers.add(worker);
        return worker;
    }

    /** Sockets and segments in a directory. */
    static List<String> leftovers(final Path path) {
        try (Stream<Path> files = Files.list(path)) {
            return files.map(file -> file.getFileName().toString())
                .filter(name -> name.endsWith(SegmentFile.SUFFIX) ||
                    name.endsWith(".sock")).collect(Collectors.toList());
        } catch (final IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    List<String> segmentFiles() {
        return leftovers(directory.path()).stream().filter(name -> name.endsWith(SegmentFile.SUFFIX))
            .collect(Collectors.toList());
    }

    Path socketPath() {
        return directory.file(".sock");
    }

    @Override
    public void close() {
        workers.forEach(TestWorker::close);
        transport.close();
        final boolean socketLeft = Files.exists(socketPath());
        directory.close();
        assertEquals(0, transport.gauge().liveMaps(), "live maps");
        assertEquals(0, transport.budget().usedBytes(), "charged bytes");
        assertEquals(false, socketLeft, "socket file left");
    }
}
