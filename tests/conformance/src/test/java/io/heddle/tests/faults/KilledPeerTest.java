package io.heddle.tests.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.Status;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.pair.PairJvm;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Peers that are killed at exact points, seen by one worker that goes on, beside a third process that must not notice.
 */
@Timeout(120)
class KilledPeerTest {
    private static final int THIRD = 't' * 100;
    private static final int BESIDE = 300;
    private static final int LONG_BYTES = TestScale.count(16, 64) << 20;
    /** How many fragments half a long message is. */
    private static final int HALF = LONG_BYTES / 65_536 / 2;
    private static final int RECORD_BYTES = 1500;
    /** The limit of a flush or close of a dead peer's endpoint; asserted in the slow suite. */
    private static final long CLOSE_NS = 100_000_000L;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static Path directory;
    private static Survivor survivor;
    private static PairJvm third;
    private static long besideSent;

    @BeforeAll
    static void start() throws Exception {
        directory = Files.createTempDirectory(Path.of("/dev/shm"), "heddle-killed-");
        survivor = new Survivor(directory.resolve("heddle"));
        third = PairJvm.start(directory);
        third.tell("open t MULTI");
        third.tell("connect t e " + survivor.address());
    }

    @AfterEach
    void shouldHaveServedTheThirdAndLeftNoSegments() {
        survivor.goOn();
        survivor.echo(false);
        final List<String> problems = List.copyOf(survivor.problems);
        survivor.awaitReceived(THIRD, besideSent);
        survivor.forgetAllBut(THIRD);
        assertEquals(List.of(), problems);
        assertFalse(third.hasEvent(), "the third was told of an error");
        await("swept").atMost(Survivor.LIMIT).until(() -> segments().isEmpty());
    }

    @AfterAll
    static void shouldHaveFreedAllLanes() throws Exception {
        try {
            third.kill();
            survivor.awaitMaps(0);
        } finally {
            third.close();
            survivor.close();
            try (Stream<Path> files = Files.walk(directory)) {
                files.sorted((a, b) -> b.getNameCount() - a.getNameCount()).forEach(path -> path.toFile().delete());
            }
        }
    }

