package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.context.UnreachableException;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import io.heddle.worker.WorkerStatistics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an endpoint knows of its connection, what arrives of a sender that is gone, and what is counted. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class EndpointLifeTest {
    private static final int ID = 11;
    private static final int[] SIZES = {8, 1000, 5000, 100_000};

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/uct_ep.is_connected")
    void shouldKnowWhetherItIsConnected(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Endpoint fresh = Endpoint.create(duo.left, duo.right.address());
            assertFalse(fresh.isConnected());
            assertFalse(fresh.isWritable());
            assertEquals(Status.OK, fresh.status());
            duo.connected(fresh);
            assertTrue(fresh.isWritable());

            fresh.close();

            assertFalse(fresh.isConnected());
            assertTrue(fresh.isClosed());
            assertFalse(duo.there.isClosed());
            assertTrue(duo.there.isConnected());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldQueueSendsUntilItIsConnected(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            final Endpoint fresh = Endpoint.create(duo.left, duo.right.address());
            assertEquals(Status.NO_RESOURCE, fresh.trySendActiveMessage(ID, null, Payload.heap(8, 0), 0, 8));
            for (final int bytes : SIZES) {
                assertFalse(fresh.sendActiveMessage(ID, null, Payload.heap(bytes, bytes), 0, bytes).isDone());
            }
            duo.until("messages", () -> inbox.size() == SIZES.length);
            for (int i = 0; i < SIZES.length; i++) {
                Payload.check(inbox.get(i).dataBuffer(), SIZES[i], SIZES[i]);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/uct_ep.disconnect_after_send")
    void shouldDeliverWhatWasSentBeforeTheClose(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            final List<Status> told = new ArrayList<>();
            duo.send(duo.there, ID, null, Payload.heap(4, 4));
            duo.until("first", () -> inbox.size() == 1);
            duo.right.onActiveMessage(ID, message -> {
                Endpoint.replyTo(message).onError((endpoint, status, reason) -> told.add(status));
                inbox.onMessage(message);
            });
            for (final int bytes : SIZES) {
                duo.send(duo.there, ID, null, Payload.heap(bytes, bytes));
            }

            assertTrue(duo.there.close(CloseMode.FLUSH, Duration.ofSeconds(10)).isClean());

            duo.until("messages", () -> inbox.size() == 1 + SIZES.length);
            duo.until("told of the end", () -> !told.isEmpty());
            duo.settle();
            assertEquals(List.of(Status.CONNECTION_RESET), told);
            for (int i = 0; i < SIZES.length; i++) {
                Payload.check(inbox.get(i + 1).dataBuffer(), SIZES[i], SIZES[i]);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/uct_ep.destroy_entity_after_send")
    void shouldDeliverWhatASenderLeftBehindThatIsGone(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            final int sent = duo.fill(duo.there, ID, Payload.heap(40, 40));

            duo.left.close();
            duo.leftContext.close();

            duo.until("messages", () -> inbox.size() == sent);
            for (int i = 0; i < sent; i++) {
                Payload.check(inbox.get(i).dataBuffer(), 40, 40);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/iface.is_reachable")
    void shouldSayWhyAnAddressCannotBeReached(final ThreadMode mode) {
        try (Context context = Context.create(); Worker worker = Worker.create(context, mode)) {
            final Context gone = Context.create();
            final WorkerAddress late;
            try (Worker other = Worker.create(gone, mode)) {
                late = other.address();
                assertFalse(Endpoint.create(worker, late).isClosed());
            }
            gone.close();
            final String closed = assertThrows(UnreachableException.class, () -> Endpoint.create(worker, late))
                .getMessage();
            assertTrue(closed.contains("shm") && closed.contains("socket missing"), closed);

            final String foreign = assertThrows(UnreachableException.class,
                () -> Endpoint.create(worker, WorkerAddress.ofBytes(otherTransport(late.toBytes())))).getMessage();
            assertTrue(foreign.contains("the peer does not use it"), foreign);
        }
    }

    /** The same address for a transport of a name that nobody has. */
    private static byte[] otherTransport(final byte[] address) {
        final byte[] changed = address.clone();
        final byte[] name = "shm".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i + name.length <= changed.length; i++) {
            if (changed[i] == name[0] && changed[i + 1] == name[1] && changed[i + 2] == name[2]) {
                changed[i] = 'z';
                return changed;
            }
        }
        throw new AssertionError("the address does not name the transport");
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/mm.open_for_posix")
    void shouldConnectAcrossDirectoriesOfOnesChoice(final ThreadMode mode, @TempDir final Path temp)
        throws IOException {
        final ContextConfig disk = new ContextConfig().directory(temp.resolve("heddle"));
        try (Duo duo = Duo.of(mode, disk, new ContextConfig())) {
            assertTrue(duo.leftContext.describe().contains("shm.directory=" + temp));
            assertTrue(duo.rightContext.config().directory().startsWith("/dev/shm"));
            final Inbox inbox = Inbox.on(duo.right, ID);
            final Inbox back = Inbox.on(duo.left, ID);
            final Endpoint here = duo.connect(duo.right, duo.left);
            for (final int bytes : SIZES) {
                duo.send(duo.there, ID, null, Payload.heap(bytes, bytes));
                duo.send(here, ID, null, Payload.heap(bytes, bytes + 1));
            }
            duo.until("messages", () -> inbox.size() == SIZES.length && back.size() == SIZES.length);
            for (int i = 0; i < SIZES.length; i++) {
                Payload.check(inbox.get(i).dataBuffer(), SIZES[i], SIZES[i]);
                Payload.check(back.get(i).dataBuffer(), SIZES[i], SIZES[i] + 1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/stats.per_op")
    void shouldCountMessagesAndBytesBothWays(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            long bytes = 0;
            for (final int size : SIZES) {
                duo.send(duo.there, ID, Payload.heap(100, 0), Payload.heap(size, 0));
                bytes += size;
            }
            duo.done(duo.there.sendActiveMessage(ID, null, MessageSizeTest.gathered(777, 1), null));
            duo.until("messages", () -> inbox.size() == SIZES.length + 1);
            final WorkerStatistics left = duo.left.statistics();
            final WorkerStatistics right = duo.right.statistics();
            assertEquals(SIZES.length + 1, left.messagesSent());
            assertEquals(bytes + 777, left.bytesSent());
            assertEquals(SIZES.length + 1, right.messagesReceived());
            assertEquals(bytes + 777, right.bytesReceived());
            assertEquals(0, left.messagesReceived() + right.messagesSent() + right.dropped() + right.violations());
            assertEquals(1, right.endpoints());
        }
    }
}
