package io.heddle.tests.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ThreadMode;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.pair.PairJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two processes, of which one is stopped or killed in mid-stream; and the smallest ring under many senders. */
@Timeout(300)
class PairFaultsTest {
    private static final int MAX_LOG_LINES = 10;
    private static final String CLEAN = "leaks=0 cut=0 timed_out=false in_use=0";
    private static Path directory;
    private static PairJvm left;
    private static PairJvm right;

    @BeforeEach
    void start() throws Exception {
        if (directory == null) {
            directory = Files.createTempDirectory(Path.of("/dev/shm"), "heddle-pair-");
        }
        if (left == null) {
            left = PairJvm.start(directory, PairJvm.INFO);
        }
        if (right == null) {
            right = PairJvm.start(directory, PairJvm.INFO);
        }
    }

    @AfterEach
    void shouldHaveLeftNoSegments() throws Exception {
        // What a killed process had begun to make goes with the next context in its directory.
        final PairJvm survivor = left == null ? right : left;
        survivor.tell("open sweep MULTI");
        survivor.tell("close sweep");
        try (Stream<Path> files = Files.list(directory.resolve("heddle"))) {
            assertEquals(List.of(), files.filter(file -> file.toString().endsWith(".seg")).toList());
        }
    }

    @AfterAll
    static void stop() throws Exception {
        if (left != null) {
            left.close();
        }
        if (right != null) {
            right.close();
        }
        left = null;
        right = null;
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted((a, b) -> b.getNameCount() - a.getNameCount()).forEach(path -> path.toFile().delete());
        }
        directory = null;
    }

    private static void open(final ThreadMode mode, final String settings) throws Exception {
        final String address = right.tell("open r " + mode + settings);
        left.tell("open l " + mode + settings);
        left.tell("connect l e " + address);
        left.clearEvents(); // that the other side of an earlier test has closed
        right.clearEvents();
    }

    private static void awaitReceived(final long count) {
        await("received " + count).atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20))
            .until(() -> right.number("r", "received") == count);
    }

    private static int logged() {
        return left.log().size() + right.log().size();
    }

    private static void awaitBalance() {
        await("nothing in use").atMost(Duration.ofSeconds(30)).until(() -> right.number("r", "in_use") == 0);
    }

    private static void closeBoth() throws Exception {
        right.tell("release r");
        awaitBalance();
        left.assertNoProblem("l");
        right.assertNoProblem("r");
        assertEquals(CLEAN, left.tell("close l"));
        assertEquals(CLEAN, right.tell("close r"));
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("O1")
    @Tag("scaled")
    void shouldPublishNothingBeforeItsContentInARingOfTwo(final ThreadMode mode) throws Exception {
        final int senders = 8;
        final int each = mode == ThreadMode.MULTI ? 1000 : 200;
        final long goal = TestScale.count(each * senders, 50_000_000);
        open(mode, " slots=2");
        right.tell("keep r 2");
        final long start = System.nanoTime();
        long count = 0;
        while (count < goal && !TestScale.isOver(start)) {
            final String sent = left.tell("send l e " + each + " 0 " + senders);
            count += (long) each * senders;
            assertEquals(count, PairJvm.number("sent", sent, "sent"), sent);
            awaitReceived(count);
        }
        TestScale.report("O1 mode=%s messages=%d of=%d", mode, count, goal);
        closeBoth();
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("P4")
    void shouldLoseNothingWhileTheReceiverStandsStill(final ThreadMode mode) throws Exception {
        standStill(mode, 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 15})
    @StandsFor("P4")
    @Tag("slow")
    void shouldNotTakeALongPauseForDeath(final int seconds) throws Exception {
        standStill(ThreadMode.MULTI, seconds);
    }

    private static void standStill(final ThreadMode mode, final int seconds) throws Exception {
        final int count = 1000;
        final int loggedBefore = logged();
        open(mode, "");
        right.tell("keep r 3");
        left.tell("sending l e " + count + " 0 1");
        await("begun").atMost(Duration.ofSeconds(30)).until(() -> right.number("r", "received") > 0);
        right.stop();
        final long begun = System.nanoTime();
        await(seconds + " s of standing still").atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100))
            .until(() -> left.number("l", "errors") > 0
                || System.nanoTime() - begun > Duration.ofSeconds(seconds).toNanos());
        right.go();
        awaitReceived(count);
        assertEquals(0, left.number("l", "errors"), "a stopped process is not a dead one");
        assertEquals(0, left.number("l", "failed"));
        assertFalse(right.hasEvent());
        closeBoth();
        assertTrue(logged() - loggedBefore <= MAX_LOG_LINES);
    }

    @Test
    @StandsFor("P4")
    void shouldGiveUpAStoppedPeerOnceIfThatWasAskedFor() throws Exception {
        final int loggedBefore = logged();
        final String address = right.tell("open r MULTI");
        left.tell("open l MULTI peer_timeout_ms=300");
        left.tell("connect l e " + address);
        left.clearEvents();
        right.clearEvents();
        left.tell("sending l e 100000000 500 1");
        await("begun").atMost(Duration.ofSeconds(30)).until(() -> right.number("r", "received") > 0);
        right.stop();
        final String told = left.event();
        right.go();
        assertTrue(told.startsWith("error sender=-1 status=ENDPOINT_TIMEOUT "), told);
        assertTrue(right.event().contains(" status=CONNECTION_RESET "));
        await("the sender was told").atMost(Duration.ofSeconds(30)).until(() -> left.number("l", "failed") == 1);
        assertEquals(1, left.number("l", "errors"), "told once");
        final long before = right.number("r", "received");
        left.tell("open m MULTI");
        left.tell("connect m e " + address);
        left.tell("send m e 100 0 1");
        awaitReceived(before + 100);
        assertEquals(CLEAN, left.tell("close m"));
        closeBoth();
        assertTrue(logged() - loggedBefore <= MAX_LOG_LINES);
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("P5")
    void shouldDeliverWhatAKilledSenderHadPublished(final ThreadMode mode) throws Exception {
        open(mode, "");
        right.tell("keep r 5");
        left.tell("sending l e 100000000 0 1");
        await("streaming").atMost(Duration.ofSeconds(30)).until(() -> right.number("r", "received") > 500);
        final PairJvm victim = left;
        left = null;
        victim.kill();
        victim.close();

        final String told = right.event();
        assertTrue(told.startsWith("error sender=10800 status=CONNECTION_RESET "), told);
        assertEquals(PairJvm.number("received", told, "received"), right.number("r", "received"),
            "all was delivered before the error was told");
        assertTrue(PairJvm.number("kept", right.tell("state r"), "kept") > 0);
        right.tell("release r");
        awaitBalance();
        right.assertNoProblem("r");
        assertEquals(1, right.number("r", "errors"));
        assertEquals(CLEAN, right.tell("close r"));
        assertFalse(right.hasEvent(), "told once");
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("P5")
    void shouldEndEverySendToAKilledReceiver(final ThreadMode mode) throws Exception {
        open(mode, "");
        left.tell("sending l e 100000000 0 4");
        await("streaming").atMost(Duration.ofSeconds(30)).until(() -> right.number("r", "received") > 500);
        final PairJvm victim = right;
        right = null;
        victim.kill();
        victim.close();

        final String told = left.event();
        assertTrue(told.startsWith("error sender=-1 status=CONNECTION_RESET "), told);
        await("each sender was told").atMost(Duration.ofSeconds(30)).until(() -> left.number("l", "failed") == 4);
        left.assertNoProblem("l");
        assertEquals(1, left.number("l", "errors"));
        assertEquals(CLEAN, left.tell("close l"));
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("P5")
    void shouldGoOnWithOthersWhenOneOfTwoSendersIsKilled(final ThreadMode mode) throws Exception {
        open(mode, "");
        try (PairJvm third = PairJvm.start(directory)) {
            third.tell("open t " + mode);
            third.tell("connect t e " + right.tell("state r").replaceAll(".*address=([0-9a-f]+).*", "$1"));
            third.tell("sending t e 100000000 500 1");
            await("streaming").atMost(Duration.ofSeconds(30)).until(() -> right.number("r", "received") > 500);
            third.kill();
        }
        assertTrue(right.event().contains("CONNECTION_RESET"));
        final long before = right.number("r", "received");
        final String sent = left.tell("send l e 1000 0 1");
        assertEquals(1000, PairJvm.number("sent", sent, "sent"));
        awaitReceived(before + 1000);
        right.tell("release r");
        right.assertNoProblem("r");
        assertEquals(CLEAN, left.tell("close l"));
        assertEquals(CLEAN, right.tell("close r"));
    }
}
