package io.heddle.context.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(20)
class LoggingErrorHandlerTest {
    private final Logger logger = (Logger)LoggerFactory.getLogger("io.heddle.errors");
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    @BeforeEach
    void listen() {
        logger.setAdditive(false);
        appender.start();
        logger.addAppender(appender);
    }

    @AfterEach
    void unlisten() {
        logger.detachAppender(appender);
        logger.setAdditive(true);
    }

    @Test
    void shouldStopRepeatingItselfButLogOtherErrors() {
        final LoggingErrorHandler handler = new LoggingErrorHandler();
        for (int i = 0; i < 50; i++) {
            handler.onError(new IOException("lost"));
        }
        handler.onError(new IllegalStateException("odd"));

        assertEquals(LoggingErrorHandler.LINES_PER_CLASS + 1, appender.list.size());
        final String last = appender.list.get(LoggingErrorHandler.LINES_PER_CLASS - 1).getFormattedMessage();
        assertTrue(last.contains("will not be logged"), last);
        assertEquals("odd", appender.list.get(LoggingErrorHandler.LINES_PER_CLASS).getFormattedMessage());
    }
}