    private static List<Path> segments() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("heddle"))) {
            return files.filter(file -> file.toString().endsWith(".seg")).toList();
        }
    }

    private static PairJvm peer(final String failpoints) throws IOException {
        return PairJvm.start(directory, DyingPeer.class, "-XX:TieredStopAtLevel=1",
            "-Dheddle.failpoints=" + failpoints);
    }

    /** The third process begins to send; awaited at the end of each test. */
    private static void sendBeside() throws IOException {
        third.tell("sending t e " + BESIDE + " 0 1");
        besideSent += BESIDE;
    }

    /** Kills it while the third process sends; when. */
    private static long kill(final PairJvm peer) throws Exception {
        sendBeside();
        final long now = System.nanoTime();
        peer.kill();
        return now;
    }

    // ---- between claim and publish

    /** Where the ring stands when a claim is left open: messages before, which are read, and then, which are not. */
    enum Place {
        EMPTY(0, 0), HALF(0, 2), FULL(0, 3), WRAP(3, 0), PADDING(4, 0);

        private final int read;
        private final int unread;

        Place(final int read, final int unread) {
            this.read = read;
            this.unread = unread;
        }

        /** Of the messages read: those that leave the byte ring's end too short for the claim are long. */
        int bytes() {
            return this == PADDING ? RECORD_BYTES : 8;
        }

        /** In a slot, in the byte ring, in a descriptor. */
        int claimBytes(final int client) {
            return this == PADDING ? RECORD_BYTES : new int[] {8, RECORD_BYTES, 5000}[client % 3];
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 32})
    @StandsFor({"P1", "6.9/uct.multiple.test", "6.9/uct.two_pairs_send"})
    void shouldReadEverybodyElseWhenClientsDieBetweenClaimAndPublish(final int clients) throws Exception {
        final long[] sent = new long[clients];
        final long killedNs;
        try (PairJvm peer = peer("")) {
            peer.tell("open " + clients);
            peer.tell("connect " + survivor.address());
            for (int i = 0; i < clients; i++) {
                final Place place = place(i);
                peer.tell("send " + i + " 1 " + place.claimBytes(i)); // so that there is a descriptor to claim
                peer.tell("send " + i + ' ' + place.read + ' ' + place.bytes());
                sent[i] = 1 + place.read;
                survivor.awaitReceived(i, sent[i]);
            }
            await("all retired").atMost(Survivor.LIMIT).until(() -> survivor.worker.progress() == 0);
            survivor.standStill();
            for (int i = 0; i < clients; i++) {
                peer.tell("send " + i + ' ' + place(i).unread + " 8");
                sent[i] += place(i).unread;
                peer.tell("claim " + i + ' ' + place(i).claimBytes(i));
            }
            killedNs = kill(peer);
        }
        survivor.goOn();
        final long wentOnNs = System.nanoTime();
        survivor.awaitReceived(THIRD, besideSent - BESIDE + 1);
        Survivor.report("first message beside " + clients + " killed", System.nanoTime() - wentOnNs, 1_000_000_000L);
        survivor.awaitErrors(clients + " killed between claim and publish", clients, killedNs);
        for (int i = 0; i < clients; i++) {
            assertEquals(sent[i], survivor.received(i), "client=" + i);
        }
        survivor.assertOnlyResets(clients);
    }

    private static Place place(final int client) {
        return Place.values()[client % Place.values().length];
    }

    // ---- within every change of shared memory

    @ParameterizedTest
    @CsvSource({"shm.record.before-publish,7", "shm.record.before-head,3", "shm.credit.before-publish,2",
        "shm.control.before-publish,1", "shm.control.before-head,1", "shm.grow.before-name,1",
        "shm.grow.peer-mapped,1", "shm.grow.peer-unlinked,1"})
    @StandsFor({"P2", "P5"})
    @Tag("debug-only")
    void shouldGoOnWhenAPeerDiesWithinAChangeOfSharedMemory(final String point, final int passage) throws Exception {
        survivor.echo(true);
        try (PairJvm peer = peer(point + ":kill@" + passage)) {
            peer.tell("open 1");
            peer.tell("connect " + survivor.address());
            sendBeside();
            peer.tellLast("progress");
            peer.awaitKilled();
        }
        survivor.awaitErrors("killed at " + point, 1, System.nanoTime());
        survivor.assertOnlyResets(1);
        await("nothing in use").atMost(Survivor.LIMIT).until(() -> survivor.worker.statistics().poolInUse() == 0);
    }

    // ---- in every state of a connection

    @Test
    @StandsFor({"P5", "6.9/uct.keepalive.killed", "6.9/peer_failure_keepalive.kill_receiver"})
    void shouldTellOfAPeerKilledWhileIdle() throws Exception {
        final long killedNs;
        try (PairJvm peer = peer("")) {
            final String address = peer.tell("open 1");
            peer.tellLast("serve");
            survivor.connect(address);
            killedNs = kill(peer);
        }
        survivor.awaitErrors("killed while idle", 1, killedNs);
        survivor.assertOnlyResets(1);
    }

    @Test
    @StandsFor("6.9/peer_failure_keepalive.kill_receiver")
    void shouldWakeAWorkerThatSleepsOnceForAKilledPeer() throws Exception {
        try (PairJvm peer = peer("")) {
            final String address = peer.tell("open 1");
            peer.tellLast("serve");
            survivor.connect(address);
            survivor.standStill();
            arm();
            peer.kill();
        }
        final long killedNs = System.nanoTime();
        assertTrue(survivor.worker.await(Survivor.LIMIT), "woken");
        arm();
        survivor.awaitErrors("killed while the other slept", 1, killedNs);
        survivor.assertOnlyResets(1);
        assertFalse(survivor.worker.await(Duration.ofMillis(200)), "woken again, for nothing");
        sendBeside();
    }

    /** Progresses until there is nothing left to do. */
    private static void arm() {
        await("armed").atMost(Survivor.LIMIT).pollInterval(Duration.ofMillis(1)).pollInSameThread().until(() -> {
            survivor.worker.progress();
            return survivor.worker.arm() == Status.OK;
        });
    }

    @Test
    @StandsFor({"P5", "6.9/uct.keepalive.ep_check_async"})
    void shouldTellAtTheNextProgressIfNobodyProgressedMeanwhile() throws Exception {
        try (PairJvm peer = peer("")) {
            peer.tellLast("open 1");
            peer.tellLast("connect " + survivor.address());
            peer.tellLast("send 0 1 8");
            survivor.awaitReceived(0, 1);
            survivor.standStill();
            final long killedNs = kill(peer);
            await("a second").atMost(Survivor.LIMIT).pollInterval(Duration.ofMillis(10))
                .until(() -> System.nanoTime() - killedNs > 1_000_000_000L);
        }
        for (int i = 0; i < 3; i++) {
            survivor.worker.progress(); // the event, what was published before it, and the telling
        }
        assertEquals(List.of("sender=0 CONNECTION_RESET"), survivor.errors);
    }

    @Test
    @StandsFor({"P5", "6.9/peer_failure.bcopy_multi"})
    @Tag("scaled")
    void shouldDropHalfAMessageWhoseSenderIsKilled() throws Exception {
        final long killedNs;
        try (PairJvm peer = peer("shm.record.before-publish:kill@" + HALF)) {
            peer.tell("open 1");
            peer.tell("connect " + survivor.address());
            peer.tell("send 0 1 8");
            sendBeside();
            peer.tellLast("send 0 1 " + LONG_BYTES);
            peer.awaitKilled();
            killedNs = System.nanoTime();
        }
        survivor.awaitErrors("killed at half of a long message", 1, killedNs);
        survivor.assertOnlyResets(1);
        assertEquals(1, survivor.received(0), "half a message is none");
        await("nothing in use").atMost(Survivor.LIMIT).until(() -> survivor.worker.statistics().poolInUse() == 0);
    }

    @Test
    @StandsFor({"P5", "6.9/peer_failure.zcopy", "6.9/peer_failure.basic", "6.9/peer_failure.force_close",
        "6.9/uct.peer_failure", "6.9/uct.purge_failed_peer", "6.9/uct.keepalive.killed_post_am"})
    @Tag("scaled")
    void shouldEndEveryRequestToAKilledPeer() throws Exception {
        final List<String> told = new CopyOnWriteArrayList<>();
        final List<Request> requests = new ArrayList<>();
        final Endpoint endpoint;
        final long killedNs;
        try (PairJvm peer = peer("")) {
            final String address = peer.tell("open 1");
            endpoint = survivor.connect(address); // its worker does not progress
            final UnsafeBuffer data = new UnsafeBuffer(Stamp.payload(1, LONG_BYTES));
            for (int i = 0; i < 1000; i++) {
                final int bytes = i == 500 ? LONG_BYTES : 8;
                final int number = i;
                requests.add(endpoint.sendActiveMessage(Survivor.ID, null, data, 0, bytes,
                    (request, status) -> told.add(number + " " + status)));
            }
            requests.add(endpoint.flush());
            killedNs = kill(peer);
        }
        survivor.awaitErrors("killed under 1000 sends and a flush", 1, killedNs);
        await("all told").atMost(Survivor.LIMIT).until(() -> requests.stream().allMatch(Request::isDone)
            && told.size() == requests.stream().limit(1000).filter(each -> each.status() != Status.OK).count());
        assertTrue(requests.stream().allMatch(each -> each.status() == Status.CONNECTION_RESET
            || each.status() == Status.OK));
        assertEquals(Status.CONNECTION_RESET, requests.get(500).status());
        assertEquals(Status.CONNECTION_RESET, requests.get(1000).status());
        assertEquals(told.size(), told.stream().distinct().count(), "each told once");
        assertEquals(Status.CONNECTION_RESET, endpoint.sendActiveMessage(Survivor.ID, null, null, 0, 0).status());
        await("only the third's is left").atMost(Survivor.LIMIT)
            .until(() -> survivor.worker.statistics().endpoints() == 1);
        survivor.assertOnlyResets(1);
    }

    /** The peer dies as it lends the descriptor with which half of the message would have been handed over. */
    @Test
    @StandsFor({"P5", "6.9/peer_failure.bcopy_multi"})
    @Tag("scaled")
    void shouldEndOnceALongMessageWhoseReceiverIsKilledAtItsHalf() throws Exception {
        final List<Status> told = new CopyOnWriteArrayList<>();
        final Request sent;
        final Request flushed;
        try (PairJvm peer = peer("shm.credit.before-publish:kill@" + HALF)) {
            final String address = peer.tell("open 1");
            peer.tellLast("serve");
            final Endpoint endpoint = survivor.connect(address);
            sendBeside();
            sent = endpoint.sendActiveMessage(Survivor.ID, null, new UnsafeBuffer(new byte[LONG_BYTES]), 0, LONG_BYTES,
                (request, status) -> told.add(status));
            flushed = endpoint.flush();
            peer.awaitKilled();
        }
        survivor.awaitErrors("killed at half of a long message to it", 1, System.nanoTime());
        await("done").atMost(Survivor.LIMIT).until(() -> sent.isDone() && flushed.isDone() && !told.isEmpty());
        assertEquals(List.of(Status.CONNECTION_RESET, Status.CONNECTION_RESET),
            List.of(sent.status(), flushed.status()));
        assertEquals(List.of(Status.CONNECTION_RESET), told);
        survivor.assertOnlyResets(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm.accept.greeted", "shm.accept.mapped", "shm.accept.unlinked"})
    @StandsFor({"P5", "6.9/sockaddr.wireup_fail", "6.9/uct.purge_failed_peer"})
    @Tag("debug-only")
    void shouldEndEveryRequestToAPeerKilledInTheHandshake(final String point) throws Exception {
        final Request sent;
        final Request flushed;
        try (PairJvm peer = peer(point + ":kill")) {
            final Endpoint endpoint = survivor.connectLater(peer.tell("open 1"));
            sent = endpoint.sendActiveMessage(Survivor.ID, null, new UnsafeBuffer(new byte[8]), 0, 8);
            flushed = endpoint.flush();
            sendBeside();
            peer.awaitKilled();
        }
        survivor.awaitErrors("killed at " + point, 1, System.nanoTime());
        await("done").atMost(Survivor.LIMIT).until(() -> sent.isDone() && flushed.isDone());
        assertEquals(List.of(Status.CONNECTION_RESET, Status.CONNECTION_RESET),
            List.of(sent.status(), flushed.status()));
        survivor.assertOnlyResets(1);
    }

    // ---- flush and close

    @ParameterizedTest
    @CsvSource({"true,FLUSH", "true,FORCE", "false,FLUSH", "false,FORCE"})
    @StandsFor({"P6", "6.9/wireup.disconnect_nonexistent"})
    void shouldFlushAndCloseAtOnceTowardsAPeerThatIsGone(final boolean isKilled, final CloseMode mode)
        throws Exception {
        final Endpoint endpoint;
        try (PairJvm peer = peer("")) {
            endpoint = survivor.connect(peer.tell("open 1"));
            final UnsafeBuffer data = new UnsafeBuffer(new byte[100_000]);
            for (int i = 0; i < 20; i++) {
                endpoint.sendActiveMessage(Survivor.ID, null, data, 0, data.capacity());
            }
            survivor.standStill(); // so that it is these calls that find out
            if (isKilled) {
                kill(peer);
            } else {
                sendBeside();
                peer.tell("close 0");
            }
        }
        final long startNs = System.nanoTime();
        final Status flushed = endpoint.flush().await(PATIENCE);
        final boolean isTimedOut = endpoint.close(mode, PATIENCE).isTimedOut();
        Survivor.report("flush and close " + mode + " isKilled=" + isKilled, System.nanoTime() - startNs, CLOSE_NS);
        assertFalse(isTimedOut);
        assertTrue(flushed == Status.CONNECTION_RESET || flushed == Status.OK, flushed::toString);
        assertTrue(endpoint.isClosed());
    }
}
