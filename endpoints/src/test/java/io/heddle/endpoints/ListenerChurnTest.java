package io.heddle.endpoints;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.TestScale;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several threads connect both ways by name while a listener comes and goes. */
@Timeout(300)
class ListenerChurnTest {
    private static final int ROUNDS = TestScale.count(20, 5000);

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger connected = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private long startNs;

    @Test
    @Tag("scaled")
    void shouldGiveEachConnectAnOutcomeAndLeaveNothing() throws Exception {
        final ExecutorService pool = Executors.newFixedThreadPool(5);
        startNs = System.nanoTime();
        try (Pair pair = new Pair(ThreadMode.MULTI)) {
            try (ProgressThread near = ProgressThread.start(pair.client);
                ProgressThread far = ProgressThread.start(pair.server);
                Listener steady = Listener.create(pair.server, "steady", ListenerChurnTest::accept);
                Listener back = Listener.create(pair.client, "back", ListenerChurnTest::accept)) {
                final List<Future<?>> jobs = new ArrayList<>();
                jobs.add(pool.submit(connecting(pair.client, "steady")));
                jobs.add(pool.submit(connecting(pair.server, "back")));
                jobs.add(pool.submit(connecting(pair.client, "fickle")));
                jobs.add(pool.submit(connecting(pair.server, "fickle")));
                final Future<?> churn = pool.submit(() -> {
                    while (!jobs.stream().allMatch(Future::isDone)) {
                        Listener.create(pair.client, "fickle", ListenerChurnTest::accept).close();
                    }
                });
                for (final Future<?> job : jobs) {
                    job.get();
                }
                churn.get();
                assertEquals(begun.get(), connected.get() + refused.get());
                TestScale.report("churn of listeners: connects=%d of=%d refused=%d", begun.get(), 4 * ROUNDS,
                    refused.get());
                await("peers are forgotten").atMost(Pair.LIMIT)
                    .until(() -> pair.client.statistics().endpoints() == 0
                        && pair.server.statistics().endpoints() == 0);
                assertEquals("steady back", steady.name() + ' ' + back.name());
                assertTrue(near.thread().isAlive() && far.thread().isAlive());
            }
            assertEquals(List.of(), pair.errors);
            assertEquals(List.of(), pair.files("name-.*|.*\\.seg"));
        } finally {
            pool.shutdownNow();
        }
    }

    /** Takes everybody, until the peer goes. */
    private static void accept(final ConnectionRequest request) {
        request.accept().onError((endpoint, status, reason) -> endpoint.close(CloseMode.FORCE, Duration.ZERO));
    }

    private Callable<Void> connecting(final Worker worker, final String name) {
        return () -> {
            for (int i = 0; i < ROUNDS && !TestScale.isOver(startNs); i++) {
                begun.incrementAndGet();
                final Endpoint endpoint = Endpoint.create(worker, name);
                await("an outcome").atMost(Pair.LIMIT).pollInterval(Duration.ofMillis(1))
                    .until(() -> endpoint.isConnected() || endpoint.failure() != null);
                if (endpoint.failure() == null) {
                    connected.incrementAndGet();
                } else {
                    refused.incrementAndGet();
                    assertEquals("fickle", name, endpoint::failure);
                    assertTrue(endpoint.status() == Status.UNREACHABLE || endpoint.status() == Status.CONNECTION_RESET,
                        endpoint::failure);
                }
                endpoint.close(CloseMode.FORCE, Pair.LIMIT);
            }
            return null;
        };
    }
}
