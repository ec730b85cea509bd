package io.heddle.shm;

import static io.heddle.shm.TestWorker.stepUntil;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ContextConfig;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.spi.Lane;
import io.heddle.tests.base.StandsFor;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ShmConnectTest {
    @TempDir
    Path temp;

    private Path directory() {
        return temp.resolve("heddle");
    }

    @Test
    void shouldConnectTwoContextsAndLeaveNoFile() {
        try (TestHost left = new TestHost(directory()); TestHost right = new TestHost(directory())) {
            final TestWorker client = left.worker("client");
            final TestWorker server = right.worker("server");
            final Lane lane = client.connect(server.shm.address());
            stepUntil("connected", () -> !client.connected.isEmpty() && !server.accepted.isEmpty(), client, server);
            assertEquals(List.of(lane), client.connected);
            assertTrue(lane.isReady());
            assertTrue(server.accepted.get(0).isReady());
            assertTrue(client.peers.get(0).contains("worker=server"), client.peers.get(0));
            assertTrue(server.peers.get(0).contains("worker=client"), server.peers.get(0));
            assertEquals(List.of(), left.segmentFiles());
            assertEquals(List.of(), left.errors);
            assertEquals(List.of(), right.errors);
        }
        assertEquals(List.of(), TestHost.leftovers(directory()));
    }

    @Test
    void shouldConnectAWorkerToItself() {
        try (TestHost host = new TestHost(directory())) {
            final TestWorker worker = host.worker("self");
            worker.connect(worker.shm.address());
            stepUntil("both ends", () -> worker.connected.size() == 1 && worker.accepted.size() == 1, worker);
            assertEquals(2, host.transport.gauge().liveMaps());
        }
    }

    @Test
    @StandsFor("6.10/mm.open_for_posix")
    void shouldConnectAcrossTwoDirectories() {
        try (TestHost left = new TestHost(temp.resolve("a")); TestHost right = new TestHost(temp.resolve("b"))) {
            final TestWorker client = left.worker("client");
            final TestWorker server = right.worker("server");
            client.connect(server.shm.address());
            stepUntil("connected", () -> !client.connected.isEmpty() && !server.accepted.isEmpty(), client, server);
            assertEquals(List.of(), left.segmentFiles());
            assertEquals(List.of(), right.segmentFiles());
        }
    }

    @Test
    void shouldConnectTwoHundredAtOnce() {
        final int count = 200;
        try (TestHost left = new TestHost(directory()); TestHost right = new TestHost(directory())) {
            final TestWorker client = left.worker("client");
            final TestWorker server = right.worker("server");
            for (int i = 0; i < count; i++) {
                client.connect(server.shm.address());
            }
            stepUntil(
                "connected", () -> client.connected.size() == count && server.accepted.size() == count, client, server);
            assertEquals(List.of(), client.gone);
            assertEquals(List.of(), left.segmentFiles());
        }
    }

    @Test
    void shouldRetryWhileTheBacklogOfThePeerIsFull() throws IOException {
        try (TestHost host = new TestHost(directory());
            ServerSocketChannel busy = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            busy.bind(UnixDomainSocketAddress.of(directory().resolve("busy.sock")), 1);
            final TestWorker client = host.worker("client");
            final byte[] address = addressOf("busy.sock").encode();
            for (int i = 0; i < 10; i++) {
                client.connect(address);
            }
            for (int i = 0; i < 10; i++) {
                busy.accept().close();
            }
            stepUntil("every one was turned away", () -> client.gone.size() == 10, client);
            client.gone.forEach(gone -> assertTrue(gone.reason().contains("during the handshake"), gone.reason()));
            assertEquals(List.of(), host.segmentFiles());
        }
    }

    @Test
    void shouldTimeOutWhenThePeerDoesNotAnswer() throws IOException {
        final ControlTimings hasty = new ControlTimings(
            TimeUnit.MILLISECONDS.toNanos(50), TestHost.TIMINGS.lingerNs(), TestHost.TIMINGS.closeLingerNs(),
            TestHost.TIMINGS.acceptPauseNs());
        try (TestHost host = new TestHost(directory(), new ContextConfig(), hasty);
            ServerSocketChannel mute = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            mute.bind(UnixDomainSocketAddress.of(directory().resolve("mute.sock")));
            final TestWorker client = host.worker("client");
            client.connect(addressOf("mute.sock").encode());
            stepUntil("given up", () -> !client.gone.isEmpty(), client);
            assertEquals(Status.TIMED_OUT, client.gone.get(0).status());
            assertEquals(List.of(), host.segmentFiles());
        }
    }

    @Test
    void shouldSayThatNobodyListens() throws IOException {
        try (TestHost host = new TestHost(directory())) {
            try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                dead.bind(UnixDomainSocketAddress.of(directory().resolve("dead.sock")));
            }
            final TestWorker client = host.worker("client");
            client.connect(addressOf("dead.sock").encode());
            client.connect(addressOf("missing.sock").encode());
            stepUntil("both failed", () -> client.gone.size() == 2, client);
            assertEquals(Status.UNREACHABLE, client.gone.get(0).status());
            assertTrue(client.gone.get(0).reason().contains("no process listens"), client.gone.get(0).reason());
            assertEquals(Status.UNREACHABLE, client.gone.get(1).status());
            assertTrue(client.gone.get(1).reason().contains("socket missing"), client.gone.get(1).reason());
        }
    }

    @Test
    void shouldFailAConnectToAClosedInterface() {
        try (TestHost host = new TestHost(directory())) {
            final TestWorker client = host.worker("client");
            final TestWorker server = host.worker("server");
            final byte[] address = server.shm.address();
            server.close();
            client.connect(address);
            stepUntil("refused", () -> !client.gone.isEmpty(), client);
            assertEquals(Status.UNREACHABLE, client.gone.get(0).status());
            assertTrue(client.gone.get(0).reason().contains("no such worker"), client.gone.get(0).reason());
            assertEquals(List.of(), host.segmentFiles());
        }
    }

    @Test
    void shouldFailAMalformedAddress() {
        try (TestHost host = new TestHost(directory())) {
            final TestWorker client = host.worker("client");
            client.connect(new byte[] {9, 9, 9});
            client.connect(new ShmAddress(1, 0, 1, directory().toString(), "../x.sock").encode());
            stepUntil("both failed", () -> client.gone.size() == 2, client);
            client.gone.forEach(gone -> assertEquals(Status.INVALID_ADDR, gone.status()));
        }
    }

    @Test
    @StandsFor("6.10/iface.is_reachable")
    void shouldExplainWhyAnAddressIsUnreachable() {
        try (TestHost host = new TestHost(directory())) {
            final TestWorker worker = host.worker("worker");
            assertNull(host.transport.unreachableReason(worker.shm.address()));
            final String missing = host.transport.unreachableReason(
                new ShmAddress(LaneLayout.LAYOUT_VERSION, 0, 1, "/nowhere/heddle", "x.sock").encode());
            assertTrue(missing.startsWith("directory missing"), missing);
            final String socket = host.transport.unreachableReason(addressOf("x.sock").encode());
            assertTrue(socket.startsWith("socket missing"), socket);
            final ShmAddress mine = ShmAddress.decode(worker.shm.address());
            final String version = host.transport.unreachableReason(new ShmAddress(
                LaneLayout.LAYOUT_VERSION + 1, mine.uid(), mine.interfaceId(), mine.directory(),
                    mine.socketName()).encode());
            assertTrue(version.startsWith("other layout version"), version);
        }
    }

    @Test
    void shouldFindTheSocketInTheOwnDirectoryFirst() {
        try (TestHost host = new TestHost(directory())) {
            final TestWorker worker = host.worker("worker");
            final ShmAddress mine = ShmAddress.decode(worker.shm.address());
            worker.connect(new ShmAddress(
                mine.layoutVersion(), mine.uid(), mine.interfaceId(), "/mounted/elsewhere",
                    mine.socketName()).encode());
            stepUntil("connected", () -> !worker.connected.isEmpty() && !worker.accepted.isEmpty(), worker);
        }
    }

    @Test
    void shouldFailAConnectOverTheLimitAndLeaveNothing() {
        final ContextConfig small = new ContextConfig().sharedMemoryLimitBytes(1 << 20).poolLimitBytes(1 << 20);
        try (TestHost host = new TestHost(directory(), small, TestHost.TIMINGS)) {
            final TestWorker worker = host.worker("worker");
            final long lanes = (1 << 20) / host.transport.geometry().segmentBytes() + 1;
            for (int i = 0; i < lanes; i++) {
                worker.connect(worker.shm.address());
            }
            stepUntil("one failed", () -> worker.gone.size() + worker.connected.size() == lanes, worker);
            assertEquals(1, worker.gone.size());
            assertEquals(Status.NO_MEMORY, worker.gone.get(0).status());
            assertTrue(worker.gone.get(0).reason().contains("heddle.shm.limit"), worker.gone.get(0).reason());
            assertEquals(List.of(), host.segmentFiles());
        }
    }

    @Test
    void shouldGiveUpAConnectThatIsNotWantedAnyMore() throws IOException {
        try (TestHost host = new TestHost(directory());
            ServerSocketChannel mute = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            mute.bind(UnixDomainSocketAddress.of(directory().resolve("mute.sock")));
            final TestWorker client = host.worker("client");
            final Lane lane = client.connect(addressOf("mute.sock").encode());
            await("hello sent").atMost(TestWorker.LIMIT).until(() -> host.segmentFiles().size() == 1);
            client.dispose(lane);
            await("given up").atMost(TestWorker.LIMIT).until(() -> host.segmentFiles().isEmpty());
            client.step();
            assertEquals(List.of(), client.gone);
        }
    }

    @Test
    void shouldGiveUpAConnectUnderWayWhenTheContextCloses() throws IOException {
        try (ServerSocketChannel mute = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            try (TestHost host = new TestHost(directory())) {
                mute.bind(UnixDomainSocketAddress.of(directory().resolve("mute.sock")));
                host.worker("client").shm.connect(addressOf("mute.sock").encode());
                await("hello sent").atMost(TestWorker.LIMIT).until(() -> host.segmentFiles().size() == 1);
                host.transport.close();
                assertEquals(List.of(), host.segmentFiles());
            }
        }
    }

    @Test
    void shouldSurviveTheEndOfFileDescriptors() throws Exception {
        final List<String> launcher = List.of("sh", "-c", "ulimit -n 256 && exec \"$0\" \"$@\"");
        try (TestPeer child = new TestPeer(launcher, "", "exhaust", directory().toString())) {
            final String failed = child.expect("failed");
            assertTrue(Integer.parseInt(failed) > 0, failed);
            assertNotNull(child.expect("reason"));
            assertEquals("[]", child.expect("left"));
            assertTrue(child.ended());
            assertEquals(0, child.exitCode());
        }
    }

    @Test
    void shouldTellTheOtherSideOfAClose() {
        try (TestHost left = new TestHost(directory()); TestHost right = new TestHost(directory())) {
            final TestWorker client = left.worker("client");
            final TestWorker server = right.worker("server");
            final Lane lane = client.connect(server.shm.address());
            stepUntil("connected", () -> !client.connected.isEmpty() && !server.accepted.isEmpty(), client, server);
            client.dispose(lane);
            stepUntil("told", () -> !server.gone.isEmpty(), client, server);
            assertEquals(Status.CONNECTION_RESET, server.gone.get(0).status());
            assertEquals("closed", server.gone.get(0).reason());
            await("unmapped").atMost(TestWorker.LIMIT).until(() -> left.transport.gauge().liveMaps() == 0);
        }
    }

    @Test
    void shouldWakeThePeerByASignal() {
        try (TestHost left = new TestHost(directory()); TestHost right = new TestHost(directory())) {
            final TestWorker client = left.worker("client");
            final TestWorker server = right.worker("server");
            final Lane lane = client.connect(server.shm.address());
            stepUntil("connected", () -> !client.connected.isEmpty() && !server.accepted.isEmpty(), client, server);
            final int before = server.wakes.get();
            lane.signal();
            await("woken").atMost(TestWorker.LIMIT).until(() -> server.wakes.get() > before);
            for (int i = 0; i < 100_000; i++) {
                lane.signal();
            }
            final int now = server.wakes.get();
            lane.signal();
            await("woken again").atMost(TestWorker.LIMIT).until(() -> server.wakes.get() > now);
            assertTrue(lane.isReady());
        }
    }

    @Test
    void shouldRefuseASocketPathThatIsTooLong() {
        final Path deep = temp.resolve("d".repeat(100));
        final HeddleException refused = assertThrows(HeddleException.class, () -> new TestHost(deep));
        assertTrue(refused.getMessage().contains("socket path too long"), refused.getMessage());
    }

    @Test
    void shouldRefuseInterfacesAfterClose() {
        final TestHost host = new TestHost(directory());
        host.close();
        assertNotNull(assertThrows(HeddleException.class, () -> host.worker("late")).getMessage());
    }

    @Test
    void shouldForgetAPeerThatSaysNothing() throws IOException {
        final ControlTimings hasty = new ControlTimings(
            TimeUnit.MILLISECONDS.toNanos(50), TestHost.TIMINGS.lingerNs(), TestHost.TIMINGS.closeLingerNs(),
            TestHost.TIMINGS.acceptPauseNs());
        try (TestHost host = new TestHost(directory(), new ContextConfig(), hasty);
            SocketChannel silent = SocketChannel.open(UnixDomainSocketAddress.of(host.socketPath()))) {
            assertEquals(-1, silent.read(ByteBuffer.allocate(1)));
            assertTrue(Files.exists(host.socketPath()));
        }
    }

    private ShmAddress addressOf(final String socketName) {
        return new ShmAddress(LaneLayout.LAYOUT_VERSION, 0, 1, directory().toString(), socketName);
    }
}
