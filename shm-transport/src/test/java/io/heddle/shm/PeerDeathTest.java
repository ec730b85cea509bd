package io.heddle.shm;

import static io.heddle.shm.TestWorker.stepUntil;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.tests.base.StandsFor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class PeerDeathTest {
    @TempDir
    Path temp;

    private Path directory() {
        return temp.resolve("heddle");
    }

    @Test
    void shouldSeeThatAnAcceptorWasKilled() throws IOException {
        try (TestHost host = new TestHost(directory()); TestPeer peer = new TestPeer("", "listen",
            directory().toString())) {
            final TestWorker worker = host.worker("survivor");
            worker.connect(TestPeer.bytes(peer.expect("address")));
            stepUntil("connected", () -> !worker.connected.isEmpty(), worker);
            peer.kill();
            stepUntil("told", () -> !worker.gone.isEmpty(), worker);
            assertEquals(Status.CONNECTION_RESET, worker.gone.get(0).status());
            assertEquals("process ended", worker.gone.get(0).reason());
        }
    }

    @Test
    void shouldSeeThatAConnectorWasKilled() throws IOException {
        try (TestHost host = new TestHost(directory())) {
            final TestWorker worker = host.worker("survivor");
            try (TestPeer peer =
                new TestPeer("", "connect", directory().toString(), TestPeer.hex(worker.shm.address()))) {
                assertEquals("ready", peer.expect("outcome"));
                stepUntil("accepted", () -> !worker.accepted.isEmpty(), worker);
                peer.kill();
                stepUntil("told", () -> !worker.gone.isEmpty(), worker);
            }
            assertEquals(Status.CONNECTION_RESET, worker.gone.get(0).status());
            assertEquals("process ended", worker.gone.get(0).reason());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "shm.create.opened", "shm.create.sized", "shm.create.half-header", "shm.create.before-ready",
            "shm.create.before-name"})
    void shouldOutliveAConnectorKilledInTheHandshake(final String point) throws Exception {
        try (TestHost host = new TestHost(directory())) {
            final TestWorker worker = host.worker("survivor");
            try (TestPeer peer = new TestPeer(
                point + ":kill", "connect", directory().toString(), TestPeer.hex(worker.shm.address()))) {
                assertTrue(peer.ended());
                assertEquals(137, peer.exitCode());
            }
            try (TestHost next = new TestHost(directory())) {
                assertEquals(List.of(), next.segmentFiles(), "swept by the next context");
                final TestWorker client = next.worker("next");
                client.connect(worker.shm.address());
                stepUntil("connected", () -> !client.connected.isEmpty(), client, worker);
            }
            assertEquals(1, worker.accepted.size());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm.accept.mapped", "shm.accept.before-unlink"})
    void shouldCleanUpAfterAnAcceptorKilledInTheHandshake(final String point) throws IOException {
        try (TestHost host = new TestHost(directory());
            TestPeer peer = new TestPeer(point + ":kill", "listen", directory().toString())) {
            final TestWorker worker = host.worker("survivor");
            worker.connect(TestPeer.bytes(peer.expect("address")));
            stepUntil("told", () -> !worker.gone.isEmpty(), worker);
            assertEquals(Status.CONNECTION_RESET, worker.gone.get(0).status());
            assertEquals(List.of(), host.segmentFiles());
            await("unmapped").atMost(TestWorker.LIMIT).until(() -> host.transport.gauge().liveMaps() == 0);
        }
    }

    @Test
    @StandsFor("S2")
    void shouldSweepWhatAKilledPeerLeftWithoutWaitingForTheNextContext() throws IOException {
        try (TestHost host = new TestHost(directory()); TestPeer peer = new TestPeer("", "listen",
            directory().toString())) {
            final TestWorker worker = host.worker("survivor");
            worker.connect(TestPeer.bytes(peer.expect("address")));
            stepUntil("connected", () -> !worker.connected.isEmpty(), worker);
            final List<String> own = List.of(host.socketPath().getFileName().toString());
            assertEquals(2, TestHost.leftovers(directory()).size());
            peer.kill();
            await("swept").atMost(TestWorker.LIMIT).until(() -> TestHost.leftovers(directory()).equals(own));
        }
    }

    @Test
    void shouldTakeTheNameOfAListenerKilledWhileItTookIt() throws Exception {
        try (TestHost host = new TestHost(directory())) {
            final TestWorker worker = host.worker("survivor");
            try (TestPeer peer = new TestPeer("name.claim.locked:kill", "name", directory().toString())) {
                assertTrue(peer.ended());
            }
            assertEquals(true, Files.exists(directory().resolve("name-prices.lock")));
            worker.shm.listen("prices");
            worker.shm.unlisten("prices");
            try (TestHost next = new TestHost(directory());
                Stream<Path> files = Files.list(directory())) {
                assertEquals(List.of(),
                    files.filter(file -> file.getFileName().toString().startsWith("name-")).toList(),
                    "swept by the next context");
                assertEquals(List.of(), next.segmentFiles());
            }
        }
    }

    @Test
    void shouldTellThePeerWhyItCouldNotAccept() throws IOException {
        try (TestHost host = new TestHost(directory());
            TestPeer peer = new TestPeer("shm.accept.mapped:fail", "listen", directory().toString())) {
            final TestWorker worker = host.worker("client");
            worker.connect(TestPeer.bytes(peer.expect("address")));
            stepUntil("told", () -> !worker.gone.isEmpty(), worker);
            assertEquals(Status.IO_ERROR, worker.gone.get(0).status());
            assertTrue(worker.gone.get(0).reason().contains("fail point"), worker.gone.get(0).reason());
            assertEquals(List.of(), host.segmentFiles());
        }
    }

    @Test
    void shouldTimeOutOnAPeerThatStandsStill() throws IOException {
        final ControlTimings hasty = new ControlTimings(
            200_000_000L, TestHost.TIMINGS.lingerNs(), TestHost.TIMINGS.closeLingerNs(),
                TestHost.TIMINGS.acceptPauseNs());
        try (TestHost host = new TestHost(directory(), new ContextConfig(), hasty);
            TestPeer peer = new TestPeer("shm.accept.mapped:pause", "listen", directory().toString())) {
            final TestWorker worker = host.worker("client");
            worker.connect(TestPeer.bytes(peer.expect("address")));
            stepUntil("told", () -> !worker.gone.isEmpty(), worker);
            assertEquals(Status.TIMED_OUT, worker.gone.get(0).status());
            assertEquals(List.of(), host.segmentFiles());
        }
    }
}
