package io.heddle.shm;

import static io.heddle.shm.TestWorker.stepUntil;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.tests.base.StandsFor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code heddle.peer.timeout}: who stands still is given up, who is quiet is not. */
@Timeout(60)
class PeerPulseTest {
    private static final Duration TIMEOUT = Duration.ofMillis(300);
    @TempDir
    Path temp;

    private Path directory() {
        return temp.resolve("heddle");
    }

    private TestHost host() {
        return new TestHost(directory(), new ContextConfig().peerTimeout(TIMEOUT), TestHost.TIMINGS);
    }

    @Test
    @StandsFor({"P4", "6.9/wireup.keepalive_attr"})
    void shouldGiveUpAPeerThatStandsStillOnceAndTellIt() throws Exception {
        try (TestHost host = host(); TestPeer peer = new TestPeer("", "lose", directory().toString())) {
            final TestWorker worker = host.worker("impatient");
            final byte[] address = TestPeer.bytes(peer.expect("address"));
            worker.connect(address);
            stepUntil("connected", () -> !worker.connected.isEmpty(), worker);
            assertTrue(host.transport.describe().contains("shm.peer.timeout.ns=" + TIMEOUT.toNanos()));
            peer.signal("STOP");
            stepUntil("told", () -> !worker.gone.isEmpty(), worker);
            peer.signal("CONT");
            assertEquals(Status.ENDPOINT_TIMEOUT, worker.gone.get(0).status());
            final String told = peer.expect("gone");
            assertTrue(told.startsWith("CONNECTION_RESET given up by the peer: this process did not answer"), told);
            worker.connect(address);
            stepUntil("connected anew", () -> worker.connected.size() == 2, worker);
            assertEquals(1, worker.gone.size(), "told once");
            assertEquals(List.of(), host.errors);
        }
    }

    @Test
    @StandsFor("6.9/wireup.keepalive_attr")
    void shouldKeepAPeerThatIsOnlyQuiet() throws Exception {
        try (TestHost host = host(); TestPeer peer = new TestPeer("", "listen", directory().toString())) {
            final TestWorker worker = host.worker("patient");
            worker.connect(TestPeer.bytes(peer.expect("address")));
            stepUntil("connected", () -> !worker.connected.isEmpty(), worker);
            final long startNs = System.nanoTime();
            stepUntil("three timeouts have passed, or it was given up", () -> !worker.gone.isEmpty()
                || System.nanoTime() - startNs > 3 * TIMEOUT.toNanos(), worker);
            assertEquals(List.of(), worker.gone);
        }
    }

    @Test
    @StandsFor("P4")
    void shouldNotTakeItsOwnPauseForThePeers() throws Exception {
        final AtomicLong pausedNs = new AtomicLong();
        final AtomicLong clockReads = new AtomicLong();
        final ContextConfig config = new ContextConfig().peerTimeout(TIMEOUT).nanoClock(() -> {
            clockReads.incrementAndGet();
            return System.nanoTime() + pausedNs.get();
        });
        try (TestHost host = new TestHost(directory(), config, TestHost.TIMINGS);
            TestPeer peer = new TestPeer("", "listen", directory().toString())) {
            final TestWorker worker = host.worker("paused");
            worker.connect(TestPeer.bytes(peer.expect("address")));
            stepUntil("connected", () -> !worker.connected.isEmpty(), worker);
            for (int i = 0; i < 5; i++) {
                pausedNs.addAndGet(10 * TIMEOUT.toNanos()); // as a long pause does: nothing was read meanwhile
                final long before = clockReads.get();
                await("looked").atMost(TestWorker.LIMIT).until(() -> clockReads.get() > before);
                worker.step();
            }
            assertEquals(List.of(), worker.gone);
            assertTrue(worker.connected.get(0).isReady());
        }
    }
}
