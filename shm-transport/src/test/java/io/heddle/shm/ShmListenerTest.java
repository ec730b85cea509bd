package io.heddle.shm;

import static io.heddle.shm.TestWorker.stepUntil;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ClosedException;
import io.heddle.context.ContextConfig;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.internal.ListenerName;
import io.heddle.context.spi.IncomingConnection;
import io.heddle.context.spi.Lane;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ShmListenerTest {
    @TempDir
    Path temp;

    private Path directory() {
        return temp.resolve("heddle");
    }

    @Test
    void shouldMapNothingBeforeItIsAccepted() {
        try (TestHost left = new TestHost(directory()); TestHost right = new TestHost(directory())) {
            final TestWorker client = left.worker("client");
            final TestWorker server = right.worker("server");
            server.shm.listen("prices");
            final Lane near = client.connect("prices", "hello", Duration.ZERO);
            stepUntil("asked", () -> !server.requests.isEmpty(), client, server);
            final IncomingConnection request = server.requests.get(0);
            assertEquals("hello", new String(request.applicationData(), StandardCharsets.UTF_8));
            assertEquals("prices", request.listenerName());
            assertTrue(request.peer().contains("worker=client"), request.peer());
            assertTrue(request.isWaiting());
            assertEquals(0, right.transport.gauge().liveMaps());

            final Lane far = server.accept(request);

            assertFalse(far.isReady());
            stepUntil("both stand", () -> client.connected.equals(List.of(near)) && server.connected.equals(
                List.of(far)), client, server);
            assertTrue(near.isReady() && far.isReady());
            assertFalse(request.isWaiting());
            assertEquals(List.of(), server.accepted);
            assertEquals(List.of(), left.segmentFiles());
            assertEquals(List.of(), left.errors);
            assertEquals(List.of(), right.errors);
        }
    }

    @Test
    void shouldCarryTheReasonOfARejection() {
        try (TestHost host = new TestHost(directory())) {
            final TestWorker worker = host.worker("both");
            worker.shm.listen("prices");
            worker.connect("prices", "", Duration.ZERO);
            stepUntil("asked", () -> !worker.requests.isEmpty(), worker);
            worker.requests.get(0).reject(Status.REJECTED, "r".repeat(5000));
            stepUntil("told", () -> !worker.gone.isEmpty(), worker);
            assertEquals(Status.REJECTED, worker.gone.get(0).status());
            assertTrue(worker.gone.get(0).reason().endsWith("r".repeat(1024)), worker.gone.get(0).reason());
            assertEquals(List.of(), host.errors);
            assertEquals(List.of(), host.segmentFiles());
        }
    }

    @Test
    void shouldRefuseWhatNobodyAnswersInTime() {
        final ControlTimings hasty = new ControlTimings(
            TimeUnit.MILLISECONDS.toNanos(100), TestHost.TIMINGS.lingerNs(), TestHost.TIMINGS.closeLingerNs(),
            TestHost.TIMINGS.acceptPauseNs());
        try (TestHost left = new TestHost(directory());
            TestHost right = new TestHost(directory(), new ContextConfig(), hasty)) {
            final TestWorker client = left.worker("client");
            final TestWorker server = right.worker("server");
            server.shm.listen("prices");
            client.connect("prices", "", Duration.ZERO);
            stepUntil("refused", () -> !client.gone.isEmpty(), client, server);
            assertEquals(Status.TIMED_OUT, client.gone.get(0).status());
            assertTrue(client.gone.get(0).reason().contains("did not answer in time"), client.gone.get(0).reason());
            assertFalse(server.requests.get(0).isWaiting());
            final Lane late = server.accept(server.requests.get(0));
            stepUntil("told", () -> !server.gone.isEmpty(), server);
            assertEquals(late, server.gone.get(0).lane());
            assertEquals(Status.TIMED_OUT, server.gone.get(0).status());
            assertEquals(List.of(), left.segmentFiles());
        }
    }

    @Test
    void shouldFailTheLaneOfAPeerThatEndedBeforeItWasAccepted() {
        try (TestHost left = new TestHost(directory()); TestHost right = new TestHost(directory())) {
            final TestWorker client = left.worker("client");
            final TestWorker server = right.worker("server");
            server.shm.listen("prices");
            final Lane near = client.connect("prices", "", Duration.ZERO);
            stepUntil("asked", () -> !server.requests.isEmpty(), client, server);
            client.dispose(near);
            stepUntil("noticed", () -> !server.requests.get(0).isWaiting(), client, server);
            server.accept(server.requests.get(0));
            stepUntil("told", () -> !server.gone.isEmpty(), server);
            assertEquals(Status.CONNECTION_RESET, server.gone.get(0).status());
            assertEquals("the peer ended before it was accepted", server.gone.get(0).reason());
            assertEquals(List.of(), right.segmentFiles());
        }
    }

    @Test
    void shouldTellBothSidesThatAnAcceptedSegmentIsNone() throws IOException {
        try (TestHost host = new TestHost(directory())) {
            final TestWorker worker = host.worker("worker");
            worker.shm.listen("prices");
            try (SocketChannel hostile = SocketChannel.open(UnixDomainSocketAddress.of(host.socketPath()))) {
                hostile.write(hello(worker.shm.interfaceId(), "prices"));
                stepUntil("asked", () -> !worker.requests.isEmpty(), worker);
                worker.accept(worker.requests.get(0));
                stepUntil("told", () -> !worker.gone.isEmpty(), worker);
                assertEquals(Status.SHMEM_SEGMENT, worker.gone.get(0).status());
                assertTrue(worker.gone.get(0).reason().contains("no such segment"), worker.gone.get(0).reason());
                final ByteBuffer answer = ByteBuffer.allocate(4096);
                assertTrue(hostile.read(answer) > 0);
                assertEquals(FrameDescriptor.REFUSED, answer.get(0));
            }
        }
    }

    @Test
    void shouldKeepNoMoreRequestsThanItsBound() throws IOException {
        try (TestHost host = new TestHost(directory())) {
            final TestWorker worker = host.worker("worker");
            worker.shm.listen("prices");
            final List<SocketChannel> peers = new ArrayList<>();
            try {
                for (int i = 0; i <= ShmListener.MAX_WAITING; i++) {
                    final SocketChannel peer = SocketChannel.open(UnixDomainSocketAddress.of(host.socketPath()));
                    peers.add(peer);
                    peer.write(hello(worker.shm.interfaceId(), "prices"));
                }
                final ByteBuffer answer = ByteBuffer.allocate(4096);
                assertTrue(peers.get(ShmListener.MAX_WAITING).read(answer) > 0);
                final Refused refused = refused(answer);
                assertEquals(Status.NO_RESOURCE, refused.status());
                assertTrue(refused.text().contains("waiting=" + ShmListener.MAX_WAITING), refused.text());
                peers.get(0).close();
                stepUntil("room again", () -> worker.requests.stream().anyMatch(each -> !each.isWaiting()), worker);
                worker.connect("prices", "", Duration.ZERO);
                stepUntil("asked", () -> worker.requests.size() == ShmListener.MAX_WAITING + 1, worker);
                assertEquals(0, worker.gone.size());
            } finally {
                for (final SocketChannel peer : peers) {
                    peer.close();
                }
            }
        }
    }

    @Test
    void shouldEndAPeerThatTalksWhileItWaits() throws IOException {
        try (TestHost host = new TestHost(directory())) {
            final TestWorker worker = host.worker("worker");
            worker.shm.listen("prices");
            final Path planted = Files.createFile(directory().resolve("x.seg"));
            try (SocketChannel hostile = SocketChannel.open(UnixDomainSocketAddress.of(host.socketPath()))) {
                hostile.write(hello(worker.shm.interfaceId(), "prices"));
                stepUntil("asked", () -> !worker.requests.isEmpty(), worker);
                hostile.write(hello(worker.shm.interfaceId(), "prices"));
                stepUntil("ended", () -> !worker.requests.get(0).isWaiting(), worker);
                assertEquals(-1, hostile.read(ByteBuffer.allocate(64)));
            }
            assertTrue(host.errors.get(0).getMessage().contains("field=opcode"), host.errors.get(0).getMessage());
            assertFalse(Files.exists(planted), "what the peer named goes with it");
            assertEquals(1, worker.requests.size());
        }
    }

    @Test
    void shouldConnectToTheNextHolderOfANameWhoseAddressIsStale() throws IOException {
        try (TestHost left = new TestHost(directory()); TestHost right = new TestHost(directory())) {
            final TestWorker client = left.worker("client");
            final TestWorker server = right.worker("server");
            final byte[] nowhere =
                new ShmAddress(LaneLayout.LAYOUT_VERSION, 0, 1, directory().toString(), "gone.sock").encode();
            final ListenerName stale = ListenerName.claim(directory(), "prices", nowhere);
            client.connect("prices", "", Duration.ZERO);
            stepUntil("failed at once", () -> client.gone.size() == 1, client);
            assertEquals(Status.UNREACHABLE, client.gone.get(0).status());
            client.connect("prices", "", TestWorker.LIMIT);
            stale.close();
            server.shm.listen("prices");
            stepUntil("asked", () -> !server.requests.isEmpty(), client, server);
            server.accept(server.requests.get(0));
            stepUntil("connected", () -> client.connected.size() == 1, client, server);
            assertEquals(1, client.gone.size());
        }
    }

    @Test
    void shouldGiveItsNamesBackWhenItCloses() {
        try (TestHost host = new TestHost(directory())) {
            final TestWorker worker = host.worker("worker");
            worker.shm.listen("a");
            worker.shm.listen("b");
            assertEquals(Status.ALREADY_EXISTS,
                assertThrows(HeddleException.class, () -> worker.shm.listen("a")).status());
            worker.shm.unlisten("a");
            worker.shm.unlisten("a");
            worker.shm.listen("a");
            worker.connect("a", "", Duration.ZERO);
            stepUntil("asked", () -> !worker.requests.isEmpty(), worker);
            worker.close();
            assertEquals(null, ListenerName.find(directory(), "a"));
            assertEquals(null, ListenerName.find(directory(), "b"));
            assertThrows(ClosedException.class, () -> worker.shm.listen("c"));
            assertEquals(null, ListenerName.find(directory(), "c"));
        }
    }

    private static ByteBuffer hello(final long interfaceId, final String listener) {
        return new Hello(interfaceId, 1, 1, 8192, "x.seg", "hostile", listener, new byte[0]).encode();
    }

    private static Refused refused(final ByteBuffer answer) throws IOException {
        answer.flip().order(java.nio.ByteOrder.LITTLE_ENDIAN).position(FrameDescriptor.HEADER_BYTES);
        try {
            return Refused.decode(answer);
        } catch (final ControlViolation ex) {
            throw new IOException(ex);
        }
    }
}
