package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Being told when to go on, over shared memory: for the ring, for descriptors, at the pending limit, and asleep. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class WritableEndpointTest {
    private static final int ID = 33;
    private static final int KIB = 1024;
    private static final UnsafeBuffer SMALL = Payload.heap(8, 0);

    private final List<String> told = new ArrayList<>();

    private void ask(final Endpoint endpoint, final String name) {
        assertEquals(Status.OK, endpoint.onWritable(() -> told.add(name)));
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellOnceThatTheRingHasRoom(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            for (int round = 1; round <= 3; round++) {
                final int all = inbox.size() + duo.fill(duo.there, ID, Payload.heap(round * 400, 0));
                assertFalse(duo.there.isWritable());
                ask(duo.there, "room");
                for (int i = 0; i < 100; i++) {
                    duo.left.progress();
                }
                assertEquals(round - 1, told.size());
                duo.until("received", () -> inbox.size() == all);
                duo.settle();
                assertEquals(round, told.size());
                assertTrue(duo.there.isWritable());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellThatADescriptorCanBeHadAfterARelease(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode, new ContextConfig().poolLimitBytes(64 * KIB))) {
            final List<ReceivedData> kept = new ArrayList<>();
            duo.right.onActiveMessage(ID, message -> kept.add(message.retain()));
            final UnsafeBuffer data = Payload.heap(16 * KIB, 1);
            for (int i = 1; i <= 4; i++) {
                final int all = i;
                duo.until("descriptor", () -> duo.there.trySendActiveMessage(ID, null, data, 0, 16 * KIB)
                    == Status.OK);
                duo.until("kept", () -> kept.size() == all);
            }
            duo.settle();
            assertEquals(Status.NO_RESOURCE, duo.there.trySendActiveMessage(ID, null, data, 0, 16 * KIB));
            ask(duo.there, "credit");
            duo.settle();
            assertEquals(List.of(), told);
            kept.get(0).close();
            duo.until("told", () -> !told.isEmpty());
            assertEquals(Status.OK, duo.there.trySendActiveMessage(ID, null, data, 0, 16 * KIB));
            duo.until("kept", () -> kept.size() == 5);
            kept.stream().skip(1).forEach(ReceivedData::close);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellAfterThePendingLimitWasReachedAndWhenTheConnectionStands(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode, new ContextConfig().sendPendingMax(16))) {
            final Endpoint fresh = Endpoint.create(duo.left, duo.right.address());
            final Inbox inbox = Inbox.on(duo.right, ID);
            final List<Request> requests = new ArrayList<>();
            Request last;
            do {
                last = fresh.sendActiveMessage(ID, null, Payload.heap(8, requests.size()), 0, 8);
                requests.add(last);
            } while (last.status() != Status.NO_RESOURCE);
            assertEquals(17, requests.size());
            ask(fresh, "drained");
            duo.until("told", () -> !told.isEmpty());
            assertTrue(requests.stream().limit(16).allMatch(request -> request.status() == Status.OK));
            assertTrue(fresh.sendActiveMessage(ID, null, Payload.heap(8, 16), 0, 8).isDone());
            duo.until("all", () -> inbox.size() == 17);
            for (int i = 0; i < 17; i++) {
                Payload.check(inbox.get(i).dataBuffer(), 8, i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellSendersWhileBothWorkersSleepBetween(final ThreadMode mode) throws Exception {
        final int rounds = 20;
        try (Duo duo = Duo.of(mode)) {
            final AtomicInteger received = new AtomicInteger();
            duo.right.onActiveMessage(ID, message -> received.incrementAndGet());
            final Semaphore writable = new Semaphore(0);
            int sent = 0;
            final Lock lock = new ReentrantLock();
            try (ProgressThread left = mode == ThreadMode.SERIALIZED ? ProgressThread.start(duo.left, lock)
                : ProgressThread.start(duo.left)) {
                for (int i = 0; i < rounds; i++) {
                    final int before = sent;
                    final FutureTask<Integer> filling = new FutureTask<>(() -> {
                        final int more = duo.fill(duo.there, ID, SMALL);
                        assertEquals(Status.OK, duo.there.onWritable(writable::release));
                        return before + more;
                    });
                    if (mode == ThreadMode.SINGLE) {
                        left.execute(filling);
                    } else {
                        lock.lock(); // for SERIALIZED; the progress thread sleeps without it
                        try {
                            filling.run();
                        } finally {
                            lock.unlock();
                        }
                    }
                    sent = filling.get();
                    final int all = sent;
                    Duo.until(duo.right, "received", () -> received.get() == all);
                    duo.right.progress();
                    assertTrue(writable.tryAcquire(20, TimeUnit.SECONDS), duo.left::describe);
                }
                assertTrue(left.thread().isAlive());
            }
            assertEquals(0, writable.availablePermits());
        }
    }
}
