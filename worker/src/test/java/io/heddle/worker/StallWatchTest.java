package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.heddle.context.CloseMode;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Work that nobody progresses is told of. The test's hand makes the seconds go by. */
@Timeout(20)
@ExtendWith(HygieneExtension.class)
final class StallWatchTest {
    private static final String STALLED = "worker has pending work and hasn't been progressed since";

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.start();
        logger().addAppender(log);
    }

    @AfterEach
    void listenNoMore() {
        logger().detachAppender(log);
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(Worker.class);
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("W6")
    @ExpectedLog(STALLED)
    void shouldTellOncePerStall(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            pair.fillLane();
            WorkerPair.settle(pair.right);
            pass(pair, StallWatch.LOOKS);
            assertEquals(0, warnings("left").size(), "not before the time is over");
            pass(pair, 1);
            final String warning = warnings("left").get(0);
            assertTrue(warning.contains("pending=[sends of endpoints=1]") && warning.contains("threadMode=" + mode)
                && warning.contains("progressThread=none") && warning.contains("ProgressThread.start(worker)"),
                warning);
            pass(pair, 20);
            assertEquals(1, warnings("left").size(), "once");
            pair.left.progress();
            pair.fillLane();
            pass(pair, 20);
            assertEquals(2, warnings("left").size(), "another stall");
            pair.settle();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @ExpectedLog(STALLED)
    void shouldSayWhatIsPending(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<ReceivedData> kept = new ArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> kept.add(message.retain()));
            pair.sendNumber(1);
            pair.settle();
            kept.get(0).close();
            pair.sendNumber(2);
            pair.left.connect(pair.right.address());
            pass(pair, 20);
            final String warning = warnings("right").get(0);
            assertTrue(warning.contains("pending=[events of connections, received messages, released data]"), warning);
            pair.settle();
            kept.get(1).close();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldNotTellOfWorkersThatAreIdleAsleepProgressedOrWithinAHandler(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> pass(pair, 20));
            pass(pair, 20);
            assertEquals(Status.OK, pair.right.arm());
            pass(pair, 20);
            pair.sendNumber(1);
            for (int i = 0; i < 20; i++) {
                pass(pair, StallWatch.LOOKS - 1);
                pair.right.progress();
                pair.sendNumber(i);
            }
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
            pair.settle();
            assertEquals(List.of(), warnings(""));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @ExpectedLog(STALLED)
    void shouldTellTwentyTimesAtMost(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            for (int i = 0; i < 25; i++) {
                pair.sendNumber(i);
                pass(pair, 10);
                WorkerPair.settle(pair.right);
            }
            assertEquals(20, warnings("right").size());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLookOnlyWhileThereIsSomethingToWatch(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            assertEquals(2, pass(pair, 1), "both have a connection");
            assertEquals(2, pass(pair, 1));
            pair.there.close(CloseMode.FORCE, LIMIT);
            pair.settle();
            pass(pair, 1);
            assertEquals(0, pass(pair, 1));
            pair.left.connect(pair.right.address());
            pair.settle();
            assertEquals(2, pass(pair, 1), "again");
            pair.right.close(CloseMode.FORCE, LIMIT);
            pair.settle();
            pass(pair, 1);
            assertEquals(1, pass(pair, 1));
        }
    }

    /** So many seconds go by. How many looks the last one had. */
    private static int pass(final WorkerPair pair, final int seconds) {
        int looks = 0;
        for (int i = 0; i < seconds; i++) {
            looks = pair.transport.runDelayed();
        }
        return looks;
    }

    private List<String> warnings(final String worker) {
        return log.list.stream().map(ILoggingEvent::getFormattedMessage)
            .filter(text -> text.startsWith(STALLED) && text.contains("worker=" + worker)).toList();
    }
}
