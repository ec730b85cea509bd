package io.heddle.tests.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.pair.PairJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A JVM whose garbage collector stops it for long: that is a pause, and death only for who asked for a limit. */
@Timeout(300)
class LongCollectionTest {
    private static final long PAUSE_MS = TestScale.count(500, 12_000);
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int BATCH = 1000;
    private static final int MAX_LOG_LINES = 10;
    private static final String CLEAN = "leaks=0 cut=0 timed_out=false in_use=0";
    @TempDir(factory = SharedMemoryTemp.class)
    private static Path directory;
    private static PairJvm quick;
    private static PairJvm collecting;

    @BeforeAll
    static void start() throws Exception {
        quick = PairJvm.start(directory, PairJvm.INFO);
        collecting = PairJvm.start(directory, PairJvm.INFO, "-Xmx" + TestScale.count(512, 6144) + "m");
        System.out.println("full collection: " + collecting.tell("fill " + PAUSE_MS));
    }

    @AfterEach
    void shouldHaveLoggedLittle() {
        quick.clearEvents(); // that the other side of what a test closed has gone
        collecting.clearEvents();
        assertTrue(quick.log().size() <= MAX_LOG_LINES, () -> "log: " + quick.log());
        assertTrue(collecting.log().size() <= MAX_LOG_LINES, () -> "log: " + collecting.log());
    }

    @AfterAll
    static void stop() {
        CloseHelper.closeAll(quick, collecting);
    }

    private static void awaitReceived(final PairJvm jvm, final String worker, final long count) {
        await("received " + count).atMost(LIMIT).pollInterval(Duration.ofMillis(5))
            .until(() -> jvm.number(worker, "received") >= count);
    }

    @Test
    @StandsFor("P4")
    @Tag("scaled")
    void shouldLoseNothingAndTellNothingWhileThePeerCollects() throws Exception {
        final String there = collecting.tell("open c MULTI");
        final String here = quick.tell("open q MULTI");
        quick.tell("connect q e " + there);
        collecting.tell("connect c e " + here);
        collecting.tell("sending c e " + BATCH + " 0 1");
        final FutureTask<String> collection = new FutureTask<>(() -> collecting.tell("collect"));
        final Thread collector = new Thread(collection, "collector");
        collector.start();
        long sent = 0;
        while (!collection.isDone()) { // so that some are under way whenever it begins and ends
            quick.tell("send q e " + BATCH + " 0 1");
            sent += BATCH;
        }
        System.out.println("collection under traffic: " + collection.get());
        awaitReceived(collecting, "c", sent);
        awaitReceived(quick, "q", BATCH);
        for (final PairJvm jvm : List.of(quick, collecting)) {
            final String name = jvm == quick ? "q" : "c";
            jvm.assertNoProblem(name);
            assertEquals(0, jvm.number(name, "errors"), "a long collection is no death");
            assertEquals(0, jvm.number(name, "failed"));
            assertFalse(jvm.hasEvent());
        }
        assertEquals(CLEAN, quick.tell("close q"));
        assertEquals(CLEAN, collecting.tell("close c"));
    }

    @Test
    @StandsFor("P4")
    @Tag("scaled")
    void shouldGiveUpEachEndpointOnceIfThatWasAskedForAndConnectAgain() throws Exception {
        final String there = collecting.tell("open d MULTI");
        for (final String name : List.of("v", "w")) {
            quick.tell("open " + name + " MULTI peer_timeout_ms=" + PAUSE_MS * 2 / 3);
            quick.tell("connect " + name + " e " + there);
            quick.tell("sending " + name + " e 100000000 500 1");
        }
        awaitReceived(collecting, "d", BATCH);
        while (quick.number("v", "errors") == 0 || quick.number("w", "errors") == 0) {
            collecting.tell("collect");
        }
        for (final String name : List.of("v", "w")) {
            assertTrue(quick.event().startsWith("error sender=-1 status=ENDPOINT_TIMEOUT "));
            assertTrue(collecting.event().contains(" status=CONNECTION_RESET "));
            await("its sender was told").atMost(LIMIT).until(() -> quick.number(name, "failed") == 1);
            final String another = collecting.tell("open " + name + " MULTI");
            quick.tell("connect " + name + " again " + another);
            quick.tell("send " + name + " again " + BATCH + " 0 1");
            awaitReceived(collecting, name, BATCH);
            assertEquals(1, quick.number(name, "errors"), "told once");
            quick.assertNoProblem(name);
            collecting.assertNoProblem(name);
            assertEquals(CLEAN, quick.tell("close " + name));
            assertEquals(CLEAN, collecting.tell("close " + name));
        }
        assertEquals(2, collecting.number("d", "errors"), "told once each");
        collecting.assertNoProblem("d");
        assertEquals(CLEAN, collecting.tell("close d"));
    }
}
