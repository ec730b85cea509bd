package io.heddle.context.internal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.ErrorHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs errors, at most {@value #LINES_PER_CLASS} of the same class, and says when it stops. Thread safe. */
public final class LoggingErrorHandler implements ErrorHandler {
    static final int LINES_PER_CLASS = 20;

    private static final Logger LOGGER = LoggerFactory.getLogger("io.heddle.errors");

    private final Map<Class<?>, AtomicInteger> seen = new ConcurrentHashMap<>();

    @Override
    public void onError(final Throwable error) {
        final int count = seen.computeIfAbsent(error.getClass(), type -> new AtomicInteger()).incrementAndGet();
        if (count < LINES_PER_CLASS) {
            LOGGER.error("{}", error.getMessage(), error);
        } else if (count == LINES_PER_CLASS) {
            LOGGER.error("{} (more of {} will not be logged)", error.getMessage(), error.getClass().getName(), error);
        }
    }
}
