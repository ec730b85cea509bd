package io.heddle.tests.base;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/** Keeps what is logged at WARN and above through Logback's root logger while attached. Thread safe. */
final class CapturedLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Queue<String> messages = new ConcurrentLinkedQueue<>();

    private CapturedLog() {
    }

    static CapturedLog attach() {
        final CapturedLog log = new CapturedLog();
        log.setContext((LoggerContext) LoggerFactory.getILoggerFactory());
        log.setName("hygiene");
        log.start();
        root().addAppender(log);
        return log;
    }

    /** Level, logger and formatted message of each event so far, in order. */
    List<String> messages() {
        return List.copyOf(messages);
    }

    @Override
    public void close() {
        root().detachAppender(this);
        stop();
    }

    @Override
    protected void append(final ILoggingEvent event) {
        if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
            messages.add(event.getLevel() + " " + event.getLoggerName() + ": " + event.getFormattedMessage());
        }
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }
}
