package io.heddle.tests.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.pair.PairJvm;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Closing with sends outstanding, whatever the peer does meanwhile: in time, and everything told. */
@ExtendWith(HygieneExtension.class)
@Timeout(120)
class CloseTowardsPeerTest {
    private static final int BYTES = 1000;
    /** Neither lanes nor descriptors have room for so much. */
    private static final int MESSAGES = 3000;
    private static final Duration DEADLINE = TestScale.isFull() ? Duration.ofSeconds(2) : Duration.ofMillis(200);
    /** Far beyond what a busy machine needs. */
    private static final Duration LIMIT = Duration.ofSeconds(20);
    @TempDir(factory = SharedMemoryTemp.class)
    private static Path directory;
    private static PairJvm child;

    /** What is closed first. */
    enum First { ENDPOINT, WORKER, CONTEXT }

    private final List<Request> requests = new ArrayList<>();
    private Context context;
    private Worker worker;
    private Endpoint endpoint;

    @AfterAll
    static void endChild() throws Exception {
        if (child != null) {
            child.close();
            child = null;
        }
    }

    private void open(final ThreadMode mode, final ContextConfig config, final WorkerAddress peer) {
        context = Context.create(config.sendPendingMax(MESSAGES));
        worker = Worker.create(context, mode, "closing");
        endpoint = Endpoint.create(worker, peer);
    }

    private void connect() {
        final long startNs = System.nanoTime();
        while (!endpoint.isConnected()) {
            worker.progress();
            assertTrue(System.nanoTime() - startNs < LIMIT.toNanos(), "not connected");
        }
    }

    private void sendAll() {
        connect();
        for (int i = 0; i < MESSAGES; i++) {
            final byte[] payload = Stamp.payload(i, BYTES);
            requests.add(endpoint.sendActiveMessage(Rig.ID, Stamp.of(100, i, payload, BYTES),
                new UnsafeBuffer(payload), 0, BYTES));
        }
    }

    /** Closes all three; reports what was cut off by all. */
    private CloseReport close(final First first, final Duration deadline) {
        final long startNs = System.nanoTime();
        CloseReport report = switch (first) {
            case ENDPOINT -> endpoint.close(CloseMode.FLUSH, deadline);
            case WORKER -> worker.close(CloseMode.FLUSH, deadline);
            case CONTEXT -> context.close(CloseMode.FLUSH, deadline);
        };
        final long tookNs = System.nanoTime() - startNs;
        System.out.println("close of " + first + " with deadline=" + deadline.toMillis() + "ms took "
            + TimeUnit.NANOSECONDS.toMillis(tookNs) + "ms " + report);
        assertTrue(tookNs < deadline.plus(TestScale.isFull() ? Duration.ofMillis(500) : LIMIT).toNanos());
        report = report.plus(endpoint.close(CloseMode.FLUSH, deadline));
        report = report.plus(worker.close(CloseMode.FLUSH, deadline));
        return report.plus(context.close(CloseMode.FLUSH, deadline));
    }

    private long ended(final Status status) {
        return requests.stream().filter(request -> request.status() == status).count();
    }

    private void assertAllCut(final CloseReport report) {
        final long cut = ended(Status.CANCELED);
        assertEquals(MESSAGES, ended(Status.OK) + cut);
        assertTrue(cut > 0, "nothing was left to cut off");
        assertEquals(new CloseReport((int) cut, cut * BYTES, List.of(), true), report);
    }

    // ---- peers of this process

