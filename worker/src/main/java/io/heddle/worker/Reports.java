package io.heddle.worker;

import io.heddle.context.Status;
import io.heddle.context.ThreadModeViolation;
import io.heddle.context.internal.Guarded;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a worker tells of that nobody can be thrown at: to the application's error handler, else to the log, in which it
 * writes a few lines and then no more.
 *
 * <p>Thread safe. Nothing here is called under the worker lock but what is told later, by the dispatcher.
 */
final class Reports {
    private static final Logger LOGGER = LoggerFactory.getLogger(Worker.class);
    private static final int MAX_LOG_LINES = 20;

    private final WorkerCore core;
    private final AtomicInteger logLines = new AtomicInteger();
    private volatile WorkerErrorHandler errorHandler;

    Reports(final WorkerCore core) {
        this.core = core;
    }

    /** Null for the log. */
    void errorHandler(final WorkerErrorHandler handler) {
        errorHandler = handler;
    }

    /** Never throws. @param connection null if it concerns none. */
    void error(final Connection connection, final Status status, final Throwable error) {
        final WorkerErrorHandler handler = errorHandler;
        if (handler == null) {
            if (!(error instanceof ThreadModeViolation)) {
                warn("unhandled error: worker={} {} status={}", core.name(), connection == null ? "" : connection,
                    status, error);
            }
            return;
        }
        try {
            handler.onError(core.worker(), connection, status, error);
        } catch (final Throwable second) {
            warn("the error handler itself threw: worker={}", core.name(), second);
        }
    }

    void warn(final String format, final Object... arguments) {
        if (logLines.incrementAndGet() <= MAX_LOG_LINES) {
            LOGGER.warn(format, arguments);
        }
    }

    /** Nobody is told of the end, unless by what was sent. The handler may be set a moment late: no more than news. */
    void notConnected(final Connection connection) {
        if (logLines.incrementAndGet() <= MAX_LOG_LINES) {
            LOGGER.info("not connected, and no error handler: worker={} status={} {}", core.name(),
                connection.status(), connection.failure());
        }
    }

    // ---- told later, by the dispatcher

    @Guarded
    void errorLater(final Connection connection, final Status status, final Throwable error) {
        core.defer(new Told(connection, () -> error(connection, status, error)));
    }

    @Guarded
    void payloadChangedLater(final Connection connection, final int id, final int bytes) {
        core.counts().payloadsChanged++;
        core.defer(new Told(connection, () -> warn("payload of a pending send was changed before it went out: "
            + "worker={} {} id={} lengthBytes={}; it belongs to the send until its request is done", core.name(),
            connection, id, bytes)));
    }

    /** Somebody wants to know of an end that came before. Any thread, with or without the guard. */
    void endLater(final Connection connection) {
        core.defer(new Told(connection, connection.endNotice()::tell));
    }

    /** Something for the log or the error handler. */
    private record Told(Connection connection, Runnable text) implements Deferred {
        @Override
        public void tell() {
            text.run();
        }
    }
}
