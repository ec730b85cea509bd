package io.heddle.endpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.StandsFor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listeners and a peer in a JVM of its own, and many connects at once. */
@Timeout(120)
class ListenerProcessTest {
    private static final int AT_ONCE = 1000;

    @Test
    void shouldFreeTheNameOfAKilledProcessAtOnce() throws IOException {
        try (Pair pair = new Pair(ThreadMode.SERIALIZED)) {
            final Endpoint endpoint;
            try (ListenerPeer peer = new ListenerPeer("listen", pair.directory, 0)) {
                assertEquals("listening", peer.line());
                final HeddleException taken = assertThrows(HeddleException.class,
                    () -> Listener.create(pair.server, "prices", ConnectionRequest::accept));
                assertEquals(Status.ALREADY_EXISTS, taken.status());
                assertTrue(taken.getMessage().contains("holderPid=" + peer.pid()), taken.getMessage());
                endpoint = Endpoint.create(pair.client, "prices");
                pair.until("connected", endpoint::isConnected);
            }
            final Endpoint late = Endpoint.create(pair.client, "prices");
            pair.until("told", () -> endpoint.failure() != null && late.failure() != null);
            assertEquals(Status.CONNECTION_RESET, endpoint.status());
            assertEquals(Status.UNREACHABLE, late.status());
            assertTrue(late.failure().contains("no listener named prices"), late.failure());
            try (Listener next = Listener.create(pair.server, "prices", ConnectionRequest::accept)) {
                final Endpoint again = Endpoint.create(pair.client, "prices");
                pair.until("connected to the next one", again::isConnected);
                assertEquals("prices", next.name());
            }
            assertEquals(List.of(), pair.files("name-.*"));
        }
    }

    @Test
    void shouldForgetARequestWhosePeerIsKilled() throws IOException {
        final List<ConnectionRequest> requests = new ArrayList<>();
        try (Pair pair = new Pair(ThreadMode.SERIALIZED);
            Listener listener = Listener.create(pair.server, "prices", requests::add)) {
            try (ListenerPeer peer = new ListenerPeer("connect", pair.directory, 1)) {
                assertEquals("asked", peer.line());
                pair.until("asked", () -> !requests.isEmpty());
                assertEquals(peer.pid(), requests.get(0).peerProcessId());
            }
            pair.until("noticed", () -> !requests.get(0).isWaiting());
            assertEquals(List.of(), pair.files(".*\\.seg"));
            assertEquals("prices", listener.name());
        }
    }

    @Test
    void shouldTakeAThousandAtOnceFromThisProcess() throws IOException {
        try (Pair pair = new Pair(ThreadMode.MULTI);
            Listener listener = Listener.create(pair.server, "prices", ConnectionRequest::accept)) {
            final List<Endpoint> endpoints = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                endpoints.add(Endpoint.create(pair.client, "prices"));
            }
            pair.until("all connected", () -> endpoints.stream().allMatch(Endpoint::isConnected)
                && pair.server.statistics().endpoints() == AT_ONCE);
            assertEquals(List.of(), pair.errors);
            assertEquals(List.of(), pair.files(".*\\.seg"));
            assertEquals("prices", listener.name());
        }
    }

    @Test
    @StandsFor("6.9/wireup.async_connect")
    void shouldTakeAThousandAtOnceFromAnotherProcessAlthoughItDidNotProgress() throws IOException {
        try (Pair pair = new Pair(ThreadMode.MULTI);
            Listener listener = Listener.create(pair.server, "prices", ConnectionRequest::accept);
            ListenerPeer peer = new ListenerPeer("connect", pair.directory, AT_ONCE)) {
            assertEquals("asked", peer.line()); // until now the listener's worker has not progressed
            final String[] outcome = new String[1];
            final Thread reader = new Thread(() -> {
                try {
                    outcome[0] = peer.line();
                } catch (final IOException ex) {
                    outcome[0] = ex.toString();
                }
            });
            reader.start();
            pair.until("all connected", () -> !reader.isAlive());
            assertEquals(AT_ONCE + " connected", outcome[0]);
            assertEquals(AT_ONCE, pair.server.statistics().endpoints());
            assertEquals(List.of(), pair.files(".*\\.seg"));
            assertEquals("prices", listener.name());
        }
    }
}
