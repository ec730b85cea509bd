package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.context.UnreachableException;
import io.heddle.endpoints.ConnectionRequest;
import io.heddle.endpoints.Endpoint;
import io.heddle.endpoints.Listener;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Request;
import io.heddle.worker.WorkerAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How connections come about, who speaks over them, and what both ends, listeners and requests say of themselves. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class ConnectionMakingTest {
    private static final int ID = 43;
    private static final int REPLY = 44;
    /** A message in its slot, in the ring, in a descriptor of each class, and in fragments; at every border. */
    private static final int[] SIZES = {0, 8, 48, 49, 2048, 2049, 8192, 16_385, 65_536, 65_537, 300_000};

    private final List<String> errors = new ArrayList<>();

    private Endpoint watched(final Endpoint endpoint) {
        endpoint.onError((ended, status, reason) -> errors.add(status + " " + reason));
        return endpoint;
    }

    // ---- who connects, and how often

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/wireup.empty_address")
    void shouldRefuseAnAddressWithNothingInIt(final ThreadMode mode) {
        final WorkerAddress empty = WorkerAddress.ofBytes(ByteBuffer.allocate(5).putInt(0x48_64_6c_31).array());
        try (Duo duo = Duo.of(mode)) {
            final UnreachableException refused = assertThrows(UnreachableException.class,
                () -> Endpoint.create(duo.left, empty));
            assertTrue(refused.getMessage().contains("the peer does not use it"), refused.getMessage());
            assertEquals(1, duo.left.statistics().endpoints());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/wireup.one_sided")
    void shouldSpeakBothWaysThoughOneSideAloneConnected(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox replies = Inbox.on(duo.left, REPLY);
            replyWithTheSame(duo);
            for (int i = 0; i < SIZES.length; i++) {
                duo.send(duo.there, ID, null, Payload.heap(SIZES[i], i));
            }
            duo.until("replies", () -> replies.size() == SIZES.length);
            for (int i = 0; i < SIZES.length; i++) {
                Payload.check(replies.get(i).dataBuffer(), SIZES[i], i);
            }
            assertEquals(1, duo.left.statistics().endpoints());
            assertEquals(1, duo.right.statistics().endpoints());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/wireup.multi_ep")
    void shouldKeepSeveralEndpointsOfTwoWorkersApart(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final List<Endpoint> there = new ArrayList<>(List.of(duo.there));
            final List<Endpoint> back = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                there.add(watched(Endpoint.create(duo.left, duo.right.address())));
                back.add(watched(Endpoint.create(duo.right, duo.left.address())));
            }
            final Inbox right = Inbox.on(duo.right, ID);
            final Inbox left = Inbox.on(duo.left, ID);
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < there.size(); i++) {
                    there.get(i).sendActiveMessage(ID, header(i), Payload.heap(500, round), 0, 500);
                }
                for (int i = 0; i < back.size(); i++) {
                    back.get(i).sendActiveMessage(ID, header(i), Payload.heap(500, round), 0, 500);
                }
            }
            duo.until("all", () -> right.size() == 18 && left.size() == 15);
            assertInOrder(right, 6);
            assertInOrder(left, 5);
            duo.until("settled", () -> duo.left.statistics().endpoints() == 11
                && duo.right.statistics().endpoints() == 11);
            assertEquals(List.of(), errors);
        }
    }

    /** Of each endpoint the first round's message came before the second's. */
    private static void assertInOrder(final Inbox inbox, final int endpoints) {
        final int[] rounds = new int[endpoints];
        for (int i = 0; i < inbox.size(); i++) {
            Payload.check(inbox.get(i).dataBuffer(), 500, rounds[inbox.get(i).headerBuffer().getInt(0)]++);
        }
    }

    private static UnsafeBuffer header(final int number) {
        final UnsafeBuffer header = new UnsafeBuffer(new byte[Integer.BYTES]);
        header.putInt(0, number);
        return header;
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/wireup.errh_peer")
    void shouldDeliverWhatComesBeforeAndAfterTheReceiverMakesItsOwnEndpoint(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            watched(duo.there);
            final Inbox right = Inbox.on(duo.right, ID);
            final Inbox left = Inbox.on(duo.left, ID);
            duo.send(duo.there, ID, null, Payload.heap(10, 1));
            duo.until("before", () -> right.size() == 1);
            final Endpoint own = watched(Endpoint.create(duo.right, duo.left.address()));
            duo.send(duo.there, ID, null, Payload.heap(10, 2));
            duo.send(own, ID, null, Payload.heap(10, 3));
            duo.until("after", () -> right.size() == 2 && left.size() == 1);
            Payload.check(right.get(0).dataBuffer(), 10, 1);
            Payload.check(right.get(1).dataBuffer(), 10, 2);
            Payload.check(left.get(0).dataBuffer(), 10, 3);
            assertEquals(List.of(), errors);
        }
    }

    // ---- over a listener's connection

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/sockaddr.protocols")
    void shouldCarryMessagesOfEveryKindOverAListenersConnection(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode); Listener listener = Listener.create(duo.right, "every-kind",
            ConnectionRequest::accept)) {
            final Endpoint endpoint = watched(Endpoint.create(duo.left, listener.name()));
            final List<ReceivedData> kept = new ArrayList<>();
            duo.right.onActiveMessage(ID, message -> {
                kept.add(message.retain());
                final byte[] header = Payload.copyOf(message.header());
                final byte[] data = Payload.copyOf(message.data());
                Endpoint.replyTo(message).sendActiveMessage(REPLY, new UnsafeBuffer(header), new UnsafeBuffer(data), 0,
                    data.length);
            });
            final Inbox replies = Inbox.on(duo.left, REPLY);
            for (int i = 0; i < SIZES.length; i++) {
                final UnsafeBuffer data = i % 2 == 0 ? Payload.heap(SIZES[i], i) : Payload.direct(SIZES[i], i);
                endpoint.sendActiveMessage(ID, Payload.heap(i * 100, i), data, 0, SIZES[i]);
            }
            duo.until("replies", () -> replies.size() == SIZES.length);
            for (int i = 0; i < SIZES.length; i++) {
                Payload.check(replies.get(i).headerBuffer(), i * 100, i);
                Payload.check(replies.get(i).dataBuffer(), SIZES[i], i);
                Payload.check(kept.get(i), SIZES[i], i);
                kept.get(i).close();
            }
            assertEquals(List.of(), errors);
        }
    }

    // ---- what they say of themselves

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.9/ep.query", "6.9/sockaddr.ep_query"})
    void shouldTellAtBothEndsWhomTheyAreConnectedTo(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final List<Endpoint> accepted = new ArrayList<>();
            try (Listener listener = Listener.create(duo.right, "both-ends",
                request -> accepted.add(request.accept()))) {
                final Endpoint endpoint = Endpoint.create(duo.left, listener.name());
                assertTrue(endpoint.describe().contains(" state=connecting"), endpoint::describe);
                duo.until("connected", () -> endpoint.isConnected() && accepted.size() == 1
                    && accepted.get(0).isConnected());
                assertSays(endpoint, "right");
                assertSays(accepted.get(0), "left");
                assertEquals(duo.left, endpoint.worker());
                assertEquals(duo.right, accepted.get(0).worker());
            }
        }
    }

    private static void assertSays(final Endpoint endpoint, final String worker) {
        final String text = endpoint.describe();
        assertFalse(text.contains("\n"), text);
        for (final String part : List.of("peer=[pid=" + ProcessHandle.current().pid() + ' ', " worker=" + worker + ' ',
            " user=", " status=OK", " pending=0", " transport=shm", " state=open", " inlineMaxBytes=",
            " segmentBytes=")) {
            assertTrue((' ' + text.replace('[', ' ')).contains(part.replace('[', ' ')), () -> part + " in " + text);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/sockaddr.listener_query")
    void shouldTellWhatAListenerIs(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Listener listener = Listener.create(duo.right, "what-am-i", ConnectionRequest::accept);
            assertEquals("what-am-i", listener.name());
            assertEquals(duo.right, listener.worker());
            assertFalse(listener.isClosed());
            assertTrue(listener.toString().contains("what-am-i"), listener::toString);
            assertTrue(duo.right.describe().contains("listeners=[what-am-i]"), duo.right::describe);
            listener.close();
            assertTrue(listener.isClosed());
            assertTrue(duo.right.describe().contains("listeners=[]"), duo.right::describe);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/request.query")
    void shouldTellWhatARequestIsAndHowFarItHasCome(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            duo.fill(duo.there, ID, Payload.heap(8, 0));
            final Request send = duo.there.sendActiveMessage(ID, null, Payload.heap(200_000, 1), 0, 200_000);
            final Request flush = duo.there.flush();
            assertEquals("Request{status=IN_PROGRESS send id=43 lengthBytes=200000 leftBytes=200000 peer=["
                + peer(duo.there) + "]}", send.toString());
            assertEquals("Request{status=IN_PROGRESS flush peer=[" + peer(duo.there) + "]}", flush.toString());
            duo.done(flush);
            assertEquals("Request{status=OK}", send.toString());
            duo.until("received", () -> inbox.last().data().length == 200_000);
            assertEquals("Request{status=OK}",
                duo.there.sendActiveMessage(ID, null, Payload.heap(8, 0), 0, 8).toString());
            duo.there.close();
            assertEquals("Request{status=" + Status.CANCELED + '}', duo.there.flush().toString());
        }
    }

    private static String peer(final Endpoint endpoint) {
        return endpoint.describe().replaceAll("endpoint peer=\\[([^\\]]*)\\].*", "$1");
    }

    private static void replyWithTheSame(final Duo duo) {
        duo.right.onActiveMessage(ID, message -> {
            final byte[] data = Payload.copyOf(message.data());
            Endpoint.replyTo(message).sendActiveMessage(REPLY, null, new UnsafeBuffer(data), 0, data.length);
        });
    }
}
