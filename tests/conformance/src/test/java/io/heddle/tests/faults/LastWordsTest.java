package io.heddle.tests.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.base.TestSeed;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.Worker;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is sent last: the sender closes at once, and the receiver's progress thread is not started yet, or starting. */
@ExtendWith(HygieneExtension.class)
@Timeout(3600)
class LastWordsTest {
    private static final int SLOTS = 16;
    private static final int[] COUNTS = {1, 2, SLOTS - 1, SLOTS};
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final Lock lock = new ReentrantLock();
    private volatile int received;
    private volatile boolean isWrong;

    private void onMessage(final ActiveMessage message) {
        isWrong |= !Stamp.isRight(message.header(), message.data()) || Stamp.sequence(message.header()) != received;
        received++; // by the dispatcher alone
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"C3", "6.9/wireup.send_disconnect_onesided"})
    @Tag("scaled")
    void shouldDeliverWhatWasFlushedHoweverLateTheReceiverStarts(final ThreadMode mode, final TestSeed seed) {
        final Random random = seed.random();
        final ContextConfig config = new ContextConfig().ringSlots(SLOTS);
        try (Context senders = Context.create(config); Context receivers = Context.create(config)) {
            for (int round = 0; round < TestScale.count(100, 10_000); round++) {
                oneRound(senders, receivers, mode, COUNTS[round % COUNTS.length], random);
            }
        }
    }

    private void oneRound(final Context senders, final Context receivers, final ThreadMode mode, final int count,
        final Random random) {
        received = 0;
        final Worker sender = Worker.create(senders, mode, "sender");
        final Worker receiver = Worker.create(receivers, mode, "receiver");
        receiver.onActiveMessage(Rig.ID, this::onMessage);
        final Endpoint endpoint = Endpoint.create(sender, receiver.address());
        for (int i = 0; i < count; i++) {
            final byte[] payload = Stamp.payload(i, 8);
            endpoint.sendActiveMessage(Rig.ID, Stamp.of(1, i, payload, 8), new UnsafeBuffer(payload), 0, 8);
        }
        final boolean isStarting = random.nextBoolean();
        ProgressThread progress = isStarting ? start(receiver) : null;
        // The worker's close is its endpoints' too.
        final CloseReport report = random.nextBoolean() ? endpoint.close(CloseMode.FLUSH, LIMIT)
            : sender.close(CloseMode.FLUSH, LIMIT);
        sender.close(CloseMode.FORCE, LIMIT);
        if (!isStarting) {
            progress = start(receiver);
        }
        assertEquals(CloseReport.CLEAN, report);
        await("delivered").pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).atMost(LIMIT)
            .until(() -> received == count);
        progress.close(CloseMode.FLUSH, LIMIT);
        assertEquals(CloseReport.CLEAN, receiver.close(CloseMode.FLUSH, LIMIT));
        assertEquals(count, received);
        assertFalse(isWrong, "wrong bytes or order");
    }

    private ProgressThread start(final Worker worker) {
        return worker.threadMode() == ThreadMode.SERIALIZED ? ProgressThread.start(worker, lock)
            : ProgressThread.start(worker);
    }
}
