package io.heddle.tests.faults;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/** Keeps every line of INFO and above that Heddle logs in this JVM, from its making to its close. Thread safe. */
final class InfoLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.heddle");
    private final Level level = logger.getLevel();
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    private InfoLog() {
        setContext((LoggerContext) LoggerFactory.getILoggerFactory());
    }

    static InfoLog attach() {
        final InfoLog log = new InfoLog();
        log.start();
        log.logger.setLevel(Level.INFO);
        log.logger.addAppender(log);
        return log;
    }

    @Override
    protected void append(final ILoggingEvent event) {
        lines.add(event.getLevel() + " " + event.getFormattedMessage());
    }

    /** Level and message of each so far, in order. */
    List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setLevel(level);
        stop();
    }
}
