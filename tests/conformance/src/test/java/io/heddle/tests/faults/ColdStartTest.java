package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.ProgressThread;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Sixteen threads send a fresh worker's first messages, of sixteen sizes, at once. */
@ExtendWith(HygieneExtension.class)
@Timeout(300)
class ColdStartTest {
    private static final int[] SIZES = {0, 1, 23, 24, 25, 64, 500, 1024, 2023, 2024, 2025, 8000, 65_000, 65_536, 70_000,
        300_000};

    @Test
    @StandsFor("T3")
    @Tag("scaled")
    void shouldSendSixteenFirstMessagesOfSixteenSizes() throws Exception {
        final int goal = TestScale.count(8, 1000);
        final long start = System.nanoTime();
        int rounds = 0;
        for (; rounds < goal && !TestScale.isOver(start); rounds++) {
            try (Rig rig = Rig.open(ThreadMode.MULTI)) {
                first(rig);
                rig.assertBalance();
            }
        }
        TestScale.report("T3 cold start rounds=%d of=%d", rounds, goal);
    }

    private static void first(final Rig rig) throws Exception {
        final AtomicInteger received = new AtomicInteger();
        final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
        rig.receiver.onError((worker, connection, status, error) -> problems.add(error));
        rig.receiver.onActiveMessage(Rig.ID, message -> {
            Rig.assertRight(message);
            received.incrementAndGet();
        });
        final CyclicBarrier barrier = new CyclicBarrier(SIZES.length);
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < SIZES.length; i++) {
            final int sender = i;
            threads.add(new Thread(() -> {
                try {
                    final byte[] payload = Stamp.payload(sender, SIZES[sender]);
                    final UnsafeBuffer header = Stamp.of(sender, 0, payload, payload.length);
                    barrier.await();
                    assertEquals(Status.OK, rig.endpoint.sendActiveMessage(Rig.ID, header, new UnsafeBuffer(payload), 0,
                        payload.length).await(Rig.LIMIT));
                } catch (final Exception | Error ex) {
                    problems.add(ex);
                }
            }, "first-" + i));
            threads.get(i).start();
        }
        final ProgressThread progress = ProgressThread.start(rig.receiver);
        try {
            for (final Thread thread : threads) {
                thread.join();
            }
        } finally {
            progress.close();
        }
        rig.until("all received", () -> received.get() == SIZES.length);
        assertEquals(List.of(), List.copyOf(problems));
    }
}
