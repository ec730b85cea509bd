package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;

/**
 * Two workers of two contexts over shared memory, an endpoint from the left one to the right one, and whatever workers
 * a test adds; all progressed by the test's thread, which owns them in SINGLE. Confined.
 */
final class Duo implements AutoCloseable {
    /** For whatever has to come: far beyond what a busy machine needs. */
    static final Duration LIMIT = Duration.ofSeconds(20);

    final Context leftContext;
    final Context rightContext;
    final Worker left;
    final Worker right;
    /** From left to right. */
    final Endpoint there;
    private final ThreadMode mode;
    private final List<Worker> workers = new ArrayList<>();
    private int leaksExpected;

    private Duo(final ThreadMode mode, final ContextConfig leftConfig, final ContextConfig rightConfig) {
        this.mode = mode;
        leftContext = Context.create(leftConfig);
        rightContext = Context.create(rightConfig);
        left = add(leftContext, "left");
        right = add(rightContext, "right");
        there = Endpoint.create(left, right.address());
    }

    /** With the default configuration, connected. */
    static Duo of(final ThreadMode mode) {
        return of(mode, new ContextConfig());
    }

    /** With one configuration for both contexts, connected. */
    static Duo of(final ThreadMode mode, final ContextConfig config) {
        return of(mode, config, config);
    }

    static Duo of(final ThreadMode mode, final ContextConfig leftConfig, final ContextConfig rightConfig) {
        final Duo duo = new Duo(mode, leftConfig, rightConfig);
        duo.connected(duo.there);
        return duo;
    }

    /** One more worker to be progressed and closed. */
    Worker add(final Context context, final String name) {
        final Worker worker = Worker.create(context, mode, name);
        workers.add(worker);
        return worker;
    }

    /** An endpoint, connected. */
    Endpoint connect(final Worker from, final Worker to) {
        return connected(Endpoint.create(from, to.address()));
    }

    Endpoint connected(final Endpoint endpoint) {
        until("connected", endpoint::isConnected);
        return endpoint;
    }

    /** One round of every worker that is open. */
    int progress() {
        int done = 0;
        for (final Worker worker : workers) {
            if (!worker.isClosed()) {
                done += worker.progress();
            }
        }
        return done;
    }

    /** Progresses all until it holds. */
    void until(final String what, final BooleanSupplier holds) {
        final Patience patience = new Patience();
        while (!holds.getAsBoolean()) {
            if (progress() == 0) {
                Thread.yield();
            }
            if (patience.isOver()) {
                throw new AssertionError("waited in vain: " + what + '\n' + describe());
            }
        }
    }

    /** Time in which this thread was really running: a machine that stands still for a while does not count. */
    private static final class Patience {
        private static final long MOST_PER_ROUND_NS = TimeUnit.MILLISECONDS.toNanos(200);
        private long lastNs = System.nanoTime();
        private long spentNs;

        boolean isOver() {
            final long nowNs = System.nanoTime();
            spentNs += Math.min(nowNs - lastNs, MOST_PER_ROUND_NS);
            lastNs = nowNs;
            return spentNs > LIMIT.toNanos();
        }
    }

    /** Progresses one worker until it holds. */
    static void until(final Worker worker, final String what, final BooleanSupplier holds) {
        final Patience patience = new Patience();
        while (!holds.getAsBoolean()) {
            if (worker.progress() == 0) {
                Thread.yield();
            }
            assertFalse(patience.isOver(), "waited in vain: " + what);
        }
    }

    /** Progresses all until nothing has moved for many rounds. */
    void settle() {
        final Patience patience = new Patience();
        for (int quiet = 0; quiet < 200; quiet++) {
            if (progress() > 0) {
                quiet = 0;
            }
            Thread.yield();
            assertFalse(patience.isOver(), "does not come to rest");
        }
    }

    /** Sends, and progresses all until it is done. */
    void send(final Endpoint endpoint, final int id, final DirectBuffer header, final DirectBuffer data) {
        done(endpoint.sendActiveMessage(id, header, data, 0, data == null ? 0 : data.capacity()));
    }

    void done(final Request request) {
        until("sent", request::isDone);
        assertEquals(Status.OK, request.status());
    }

    /** Small messages until one is refused; the receiver does not look. How many were accepted. */
    int fill(final Endpoint endpoint, final int id, final DirectBuffer data) {
        int accepted = 0;
        while (endpoint.trySendActiveMessage(id, null, data, 0, data.capacity()) == Status.OK) {
            accepted++;
        }
        assertEquals(Status.NO_RESOURCE, endpoint.trySendActiveMessage(id, null, data, 0, data.capacity()));
        return accepted;
    }

    /** So many elements are still kept at the end; to be released by the test thereafter. */
    void expectLeaks(final int elements) {
        leaksExpected = elements;
    }

    private String describe() {
        final StringBuilder text = new StringBuilder();
        for (final Worker worker : workers) {
            if (!worker.isClosed()) {
                text.append(worker.describe());
            }
        }
        return text.toString();
    }

    @Override
    public void close() {
        final List<String> leaks = new ArrayList<>();
        try {
            for (final Worker worker : workers) {
                final CloseReport report = worker.close(CloseMode.FORCE, Duration.ofNanos(TimeUnit.SECONDS.toNanos(5)));
                leaks.addAll(report.leaks());
            }
        } finally {
            CloseHelper.closeAll(leftContext, rightContext);
        }
        assertEquals(leaksExpected, leaks.size(), leaks::toString);
    }
}
