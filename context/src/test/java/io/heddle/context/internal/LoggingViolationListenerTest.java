package io.heddle.context.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.heddle.context.ThreadMode;
import io.heddle.context.ThreadModeViolation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(10)
final class LoggingViolationListenerTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(ThreadGuard.class);
    private final ListAppender<ILoggingEvent> captured = new ListAppender<>();
    private final List<Throwable> errors = new ArrayList<>();
    private final LoggingViolationListener listener = new LoggingViolationListener(errors::add);
    private final ThreadModeViolation violation = new ThreadModeViolation(
        "words", "prices", ThreadMode.SERIALIZED, Thread.currentThread(), "send", Thread.currentThread(), "progress");

    @BeforeEach
    void capture() {
        captured.start();
        logger.addAppender(captured);
        logger.setAdditive(false);
    }

    @AfterEach
    void letGo() {
        logger.detachAppender(captured);
        logger.setAdditive(true);
    }

    @Test
    void shouldLogTheFirstOfAPairAndGiveAllToTheErrorHandler() {
        listener.onViolation(violation, true);
        listener.onViolation(violation, false);

        assertEquals(1, captured.list.size());
        assertEquals(Level.ERROR, captured.list.get(0).getLevel());
        assertEquals("words", captured.list.get(0).getFormattedMessage());
        assertEquals(2, errors.size());
        assertSame(violation, errors.get(1));
    }

    @Test
    void shouldLogTwentyEventsInAll() {
        for (int i = 0; i < 30; i++) {
            listener.onViolation(violation, true);
            listener.onHolderLeft(new Throwable("the other side"), true);
        }
        assertEquals(LoggingViolationListener.MAX_LINES, captured.list.size());
        assertEquals(30, errors.size());
    }
}
