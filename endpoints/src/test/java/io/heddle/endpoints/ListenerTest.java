package io.heddle.endpoints;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.ClosedException;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.Request;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class ListenerTest {
    private static final UnsafeBuffer WORD = new UnsafeBuffer("word".getBytes(StandardCharsets.UTF_8));

    private final List<ConnectionRequest> requests = new ArrayList<>();
    private final List<String> told = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.9/sockaddr.listen", "6.9/sockaddr.c2s", "6.9/sockaddr.s2c", "6.9/sockaddr.bidi",
        "6.9/sockaddr.conn_request_query"})
    void shouldConnectWithWhatThePeerSentAlong(final ThreadMode mode) throws IOException {
        try (Pair pair = new Pair(mode);
            Listener listener = Listener.create(pair.server, "prices", requests::add)) {
            assertEquals("prices", listener.name());
            final byte[] data = new byte[ConnectOptions.MAX_APPLICATION_DATA_BYTES];
            data[1023] = 7;
            final Endpoint endpoint =
                Endpoint.create(pair.client, "prices", new ConnectOptions().applicationData(data));
            final List<String> received = new ArrayList<>();
            pair.server.onActiveMessage(1, message -> {
                received.add(message.data().getStringWithoutLengthUtf8(0, 4));
                Endpoint.replyTo(message).sendActiveMessage(2, null, WORD, 0, 4);
            });
            pair.client.onActiveMessage(2, message -> received.add("reply"));
            endpoint.sendActiveMessage(1, null, WORD, 0, 4);
            pair.until("asked", () -> !requests.isEmpty());
            final ConnectionRequest request = requests.get(0);
            assertEquals(ProcessHandle.current().pid(), request.peerProcessId());
            assertEquals(Files.getOwner(pair.directory).getName(), request.peerUser());
            assertArrayEquals(data, request.applicationData());
            assertFalse(endpoint.isConnected());

            final Endpoint accepted = request.accept();

            pair.until("told both ways", () -> received.size() == 2);
            assertEquals(List.of("word", "reply"), received);
            assertTrue(accepted.isConnected());
            assertEquals(List.of(), pair.errors);
            assertEquals(List.of(), pair.files(".*\\.seg"));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/sockaddr.reject")
    void shouldTellThePeerWhyItWasRejected(final ThreadMode mode) throws IOException {
        try (Pair pair = new Pair(mode);
            Listener listener = Listener.create(pair.server, "prices",
                request -> request.reject("closed on sundays"))) {
            final Endpoint endpoint = Endpoint.create(pair.client, "prices");
            final Request send = endpoint.sendActiveMessage(1, null, WORD, 0, 4);
            endpoint.onError((failed, status, reason) -> told.add(status + " " + reason));
            pair.until("told", () -> !told.isEmpty());
            assertEquals(List.of("REJECTED refused by the peer: closed on sundays"), told);
            assertEquals(Status.REJECTED, send.status());
            assertEquals("refused by the peer: closed on sundays", endpoint.failure());
            assertEquals(List.of(), pair.files(".*\\.seg"));
            assertFalse(listener.isClosed());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/sockaddr.err_handle")
    void shouldFailAtOnceWhereNobodyListens(final ThreadMode mode) throws IOException {
        try (Pair pair = new Pair(mode)) {
            final Endpoint endpoint = Endpoint.create(pair.client, "nobody");
            endpoint.onError((failed, status, reason) -> told.add(status + " " + reason));
            final Request send = endpoint.sendActiveMessage(1, null, WORD, 0, 4);
            pair.until("told", () -> !told.isEmpty());
            assertTrue(told.get(0).startsWith("UNREACHABLE no listener named nobody: "), told.get(0));
            assertEquals(Status.UNREACHABLE, send.status());
            assertEquals(Status.UNREACHABLE, endpoint.status());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldWaitForAListenerThatComesLater(final ThreadMode mode) throws IOException {
        try (Pair pair = new Pair(mode)) {
            final Endpoint endpoint =
                Endpoint.create(pair.client, "later", new ConnectOptions().waitForListener(Pair.LONG));
            final Endpoint hasty =
                Endpoint.create(pair.client, "later", new ConnectOptions().waitForListener(Duration.ofMillis(20)));
            pair.until("the hasty one has given up", () -> hasty.failure() != null);
            assertTrue(hasty.failure().contains("no listener named later"), hasty.failure());
            assertNull(endpoint.failure());
            try (Listener listener = Listener.create(pair.server, "later", ConnectionRequest::accept)) {
                pair.until("connected", endpoint::isConnected);
                assertEquals(pair.server, listener.worker());
            }
            assertTrue(endpoint.isConnected(), "a connection outlives its listener");
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTakeOneAnswerAndNoSecond(final ThreadMode mode) throws IOException {
        try (Pair pair = new Pair(mode);
            Listener listener = Listener.create(pair.server, "prices", requests::add)) {
            Endpoint.create(pair.client, "prices");
            Endpoint.create(pair.client, "prices");
            pair.until("asked", () -> requests.size() == 2);
            requests.get(0).accept();
            requests.get(1).reject("full");
            for (final ConnectionRequest request : requests) {
                assertTrue(request.isAnswered());
                assertAnsweredBefore(request::accept);
                assertAnsweredBefore(() -> request.reject("again"));
            }
            assertFalse(listener.isClosed());
        }
    }

    private static void assertAnsweredBefore(final Runnable answer) {
        final HeddleException refused = assertThrows(HeddleException.class, answer::run);
        assertEquals(Status.ALREADY_EXISTS, refused.status());
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldRefuseWhatIsNotAnsweredWhenItCloses(final ThreadMode mode) throws IOException {
        try (Pair pair = new Pair(mode)) {
            final Listener listener = Listener.create(pair.server, "prices", requests::add);
            final Endpoint asked = Endpoint.create(pair.client, "prices");
            pair.until("asked", () -> !requests.isEmpty());
            final Endpoint late = Endpoint.create(pair.client, "prices");

            final CloseReport report = listener.close(CloseMode.FLUSH, Pair.LIMIT);

            assertEquals(1, report.cutRequests());
            assertEquals(List.of(), pair.files("name-.*"));
            pair.until("refused", () -> asked.failure() != null && late.failure() != null);
            assertEquals(Status.UNREACHABLE, asked.status());
            assertEquals("refused by the peer: listener prices was closed", asked.failure());
            assertEquals(Status.UNREACHABLE, late.status());
            assertThrows(ClosedException.class, requests.get(0)::accept);
            assertAnsweredBefore(requests.get(0)::accept);
            assertTrue(listener.close(CloseMode.FLUSH, Pair.LIMIT).isClean());
            listener.close();
            Listener.create(pair.client, "prices", requests::add).close();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldCloseInsideItsOwnHandlerAndWithItsWorker(final ThreadMode mode) throws IOException {
        final List<Listener> listeners = new ArrayList<>();
        final Listener second;
        try (Pair pair = new Pair(mode)) {
            listeners.add(Listener.create(pair.server, "prices", request -> listeners.get(0).close()));
            second = Listener.create(pair.server, "second", requests::add);
            final Endpoint endpoint = Endpoint.create(pair.client, "prices");
            pair.until("refused", () -> endpoint.failure() != null);
            assertEquals(Status.UNREACHABLE, endpoint.status());
            assertTrue(listeners.get(0).isClosed());
            assertEquals(List.of("name-second.addr", "name-second.lock"), pair.files("name-.*"));
            pair.server.close(CloseMode.FLUSH, Pair.LIMIT);
            assertEquals(List.of(), pair.files("name-.*"));
            assertThrows(ClosedException.class, () -> Listener.create(pair.server, "third", requests::add));
        }
        assertTrue(second.isClosed());
        second.close();
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldNotAcceptAPeerThatHasGone(final ThreadMode mode) throws IOException {
        try (Pair pair = new Pair(mode);
            Listener listener = Listener.create(pair.server, "prices", requests::add)) {
            final Endpoint endpoint = Endpoint.create(pair.client, "prices");
            pair.until("asked", () -> !requests.isEmpty());
            endpoint.close(CloseMode.FORCE, Duration.ZERO);
            pair.until("noticed", () -> !requests.get(0).isWaiting());
            final HeddleException refused = assertThrows(HeddleException.class, requests.get(0)::accept);
            assertEquals(Status.CONNECTION_RESET, refused.status());
            assertEquals(List.of(), pair.files(".*\\.seg"));
            assertFalse(listener.isClosed());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldRejectWhenTheHandlerFails(final ThreadMode mode) throws IOException {
        try (Pair pair = new Pair(mode);
            Listener listener = Listener.create(pair.server, "prices", request -> {
                throw new IllegalStateException("out of paper");
            })) {
            final Endpoint endpoint = Endpoint.create(pair.client, "prices");
            pair.until("refused", () -> endpoint.failure() != null);
            assertEquals(Status.REJECTED, endpoint.status());
            assertEquals(List.of("out of paper"), pair.errors.stream().map(Throwable::getMessage).toList());
            assertFalse(listener.isClosed());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldEndAConnectionThatIsClosedBeforeItStands(final ThreadMode mode) throws IOException {
        try (Pair pair = new Pair(mode);
            Listener listener = Listener.create(pair.server, "prices", request ->
                request.accept().close(CloseMode.FORCE, Duration.ZERO))) {
            final Endpoint endpoint = Endpoint.create(pair.client, "prices");
            pair.until("ended", () -> endpoint.failure() != null);
            assertEquals(Status.CONNECTION_RESET, endpoint.status());
            pair.until("forgotten", () -> pair.server.statistics().endpoints() == 0);
            assertEquals(List.of(), pair.files(".*\\.seg"));
            assertFalse(listener.isClosed());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldGiveEachSideOfCrossingConnectsTwoEndpoints(final ThreadMode mode) throws IOException {
        try (Pair pair = new Pair(mode)) {
            final List<Endpoint> accepted = new ArrayList<>();
            try (Listener there = Listener.create(pair.server, "there", request -> accepted.add(request.accept()));
                Listener here = Listener.create(pair.client, "here", request -> accepted.add(request.accept()))) {
                final Endpoint going = Endpoint.create(pair.client, "there");
                final Endpoint coming = Endpoint.create(pair.server, "here");
                pair.until("both stand", () -> accepted.size() == 2 && going.isConnected() && coming.isConnected()
                    && accepted.stream().allMatch(Endpoint::isConnected));
                assertEquals(2, pair.client.statistics().endpoints());
                assertEquals(2, pair.server.statistics().endpoints());
                assertEquals("there here", there.name() + ' ' + here.name());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/sockaddr.listener_invalid_params")
    void shouldRefuseATakenNameAndWhatIsNone(final ThreadMode mode) throws IOException {
        try (Pair pair = new Pair(mode);
            Listener listener = Listener.create(pair.server, "prices", requests::add)) {
            for (final HeddleException taken : List.of(
                assertThrows(HeddleException.class, () -> Listener.create(pair.server, "prices", requests::add)),
                assertThrows(HeddleException.class, () -> Listener.create(pair.client, "prices", requests::add)))) {
                assertEquals(Status.ALREADY_EXISTS, taken.status());
                assertTrue(taken.getMessage().contains("holderPid=" + ProcessHandle.current().pid()),
                    taken.getMessage());
            }
            assertThrows(HeddleException.class, () -> Listener.create(pair.server, "a/b", requests::add));
            assertThrows(NullPointerException.class, () -> Listener.create(pair.server, "other", null));
            assertThrows(HeddleException.class, () -> Endpoint.create(pair.client, "a/b"));
            assertThrows(HeddleException.class, () -> new ConnectOptions().applicationData(new byte[1025]));
            assertThrows(HeddleException.class, () -> new ConnectOptions().waitForListener(Duration.ofNanos(-1)));
            assertEquals("prices", listener.name());
        }
    }
}
