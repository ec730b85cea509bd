package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.ConnectionRequest;
import io.heddle.endpoints.Endpoint;
import io.heddle.endpoints.Listener;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Request;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers that sleep in an application's own selector, over shared memory: what wakes them, and how often. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class AsleepTest {
    private static final int ID = 9;
    private static final int BYTES = 48;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.4/efd", "6.4/event.am_no_fc", "6.4/event.sig_am"})
    void shouldBeReadableOnceForAMessageAndBusyUntilItIsProgressed(final ThreadMode mode) throws IOException {
        try (Duo duo = Duo.of(mode); SelectorLoop loop = new SelectorLoop(duo.right)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            duo.settle();
            for (int i = 0; i < 20; i++) {
                SelectorLoop.fallAsleep(duo.right);
                assertEquals(Set.of(), loop.ready(), "idle");
                final long before = duo.right.statistics().wakeUps();
                send(duo, i);
                send(duo, i);
                assertEquals(Set.of(duo.right), loop.sleep());
                assertEquals(before + 1, duo.right.statistics().wakeUps(), "one event for two messages");
                assertEquals(Status.BUSY, duo.right.arm());
                assertEquals(Set.of(duo.right), loop.ready(), "arming in vain empties nothing");
                SelectorLoop.fallAsleep(duo.right);
                assertEquals(Set.of(), loop.ready());
                assertEquals(2 * i + 2, inbox.size());
                Payload.check(inbox.last().dataBuffer(), BYTES, i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("W2")
    void shouldUseSharedMemoryWhetherItMaySleepOrNot(final ThreadMode mode) {
        for (final boolean isWakeUpOn : new boolean[] {true, false}) {
            try (Duo duo = Duo.of(mode, new ContextConfig().wakeup(isWakeUpOn))) {
                assertTrue(duo.there.describe().contains("transport=shm"), duo.there::describe);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.4/signal")
    void shouldBeReadableForSignalsOnceAndBusyOnceForOneBefore(final ThreadMode mode) throws IOException {
        try (Duo duo = Duo.of(mode); SelectorLoop loop = new SelectorLoop(duo.right)) {
            duo.settle();
            assertEquals(Set.of(), loop.ready());
            SelectorLoop.fallAsleep(duo.right);
            duo.right.signal();
            duo.right.signal();
            assertEquals(Set.of(duo.right), loop.sleep());
            assertEquals(Status.BUSY, duo.right.arm());
            assertEquals(Status.OK, duo.right.arm());
            assertEquals(Set.of(), loop.ready(), "one event for two signals");
            duo.right.signal();
            loop.sleep();
            duo.right.signal();
            assertEquals(Status.BUSY, duo.right.arm());
            assertEquals(Status.OK, duo.right.arm());
            assertEquals(Set.of(), loop.ready());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.4/external_epollfd.epoll_wait")
    void shouldShareASelectorWithTheApplicationsOtherChannels(final ThreadMode mode) throws IOException {
        final Pipe own = Pipe.open();
        try (Duo duo = Duo.of(mode); SelectorLoop loop = new SelectorLoop(duo.left, duo.right)) {
            own.source().configureBlocking(false);
            own.source().register(loop.selector, SelectionKey.OP_READ, "own");
            final Inbox inbox = Inbox.on(duo.right, ID);
            duo.settle();
            SelectorLoop.fallAsleep(duo.left);
            SelectorLoop.fallAsleep(duo.right);
            own.sink().write(ByteBuffer.wrap(new byte[1]));
            assertEquals(Set.of("own"), loop.sleep());
            assertEquals(1, own.source().read(ByteBuffer.allocate(1)));
            send(duo, 1);
            assertEquals(Set.of(duo.right), loop.sleep());
            SelectorLoop.fallAsleep(duo.right);
            assertEquals(1, inbox.size());
            duo.left.signal();
            assertEquals(Set.of(duo.left), loop.sleep());
        } finally {
            own.source().close();
            own.sink().close();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.4/event.am_with_fc", "6.4/tx_wait"})
    void shouldBeWokenByRoomAndOnceForAllThatFilledTheLane(final ThreadMode mode) throws IOException {
        try (Duo duo = Duo.of(mode); SelectorLoop loop = new SelectorLoop(duo.left, duo.right)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            duo.settle();
            SelectorLoop.fallAsleep(duo.right);
            final long before = duo.right.statistics().wakeUps();
            final int filled = duo.fill(duo.there, ID, Payload.heap(BYTES, 1));
            final Request waiting = duo.there.sendActiveMessage(ID, null, Payload.heap(BYTES, 2), 0, BYTES);
            assertEquals(Status.IN_PROGRESS, waiting.status());
            assertEquals(Set.of(duo.right), loop.sleep());
            assertEquals(before + 1, duo.right.statistics().wakeUps());
            SelectorLoop.fallAsleep(duo.left);
            SelectorLoop.fallAsleep(duo.right);
            assertEquals(Set.of(duo.left), loop.sleep());
            SelectorLoop.fallAsleep(duo.left);
            assertEquals(Status.OK, waiting.status());
            assertEquals(Set.of(duo.right), loop.sleep());
            SelectorLoop.fallAsleep(duo.right);
            assertEquals(filled + 1, inbox.size());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.4/tx_wait")
    void shouldSendALotWhileSleepingWheneverThereIsNoRoom(final ThreadMode mode) throws IOException {
        final ReentrantLock lock = new ReentrantLock();
        try (Duo duo = Duo.of(mode); SelectorLoop loop = new SelectorLoop(duo.left)) {
            Inbox.on(duo.right, ID);
            duo.settle();
            try (ProgressThread receiving = mode == ThreadMode.SERIALIZED ? ProgressThread.start(duo.right, lock)
                : ProgressThread.start(duo.right)) {
                assertTrue(receiving.thread().isAlive());
                final UnsafeBuffer data = Payload.heap(300_000, 3);
                for (int i = 0; i < 30; i++) {
                    final Request sent = duo.there.sendActiveMessage(ID, null, data, 0, data.capacity());
                    loop.until(sent::isDone);
                    assertEquals(Status.OK, sent.status());
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldBeWokenByTheReleaseOfKeptDataAndThePeerByTheCredit(final ThreadMode mode) throws IOException {
        try (Duo duo = Duo.of(mode); SelectorLoop loop = new SelectorLoop(duo.left, duo.right)) {
            final List<ReceivedData> kept = new ArrayList<>();
            duo.right.onActiveMessage(ID, message -> kept.add(message.retain()));
            final UnsafeBuffer data = Payload.heap(64 * 1024, 4);
            for (int i = 0; i < 100; i++) {
                final Request sent = duo.there.sendActiveMessage(ID, null, data, 0, data.capacity());
                loop.until(() -> sent.isDone() && !kept.isEmpty());
                kept.remove(0).releaseAsync();
                loop.until(() -> duo.right.statistics().poolInUse() == 0);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/sockaddr.with_wakeup")
    void shouldConnectByNameTalkAndPartWhileAsleep(final ThreadMode mode) throws IOException {
        try (Duo duo = Duo.of(mode); SelectorLoop loop = new SelectorLoop(duo.left, duo.right)) {
            final Inbox right = Inbox.on(duo.right, ID);
            final Inbox left = Inbox.on(duo.left, ID);
            final List<Endpoint> accepted = new ArrayList<>();
            final List<Status> ended = new ArrayList<>();
            try (Listener listener = Listener.create(duo.right, "asleep-" + mode,
                request -> accepted.add(accepted(request, ended)))) {
                final Endpoint client = Endpoint.create(duo.left, listener.name());
                loop.until(client::isConnected);
                loop.until(() -> !accepted.isEmpty());
                client.sendActiveMessage(ID, null, Payload.heap(BYTES, 1), 0, BYTES);
                loop.until(() -> right.size() == 1);
                accepted.get(0).sendActiveMessage(ID, null, Payload.heap(BYTES, 2), 0, BYTES);
                loop.until(() -> left.size() == 1);
                Payload.check(right.last().dataBuffer(), BYTES, 1);
                Payload.check(left.last().dataBuffer(), BYTES, 2);
                assertFalse(client.close(CloseMode.FLUSH, Duo.LIMIT).isTimedOut());
                loop.until(() -> !ended.isEmpty());
                assertEquals(List.of(Status.CONNECTION_RESET), ended);
                accepted.get(0).close(CloseMode.FORCE, Duo.LIMIT);
            }
        }
    }

    private static void send(final Duo duo, final int seed) {
        assertEquals(Status.OK, duo.there.trySendActiveMessage(ID, null, Payload.heap(BYTES, seed), 0, BYTES));
    }

    private static Endpoint accepted(final ConnectionRequest request, final List<Status> ended) {
        final Endpoint endpoint = request.accept();
        endpoint.onError((failed, status, reason) -> ended.add(status));
        return endpoint;
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldBeWokenByAPeersForcedEnd(final ThreadMode mode) throws IOException {
        try (Duo duo = Duo.of(mode); SelectorLoop loop = new SelectorLoop(duo.left)) {
            final List<Status> ended = new ArrayList<>();
            duo.there.onError((failed, status, reason) -> ended.add(status));
            duo.settle();
            SelectorLoop.fallAsleep(duo.left);
            duo.right.close(CloseMode.FORCE, Duo.LIMIT);
            loop.until(() -> !ended.isEmpty());
            assertEquals(List.of(Status.CONNECTION_RESET), ended);
        }
    }
}
