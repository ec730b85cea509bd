package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.ContextConfig;
import io.heddle.context.ContextConfig.PoolExhausted;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.WorkerStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a sender sees when ring, descriptors or memory run out, and that it goes on when there is room again. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class RoomTest {
    private static final int ID = 8;
    private static final int KIB = 1024;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/p2p_am.am_max_short_multi")
    void shouldGoOnAfterTheRingWasFull(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            int sent = 0;
            for (final int bytes : new int[] {8, 48, 2048}) {
                sent += duo.fill(duo.there, ID, Payload.heap(bytes, bytes));
                final int all = sent;
                duo.until("all were received", () -> inbox.size() == all);
                Payload.check(inbox.last().dataBuffer(), bytes, bytes);
                assertEquals(Status.OK, duo.there.trySendActiveMessage(ID, null, Payload.heap(8, 0), 0, 8));
                sent++;
            }
            duo.settle();
            assertEquals(sent, inbox.size());
            assertEquals(sent, duo.left.statistics().messagesSent());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/p2p_am.tx_max_bufs")
    void shouldGoOnAfterEveryDescriptorWasFull(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            final UnsafeBuffer data = Payload.heap(4096, 5);
            int sent = 0;
            for (int round = 0; round < 3; round++) {
                duo.until("descriptors", () -> duo.there.trySendActiveMessage(ID, null, data, 0, 4096) == Status.OK);
                sent += 1 + duo.fill(duo.there, ID, data);
                final int all = sent;
                duo.until("all were received", () -> inbox.size() == all);
            }
            assertTrue(sent > 3, "several were under way at once: " + sent);
            for (int i = 0; i < sent; i++) {
                Payload.check(inbox.get(i).dataBuffer(), 4096, 5);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/p2p_am.no_rx_buffs")
    void shouldRefuseWhileTheReceiverKeepsEveryDescriptorAndGoOnAfterARelease(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode, new ContextConfig().poolLimitBytes(64 * KIB))) {
            final List<ReceivedData> kept = keep(duo);
            final UnsafeBuffer data = Payload.heap(16 * KIB, 1);
            for (int i = 1; i <= 4; i++) {
                final int all = i;
                duo.until("descriptor", () -> trySend(duo.there, data) == Status.OK);
                duo.until("kept", () -> kept.size() == all);
            }
            duo.settle();
            assertEquals(Status.NO_RESOURCE, trySend(duo.there, data));
            duo.settle();
            assertEquals(Status.NO_RESOURCE, trySend(duo.there, data));
            assertEquals(Status.OK, trySend(duo.there, Payload.heap(8, 1)), "what needs no descriptor");

            for (int i = 0; i < 10; i++) {
                final int before = kept.size();
                final ReceivedData first = kept.remove(0);
                Payload.check(first, first.capacity(), 1);
                first.close();
                if (first.capacity() == data.capacity()) {
                    duo.until("the descriptor came back", () -> trySend(duo.there, data) == Status.OK);
                    duo.until("kept", () -> kept.size() == before);
                    duo.settle();
                    assertEquals(Status.NO_RESOURCE, trySend(duo.there, data));
                } else {
                    assertEquals(Status.OK, trySend(duo.there, Payload.heap(8, 1)));
                    duo.until("kept", () -> kept.size() == before);
                }
            }
            kept.forEach(ReceivedData::close);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldNeverKeepMoreThanThePoolLimitAndLoseNothing(final ThreadMode mode) {
        final int limit = 512 * KIB;
        try (Duo duo = Duo.of(mode, new ContextConfig().poolLimitBytes(limit).poolExhausted(PoolExhausted.WAIT))) {
            final List<ReceivedData> kept = keep(duo);
            int sent = 0;
            int checked = 0;
            for (int i = 0; i < 100; i++) {
                duo.there.sendActiveMessage(ID, null, Payload.heap(10_000 + i, i), 0, 10_000 + i);
                sent++;
            }
            while (checked < sent) {
                duo.until("more", () -> !kept.isEmpty());
                duo.settle();
                assertTrue(kept.size() * 16 * KIB <= limit, "kept=" + kept.size());
                for (final ReceivedData each : kept) {
                    Payload.check(each, 10_000 + checked, checked);
                    checked++;
                    each.close();
                }
                kept.clear();
            }
            final WorkerStatistics right = duo.right.statistics();
            assertEquals(sent, right.messagesReceived());
            assertEquals(0, right.bytesCopied());
            assertTrue(right.poolExhausted() > 0, right::toString);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldCopyWhatIsKeptWhenExhaustedSaysSo(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode, new ContextConfig().poolLimitBytes(1024 * KIB).poolExhausted(PoolExhausted.COPY))) {
            final List<ReceivedData> kept = keep(duo);
            for (int i = 0; i < 75; i++) {
                duo.send(duo.there, ID, null, Payload.heap(16_000, i));
            }
            duo.until("all were kept, more than the 64 descriptors there may be", () -> kept.size() == 75);
            assertTrue(duo.right.statistics().bytesCopied() > 0);
            for (int i = 0; i < 75; i++) {
                Payload.check(kept.get(i), 16_000, i);
                kept.get(i).close();
            }
            duo.until("all came back", () -> duo.right.statistics().poolInUse() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldRefuseToKeepMoreThanTheLimitAlsoByCopies(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode, new ContextConfig().poolLimitBytes(64 * KIB))) {
            final List<Status> refusals = new ArrayList<>();
            final List<ReceivedData> kept = new ArrayList<>();
            duo.right.onActiveMessage(ID, message -> {
                try {
                    kept.add(message.retain());
                } catch (final HeddleException ex) {
                    refusals.add(ex.status());
                }
            });
            for (int i = 0; i < 100; i++) {
                duo.send(duo.there, ID, null, Payload.heap(2000, i));
            }
            duo.until("messages", () -> kept.size() + refusals.size() == 100);
            assertTrue(kept.size() > 0 && kept.size() * 2 * KIB <= 64 * KIB, "kept=" + kept.size());
            assertTrue(refusals.stream().allMatch(status -> status == Status.NO_MEMORY), refusals::toString);
            kept.forEach(ReceivedData::close);
            kept.clear();
            duo.settle();
            duo.send(duo.there, ID, null, Payload.heap(2000, 1));
            duo.until("kept again", () -> kept.size() == 1);
            kept.get(0).close();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldGrowWhenStarvedAndShowIt(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            assertTrue(duo.right.describe().contains(" starved=0"), duo.right::describe);
            final List<ReceivedData> kept = keep(duo);
            for (int i = 0; i < 100; i++) {
                duo.send(duo.there, ID, null, Payload.heap(8192, i));
            }
            duo.until("kept", () -> kept.size() == 100);
            assertTrue(duo.right.describe().matches("(?s).* starved=[1-9].* pool8k=lent:\\d+,out:[1-9]\\d*,capacity:"
                + "[1-9]\\d*,exhausted:\\d+.*"), duo.right::describe);
            duo.until("counted", () -> duo.right.statistics().poolInUse() == 100);
            assertEquals(0, duo.right.statistics().bytesCopied());
            for (int i = 0; i < 100; i++) {
                Payload.check(kept.get(i), 8192, i);
                kept.get(i).close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldGrowForASenderThatAskedWhileEverythingWasOnItsWay(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final List<ReceivedData> kept = keep(duo);
            for (int i = 0; i < 200; i++) {
                duo.there.sendActiveMessage(ID, null, Payload.heap(16_384, i), 0, 16_384);
            }
            duo.until("all are kept, more than were ever lent at once", () -> kept.size() == 200);
            for (int i = 0; i < 200; i++) {
                Payload.check(kept.get(i), 16_384, i);
                kept.get(i).close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @ExpectedLog("no more receive buffers, messages take the ring: not enough shared memory: .*heddle.shm.limit")
    void shouldGoRoundByTheRingWhenTheSharedMemoryLimitLeavesNoDescriptors(final ThreadMode mode) {
        final ContextConfig tight = new ContextConfig().sharedMemoryLimitBytes(KIB * KIB).poolLimitBytes(KIB * KIB);
        try (Duo duo = Duo.of(mode, new ContextConfig(), tight)) {
            useUp(duo);
            final Inbox inbox = Inbox.on(duo.right, ID);
            final int[] sizes = {100, 2000, 3000, 20_000, 65_536, 300_000};
            for (final int bytes : sizes) {
                duo.send(duo.there, ID, Payload.heap(30, 1), Payload.heap(bytes, bytes));
            }
            duo.until("messages", () -> inbox.size() == sizes.length);
            for (int i = 0; i < sizes.length; i++) {
                Payload.check(inbox.get(i).dataBuffer(), sizes[i], sizes[i]);
                Payload.check(inbox.get(i).headerBuffer(), 30, 1);
            }
            assertTrue(duo.right.describe().contains("growthRefused="), duo.right::describe);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLendDescriptorsAlsoToAPeerWhoseMessageWasPostponed(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final List<ActiveMessage> postponed = new ArrayList<>();
            duo.right.onActiveMessage(ID, message -> {
                postponed.add(message);
                message.postpone();
            });
            duo.send(duo.there, ID, null, Payload.heap(8, 1));
            duo.until("postponed", () -> !postponed.isEmpty());
            duo.until("descriptor", () -> trySend(duo.there, Payload.heap(16 * KIB, 1)) == Status.OK);
            assertEquals(1, postponed.size());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldServeAPeerThatWaitsWhenAnotherEndpointLetsGoOfThePoolLimit(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode, new ContextConfig().poolLimitBytes(64 * KIB))) {
            final Endpoint other = duo.connect(duo.left, duo.right);
            final List<ReceivedData> kept = keep(duo);
            final UnsafeBuffer data = Payload.heap(16 * KIB, 1);
            for (int i = 1; i <= 4; i++) {
                final int all = i;
                duo.until("descriptor", () -> trySend(other, data) == Status.OK);
                duo.until("kept", () -> kept.size() == all);
            }
            trySend(duo.there, data);
            duo.settle();
            assertTrue(duo.right.describe().contains(" unservedClasses=1"), duo.right::describe);
            kept.forEach(ReceivedData::close);
            kept.clear();
            other.close(CloseMode.FORCE, Duration.ofSeconds(1));
            duo.until("the other's end lends to this one", () -> duo.right.describe().contains("pool16k=lent:4"));
            assertFalse(duo.right.describe().contains(" unservedClasses="), duo.right::describe);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @ExpectedLog("no more receive buffers, messages take the ring: not enough shared memory: .*heddle.shm.limit")
    void shouldComeBackToDescriptorsWhenThereIsSharedMemoryAgain(final ThreadMode mode) {
        final ContextConfig tight = new ContextConfig().sharedMemoryLimitBytes(KIB * KIB).poolLimitBytes(KIB * KIB);
        try (Duo duo = Duo.of(mode, new ContextConfig(), tight)) {
            final List<Endpoint> others = useUp(duo);
            final Inbox inbox = Inbox.on(duo.right, ID);
            duo.send(duo.there, ID, null, Payload.heap(20_000, 1));
            duo.until("a message round by the ring", () -> inbox.size() == 1);
            duo.until("refused", () -> duo.right.describe().contains("growthRefused="));
            for (final Endpoint each : others) {
                each.close(CloseMode.FORCE, Duration.ofSeconds(1));
            }
            duo.until("asked again", () -> duo.right.describe().matches("(?s).* pool\\d+k=lent:[1-9].*"));
        }
    }

    /** Connects until the right context may have no more shared memory: the connector's budget pays for a lane. */
    private static List<Endpoint> useUp(final Duo duo) {
        final List<Endpoint> others = new ArrayList<>();
        Endpoint next = duo.connect(duo.right, duo.left);
        while (next.isConnected()) {
            others.add(next);
            assertTrue(others.size() < 100, "the limit is never reached");
            final Endpoint made = Endpoint.create(duo.right, duo.left.address());
            duo.until("outcome", () -> made.isConnected() || made.status() != Status.OK);
            next = made;
        }
        return others;
    }

    private static Status trySend(final Endpoint endpoint, final UnsafeBuffer data) {
        return endpoint.trySendActiveMessage(ID, null, data, 0, data.capacity());
    }

    private static List<ReceivedData> keep(final Duo duo) {
        final List<ReceivedData> kept = new ArrayList<>();
        duo.right.onActiveMessage(ID, message -> kept.add(message.retain()));
        return kept;
    }
}
