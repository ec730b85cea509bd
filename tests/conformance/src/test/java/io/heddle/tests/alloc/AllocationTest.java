package io.heddle.tests.alloc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.ActiveMessageHandler;
import io.heddle.worker.HandlerPool;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Heap bytes per message on a worker that is connected to itself, so that one thread sends and receives and is all
 * there is to measure. 8 bytes go in a slot, 512 through the byte ring, 4 KiB in a descriptor.
 */
@Timeout(60)
final class AllocationTest {
    private static final int WARM_UP = 20_000;
    private static final int ROUNDS = 20_000;
    /** Each waits for another thread. */
    private static final int POOL_ROUNDS = 2_000;
    /** The least of so many measurements is the steady state: the JVM links and grows things now and then. */
    private static final int LOOKS = 3;
    private static final double NOTHING = 0.01;
    private static final double HANDLE_BYTES = 32;
    private static final int ID = 7;
    private static final ThreadMXBean METER = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final UnsafeBuffer data = new UnsafeBuffer(new byte[8192]);
    private final UnsafeBuffer copy = new UnsafeBuffer(new byte[8192]);
    private final ReceivedData mine = new ReceivedData();
    private Path directory;
    private Context context;
    private Worker worker;
    private Endpoint endpoint;
    private long received;

    static Stream<Arguments> modesAndSizes() {
        return Stream.of(ThreadMode.values())
            .flatMap(mode -> Stream.of(8, 512, 4096).map(bytes -> Arguments.of(mode, bytes)));
    }

    @BeforeEach
    void makeDirectory() throws IOException {
        directory = Files.createTempDirectory(Path.of("/dev/shm"), "heddle-alloc-");
    }

    @AfterEach
    void close() throws IOException {
        if (endpoint != null) {
            endpoint.close();
        }
        if (worker != null) {
            worker.close();
        }
        if (context != null) {
            context.close();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted((a, b) -> b.compareTo(a)).forEach(path -> path.toFile().delete());
        }
    }

    @ParameterizedTest
    @MethodSource("modesAndSizes")
    void shouldAllocateNothingToSendAndConsume(final ThreadMode mode, final int bytes) {
        open(mode, message -> received += message.data().capacity());
        assertBytesPerMessage(NOTHING, () -> send(bytes));
    }

    @ParameterizedTest
    @MethodSource("modesAndSizes")
    void shouldAllocateNothingToTrySendAndCopy(final ThreadMode mode, final int bytes) {
        open(mode, message -> received += message.copyTo(copy, 0));
        assertBytesPerMessage(NOTHING, () -> trySend(bytes));
    }

    @ParameterizedTest
    @MethodSource("modesAndSizes")
    void shouldAllocateNothingToRetainIntoAndRelease(final ThreadMode mode, final int bytes) {
        open(mode, message -> {
            message.retainInto(mine);
            received += mine.lengthBytes();
        });
        assertBytesPerMessage(NOTHING, () -> {
            trySend(bytes);
            if (mine.isHeld()) {
                mine.release();
            }
        });
    }

    @ParameterizedTest
    @MethodSource("modesAndSizes")
    void shouldAllocateNothingToReleaseLater(final ThreadMode mode, final int bytes) {
        open(mode, message -> {
            message.retainInto(mine);
            received += mine.lengthBytes();
        });
        assertBytesPerMessage(NOTHING, () -> {
            trySend(bytes);
            if (mine.isHeld()) {
                mine.releaseAsync();
            }
        });
    }

    @ParameterizedTest
    @MethodSource("modesAndSizes")
    void shouldAllocateAHandleAtMostToRetain(final ThreadMode mode, final int bytes) {
        final ReceivedData[] kept = new ReceivedData[1];
        open(mode, message -> {
            kept[0] = message.retain();
            received += kept[0].lengthBytes();
        });
        assertBytesPerMessage(HANDLE_BYTES + NOTHING, () -> {
            trySend(bytes);
            if (kept[0] != null) {
                kept[0].release();
                kept[0] = null;
            }
        });
    }

    /** Counts on the handler's thread too. */
    @ParameterizedTest
    @MethodSource("modesAndSizes")
    void shouldAllocateNothingInAHandlerPool(final ThreadMode mode, final int bytes) {
        open(mode, message -> { });
        final AtomicLong handled = new AtomicLong();
        final AtomicLong handlerBytes = new AtomicLong();
        try (HandlerPool pool = HandlerPool.builder(worker).handlers(1).handler((id, message, connection) -> {
            handlerBytes.setOpaque(METER.getCurrentThreadAllocatedBytes()); // Partner: sendThroughPool.
            handled.setRelease(handled.getPlain() + 1); // Partner: sendThroughPool.
            }).start()) {
            worker.onActiveMessage(ID, pool.asHandler());
            final Runnable round = () -> sendThroughPool(bytes, handled);
            repeat(POOL_ROUNDS, round);
            check(NOTHING, POOL_ROUNDS,
                () -> METER.getCurrentThreadAllocatedBytes() + handlerBytes.getOpaque(), round);
        }
    }

    private void open(final ThreadMode mode, final ActiveMessageHandler handler) {
        context = Context.create(new ContextConfig().directory(directory));
        worker = Worker.create(context, mode, "alloc");
        worker.onActiveMessage(ID, handler);
        endpoint = Endpoint.create(worker, worker.address());
        while (!endpoint.isConnected()) {
            worker.progress();
        }
    }

    private void send(final int bytes) {
        final Request request = endpoint.sendActiveMessage(ID, null, data, 0, bytes);
        while (!request.isDone()) {
            worker.progress();
        }
        worker.progress();
    }

    private void trySend(final int bytes) {
        while (endpoint.trySendActiveMessage(ID, null, data, 0, bytes) == Status.NO_RESOURCE) {
            worker.progress();
        }
        worker.progress();
    }

    private void sendThroughPool(final int bytes, final AtomicLong handled) {
        final long before = handled.getPlain();
        trySend(bytes);
        while (handled.getAcquire() == before) { // Partner: the handler.
            worker.progress();
        }
    }

    private void assertBytesPerMessage(final double limit, final Runnable round) {
        final long receivedBefore = received;
        repeat(WARM_UP, round);
        check(limit, ROUNDS, METER::getCurrentThreadAllocatedBytes, round);
        assertTrue(received > receivedBefore, "messages arrived");
        assertEquals(Status.OK, endpoint.status());
    }

    private static void repeat(final int count, final Runnable round) {
        for (int i = 0; i < count; i++) {
            round.run();
        }
    }

    private static void check(final double limit, final int rounds, final LongSupplier meter, final Runnable round) {
        double least = Double.MAX_VALUE;
        for (int i = 0; i < LOOKS && least >= limit; i++) {
            final long before = meter.getAsLong();
            repeat(rounds, round);
            least = Math.min(least, (meter.getAsLong() - before) / (double) rounds);
        }
        final double perMessage = least;
        assertTrue(perMessage < limit, () -> "heap bytes per message=" + perMessage + " limit=" + limit);
    }
}
