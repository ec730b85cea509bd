package io.heddle.context.internal;

import io.heddle.context.ThreadModeViolation;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.ErrorHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs each pair of operations once at ERROR, at most {@value #MAX_LINES} events for its worker, and gives every
 * violation to the worker's error handler, because executors swallow what their tasks throw. Thread safe if the error
 * handler is.
 */
public final class LoggingViolationListener implements ViolationListener {
    static final int MAX_LINES = 20;
    private static final Logger LOGGER = LoggerFactory.getLogger(ThreadGuard.class);

    private final AtomicInteger lines = new AtomicInteger();
    private final ErrorHandler errorHandler;

    /** @param errorHandler the worker's; called on the intruder's thread. */
    public LoggingViolationListener(final ErrorHandler errorHandler) {
        this.errorHandler = errorHandler;
    }

    @Override
    public void onViolation(final ThreadModeViolation violation, final boolean firstOfPair) {
        if (firstOfPair && lines.getAndIncrement() < MAX_LINES) {
            LOGGER.error(violation.getMessage(), violation);
        }
        errorHandler.onError(violation);
    }

    @Override
    public void onHolderLeft(final Throwable exactStack, final boolean firstOfOperation) {
        if (firstOfOperation && lines.getAndIncrement() < MAX_LINES) {
            LOGGER.error(exactStack.getMessage(), exactStack);
        }
    }
}
