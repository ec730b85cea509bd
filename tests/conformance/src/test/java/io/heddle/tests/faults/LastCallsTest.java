package io.heddle.tests.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ThreadMode;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.pair.PairJvm;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The last calls on endpoints whose peer is gone, or whose segment is, between two JVMs of which the test is neither:
 * every call returns, every request ends, and no JVM is lost. Nobody progresses meanwhile but the calls.
 */
@Timeout(120)
class LastCallsTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    /** Far more than is owed, on a machine that does much else; asserted in the slow suite. */
    private static final long CALLS_US = 1_000_000;
    private static final int BYTES = 70_000;
    private static final int QUEUED = 20;
    private static final int BESIDE = 100;
    private static final String ENDED = " closed=true unfinished=0 took_us=[0-9]+";
    /** What is called on an endpoint, in order. */
    private static final List<List<String>> CALLS = List.of(
        List.of("flush", "FLUSH"), List.of("flush", "FORCE"), List.of("FLUSH"), List.of("FORCE"));

    @TempDir(factory = SharedMemoryTemp.class)
    Path directory;

    private PairJvm peer;
    private PairJvm caller;
    private final List<Path> links = new ArrayList<>();
    private long slowestUs;
    /** Where all code is compiled, a fault is thrown so late that it may take the news of a lane's end with it. */
    private boolean mayTimeOut;

    /** How the peer goes, or the segments. */
    enum Way {
        KILLED, CLOSED, TRUNCATED, TRUNCATED_AND_KILLED;

        boolean isTruncated() {
            return this == TRUNCATED || this == TRUNCATED_AND_KILLED;
        }

        boolean isKilled() {
            return this == KILLED || this == TRUNCATED_AND_KILLED;
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    @StandsFor("P6")
    @Tag("scaled")
    void shouldAllReturn(final Way way) throws Exception {
        call(way, "-XX:TieredStopAtLevel=1"); // with -Xint where a lost page was most dangerous, and quickly up
        assertTrue(!TestScale.isFull() || slowestUs < CALLS_US, () -> "slowestUs=" + slowestUs);
    }

    @ParameterizedTest
    @CsvSource({"TRUNCATED,-Xint", "TRUNCATED,-Xcomp", "TRUNCATED,-XX:+TieredCompilation",
        "TRUNCATED_AND_KILLED,-Xint", "TRUNCATED_AND_KILLED,-Xcomp"})
    @Tag("slow")
    @Timeout(600) // compiling everything takes most of it
    void shouldAllReturnHoweverCodeIsRun(final Way way, final String flag) throws Exception {
        mayTimeOut = "-Xcomp".equals(flag);
        call(way, flag);
    }

    private void call(final Way way, final String flag) throws Exception {
        try (PairJvm gone = PairJvm.start(directory, flag); PairJvm calling = PairJvm.start(directory, flag)) {
            peer = gone;
            caller = calling;
            openAll(way);
            go(way);
            for (final ThreadMode mode : modes(way)) {
                callAll(mode, way);
            }
            TestScale.report("P6 way=%s flag=%s slowest_us=%d of=%d", way, flag, slowestUs, 6 * modes(way).size());
        }
    }

    /** All of them in the slow suite, else one of them. */
    private static List<ThreadMode> modes(final Way way) {
        final List<ThreadMode> all = List.of(ThreadMode.values());
        return TestScale.isFull() ? all : List.of(all.get(way.ordinal() % all.size()));
    }

    /** Of the calling worker in that mode: its senders are told apart by this. */
    private static char name(final ThreadMode mode) {
        return (char) ('a' + mode.ordinal());
    }

    /** A peer that takes nothing, and of each mode a worker with an endpoint to it for each row of calls. */
    private void openAll(final Way way) throws Exception {
        final String doomed = peer.tell("open r MULTI");
        final String beside = way.isKilled() ? null : peer.tell("open b MULTI");
        peer.tell("still r on");
        for (final ThreadMode mode : modes(way)) {
            caller.tell("open " + name(mode) + ' ' + mode);
            for (int i = 0; i < CALLS.size(); i++) {
                connect(name(mode), i, doomed, way.isTruncated());
            }
            if (beside != null) {
                caller.tell("connect " + name(mode) + " beside " + beside);
                sendBeside(mode);
            }
            for (int i = 0; i < CALLS.size(); i++) {
                final String queued = caller.tell("queue " + name(mode) + ' ' + i + ' ' + QUEUED + ' ' + BYTES);
                assertTrue(PairJvm.number("unfinished", queued, "unfinished") > 0, queued);
            }
            caller.tell("still " + name(mode) + " on");
        }
    }

    private void connect(final char name, final int endpoint, final String address, final boolean isLinked)
        throws Exception {
        final Path link = directory.resolve(name + "-" + endpoint);
        caller.tell((isLinked ? "linked " : "connect ") + name + ' ' + endpoint + ' ' + address
            + (isLinked ? " " + link : ""));
        if (isLinked) {
            links.add(link);
        }
    }

    private void go(final Way way) throws Exception {
        if (way.isKilled()) {
            peer.kill();
        }
        for (final Path link : links) {
            try (FileChannel file = FileChannel.open(link, StandardOpenOption.WRITE)) {
                assertTrue(file.size() > 0);
                file.truncate(0);
            }
            Files.delete(link);
        }
        if (way == Way.CLOSED) {
            peer.tell("close r");
        } else if (!way.isKilled()) {
            peer.tell("still r off"); // it looks at what is there no more
        }
    }

    private void callAll(final ThreadMode mode, final Way way) throws Exception {
        for (int i = 0; i < CALLS.size(); i++) {
            for (final String call : CALLS.get(i)) {
                final boolean isFlush = "flush".equals(call);
                final String answer = caller.tell(isFlush ? "flush " + name(mode) + ' ' + i
                    : "end " + name(mode) + ' ' + i + ' ' + call);
                assertTrue(answer.matches(isFlush ? "status=" + statuses(way) + " took_us=[0-9]+"
                    : "timed_out=" + (mayTimeOut ? "(true|false)" : "false") + ENDED),
                    () -> "mode=" + mode + " call=" + call + " answer=" + answer);
                slowestUs = Math.max(slowestUs, PairJvm.number("time", answer, "took_us"));
            }
        }
        caller.tell("still " + name(mode) + " off");
        if (!way.isKilled()) {
            sendBeside(mode);
        }
        assertEquals("leaks=0 cut=0 timed_out=false in_use=0", caller.tell("close " + name(mode)));
    }

    /** How a flush may end. A lost page is told of in one way or another, but the flush is over, or its time. */
    private String statuses(final Way way) {
        return mayTimeOut ? "[A-Z_]+" : way.isTruncated() ? "(?!IN_PROGRESS)[A-Z_]+" : "(OK|CONNECTION_RESET)";
    }

    /** On another endpoint of the same worker, to another worker of the same peer. */
    private void sendBeside(final ThreadMode mode) throws Exception {
        final long before = peer.number("b", "received");
        final String sent = caller.tell("send " + name(mode) + " beside " + BESIDE + " 0 1");
        assertEquals(0, PairJvm.number("failed", sent, "failed"), sent);
        await("beside").atMost(LIMIT).pollInterval(Duration.ofMillis(5))
            .until(() -> peer.number("b", "received") == before + BESIDE);
        peer.assertNoProblem("b");
    }
}