    @ParameterizedTest
    @CsvSource({"SINGLE,ENDPOINT", "SERIALIZED,WORKER", "MULTI,CONTEXT", "MULTI,ENDPOINT", "SINGLE,WORKER"})
    @StandsFor("C2")
    void shouldFlushEverythingToAPeerThatIsFine(final ThreadMode mode, final First first) {
        try (Context peers = Context.create()) {
            final Worker peer = Worker.create(peers, mode, "peer");
            final AtomicInteger received = new AtomicInteger();
            peer.onActiveMessage(Rig.ID, message -> received.incrementAndGet());
            open(mode, new ContextConfig(), peer.address());
            final ProgressThread progress = mode == ThreadMode.SERIALIZED
                ? ProgressThread.start(peer, new ReentrantLock()) : ProgressThread.start(peer);
            sendAll();
            assertEquals(CloseReport.CLEAN, close(first, LIMIT));
            assertEquals(MESSAGES, ended(Status.OK));
            await("delivered").atMost(LIMIT).until(() -> received.get() == MESSAGES);
            assertEquals(CloseReport.CLEAN, progress.close(CloseMode.FLUSH, LIMIT));
        }
    }

    @ParameterizedTest
    @CsvSource({"SINGLE,ENDPOINT", "SERIALIZED,WORKER", "MULTI,CONTEXT"})
    @StandsFor("C2")
    void shouldCutOffWhatAPeerDoesNotTakeThatIsNotProgressing(final ThreadMode mode, final First first) {
        try (Context peers = Context.create()) {
            final Worker peer = Worker.create(peers, ThreadMode.MULTI, "peer");
            open(mode, new ContextConfig(), peer.address());
            sendAll();
            assertAllCut(close(first, DEADLINE));
            peer.close(CloseMode.FORCE, LIMIT);
        }
    }

    @ParameterizedTest
    @EnumSource(First.class)
    @StandsFor({"C2", "6.9/sockaddr.concurrent_disconnect"})
    void shouldCloseWhileThePeerClosesToo(final First first) throws Exception {
        try (Context peers = Context.create()) {
            final Worker peer = Worker.create(peers, ThreadMode.MULTI, "peer");
            final List<Status> told = new ArrayList<>();
            open(ThreadMode.MULTI, new ContextConfig(), peer.address());
            endpoint.onError((ended, status, reason) -> told.add(status));
            sendAll();
            final Thread closer = new Thread(() -> peer.close(CloseMode.FLUSH, DEADLINE), "closer");
            closer.start();
            final CloseReport report = close(first, LIMIT);
            closer.join();
            final long lost = ended(Status.CONNECTION_RESET) + ended(Status.CANCELED);
            assertEquals(MESSAGES, ended(Status.OK) + lost);
            assertTrue(report.cutRequests() <= lost, report::toString);
            assertEquals((long) report.cutRequests() * BYTES, report.cutBytes());
            assertFalse(report.isTimedOut(), "a peer that goes is not waited for");
        }
    }

    // ---- a peer in another process

    private PairJvm child() throws Exception {
        if (child == null) {
            child = PairJvm.start(directory);
            child.tell("open r MULTI");
        }
        return child;
    }

    private void openToChild() throws Exception {
        final String address = child().tell("state r").replaceAll(".*address=([0-9a-f]+).*", "$1");
        open(ThreadMode.MULTI, new ContextConfig().directory(directory.resolve("heddle")),
            WorkerAddress.ofHex(address));
    }

    @ParameterizedTest
    @EnumSource(First.class)
    @StandsFor("C2")
    void shouldCutOffWhatAStoppedPeerDoesNotTake(final First first) throws Exception {
        openToChild();
        connect();
        child.stop();
        try {
            sendAll();
            assertAllCut(close(first, DEADLINE));
        } finally {
            child.go();
        }
        child.tell("state r");
    }

    @ParameterizedTest
    @EnumSource(First.class)
    @StandsFor({"C2", "6.9/wireup.disconnect_nonexistent"})
    @Tag("scaled")
    void shouldNotWaitForADeadPeer(final First first) throws Exception {
        openToChild();
        connect();
        child.stop();
        sendAll();
        child.kill();
        child = null;
        final CloseReport report = close(first, LIMIT);
        final long lost = ended(Status.CONNECTION_RESET) + ended(Status.CANCELED);
        assertEquals(MESSAGES, ended(Status.OK) + lost);
        assertTrue(lost > 0, "nothing was left to be lost");
        assertTrue(report.cutRequests() <= lost, report::toString);
        assertFalse(report.isTimedOut(), "a peer that is gone is not waited for");
    }
}
