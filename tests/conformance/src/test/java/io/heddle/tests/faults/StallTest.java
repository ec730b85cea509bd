package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** An application that sends and then progresses nothing, over shared memory; its seconds go by at the test's word. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class StallTest {
    private static final String STALLED = "worker has pending work and hasn't been progressed since";

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("W6")
    @ExpectedLog(STALLED)
    void shouldBeToldOfOnceByTheControlThread(final ThreadMode mode) {
        final AtomicLong passedNs = new AtomicLong();
        final ListAppender<ILoggingEvent> log = new ListAppender<>();
        final Logger logger = (Logger) LoggerFactory.getLogger(Worker.class);
        log.start();
        logger.addAppender(log);
        try (Rig rig = Rig.open(mode, new ContextConfig().nanoClock(() -> System.nanoTime() + passedNs.get()))) {
            rig.receiver.onActiveMessage(Rig.ID, Rig::assertRight);
            Request last = rig.send(100);
            while (last.isDone()) {
                last = rig.send(100);
            }
            Awaitility.await("told of both").atMost(Rig.LIMIT).pollInterval(5, TimeUnit.MILLISECONDS).until(() -> {
                pass(rig, passedNs);
                return log.list.size() >= 2;
            });
            for (int i = 0; i < 10; i++) {
                pass(rig, passedNs);
            }
            final List<String> told = log.list.stream().map(ILoggingEvent::getFormattedMessage).sorted().toList();
            assertEquals(2, told.size(), told::toString);
            assertTrue(told.stream().anyMatch(text -> text.startsWith(STALLED) && text.contains("worker=sender")
                && text.contains("pending=[sends of endpoints=1]")), told::toString);
            assertTrue(told.stream().anyMatch(text -> text.startsWith(STALLED) && text.contains("worker=receiver")
                && text.contains("received messages")), told::toString);
            assertTrue(log.list.get(0).getThreadName().startsWith("heddle-control-"), log.list.get(0)::getThreadName);
            assertEquals(Status.IN_PROGRESS, last.status());
            rig.until("sent", last::isDone);
        } finally {
            logger.detachAppender(log);
        }
    }

    /** A second, which the control thread notices at once. */
    private static void pass(final Rig rig, final AtomicLong passedNs) {
        passedNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
        rig.context.transports().get(0).execute(() -> { }, 0);
    }
}
