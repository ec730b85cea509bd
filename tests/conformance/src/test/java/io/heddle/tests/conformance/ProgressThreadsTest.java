package io.heddle.tests.conformance;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.context.Context;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.worker.HandlerPool;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two workers in one JVM, each progressed by a thread of its own, received data let go on further threads. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class ProgressThreadsTest {
    private static final int ID = 40;
    private static final int MESSAGES = 2000;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldPassEveryMessageToHandlersOnOtherThreads(final ThreadMode mode) {
        final AtomicIntegerArray handled = new AtomicIntegerArray(MESSAGES);
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        try (Context senders = Context.create(); Context receivers = Context.create();
             Worker left = Worker.create(senders, mode, "left"); Worker right = Worker.create(receivers, mode, "right");
             HandlerPool pool = HandlerPool.builder(right).handlers(2).handler((id, data, connection) -> {
                 try {
                     final int number = data.getInt(0);
                     handled.incrementAndGet(number);
                     assertEquals(Payload.at(number, number), data.getByte(sizeOf(number) - 1));
                 } catch (final Throwable ex) {
                     failure.set(ex);
                 }
             }).start()) {
            right.onActiveMessage(ID, pool.asHandler());
            final Endpoint there = Endpoint.create(left, right.address());
            try (ProgressThread progress = start(right)) {
                sendAll(left, there);
                await("handled").atMost(LIMIT).until(() -> pool.handled() == MESSAGES || failure.get() != null);
                assertEquals(null, failure.get());
                assertEquals(right, progress.worker());
            }
            final int[] counts = new int[MESSAGES];
            Arrays.setAll(counts, handled::get);
            assertEquals(MESSAGES, Arrays.stream(counts).filter(count -> count == 1).count());
            Duo.until(right, "all came back", () -> right.statistics().poolInUse() == 0);
            assertEquals(0, right.statistics().poolRefused() + right.statistics().violations());
        }
    }

    private static int sizeOf(final int number) {
        return 8 + number * 37 % 9000;
    }

    private static void sendAll(final Worker left, final Endpoint there) {
        Request last = null;
        for (int i = 0; i < MESSAGES; i++) {
            final UnsafeBuffer data = Payload.heap(sizeOf(i), 0);
            data.putInt(0, i);
            data.putByte(sizeOf(i) - 1, Payload.at(i, i));
            last = there.sendActiveMessage(ID, null, data, 0, sizeOf(i));
        }
        assertEquals(Status.OK, there.flush().await(LIMIT));
        assertEquals(Status.OK, last.status());
        assertEquals(MESSAGES, left.statistics().messagesSent());
    }

    private static ProgressThread start(final Worker worker) {
        return worker.threadMode() == ThreadMode.SERIALIZED ? ProgressThread.start(worker, new ReentrantLock())
            : ProgressThread.start(worker);
    }
}
