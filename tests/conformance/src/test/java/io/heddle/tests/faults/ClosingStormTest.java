package io.heddle.tests.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.base.TestSeed;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Closing while eight threads use what is closed. A crash of this JVM, a thread, a mapping or a descriptor left, and
 * whatever is thrown that is not documented, fails it.
 */
@ExtendWith(HygieneExtension.class)
@Timeout(3600)
class ClosingStormTest {
    private static final int THREADS = 8;
    /** A context's end takes a tenth of a second, while which nothing else can be tried. */
    private static final int ROUNDS_PER_CONTEXT = 10;

    private final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
    private final Phaser phaser = new Phaser(1);
    private Context peerContext;
    private Worker peer;
    private ProgressThread peerProgress;
    private volatile StormStage stage;

    @BeforeEach
    void startPeer() {
        peerContext = Context.create();
        peer = Worker.create(peerContext, ThreadMode.MULTI, "peer");
        peer.onError((worker, connection, status, error) -> problems.add(error));
        peer.onActiveMessage(StormStage.ID, ClosingStormTest::sendBack);
        peerProgress = ProgressThread.start(peer);
    }

    private static void sendBack(final ActiveMessage message) {
        final Endpoint back = Endpoint.of(message.connection());
        back.onError((endpoint, status, reason) -> endpoint.close(CloseMode.FORCE, Duration.ZERO));
        back.trySendActiveMessage(StormStage.ID, null, message.data(), 0, (int) message.lengthBytes());
    }

    @AfterEach
    void endPeer() {
        peerProgress.close();
        peerContext.close();
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"C1", "6.9/wireup.stress_force_disconnect", "6.9/wireup.connect_disconnect"})
    @Tag("scaled")
    void shouldCloseInAnyOrderWhileOthersUseIt(final ThreadMode mode, final TestSeed seed) throws Exception {
        final int rounds = TestScale.count(12, 10_000);
        final List<Thread> threads = startThreads(seed);
        final Random random = seed.random(THREADS);
        Context context = Context.create();
        for (int round = 0; round < rounds && problems.isEmpty(); round++) {
            final boolean isLast = round % ROUNDS_PER_CONTEXT == ROUNDS_PER_CONTEXT - 1 || round == rounds - 1;
            final StormStage current = new StormStage(context, mode, peer.address(), isLast, problems);
            stage = current;
            phaser.arriveAndAwaitAdvance(); // all begin
            final Thread second = closeToo(mode, random);
            final long playNs = round % 4 == 0 ? 0 : random.nextInt((int) TimeUnit.MILLISECONDS.toNanos(5));
            current.closeAll(random, () -> play(current, random, playNs));
            second.join();
            phaser.arriveAndAwaitAdvance(); // all have left
            current.assertEmpty();
            if (isLast) {
                context.close(); // again
                context = round == rounds - 1 ? null : Context.create();
            }
        }
        stage = null;
        phaser.arriveAndDeregister();
        for (final Thread thread : threads) {
            thread.join();
        }
        if (context != null) {
            context.close();
        }
        assertEquals(List.of(), List.copyOf(problems), seed::toString);
        await("peer's side gone").atMost(Duration.ofSeconds(20))
            .until(() -> peer.statistics().endpoints() == 0 && peer.statistics().poolInUse() == 0);
    }

    /** By the worker's rightful user. Now and then not at all: what was just created is closed. */
    private static void play(final StormStage current, final Random random, final long playNs) {
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < playNs) {
            current.use(true, random);
        }
    }

    private Thread closeToo(final ThreadMode mode, final Random random) {
        final Random own = new Random(random.nextLong());
        final StormStage current = stage;
        final boolean isWanted = mode == ThreadMode.MULTI && random.nextInt(3) == 0;
        final Thread second = new Thread(() -> {
            if (isWanted) {
                LockSupport.parkNanos(own.nextInt(3_000_000));
                try {
                    current.closeToo(own);
                } catch (final Throwable ex) {
                    problems.add(ex);
                }
            }
        }, "closer");
        second.start();
        return second;
    }

    private List<Thread> startThreads(final TestSeed seed) {
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            final Random random = seed.random(i);
            phaser.register();
            threads.add(new Thread(() -> {
                while (true) {
                    phaser.arriveAndAwaitAdvance();
                    final StormStage current = stage;
                    if (current == null) {
                        phaser.arriveAndDeregister();
                        return;
                    }
                    while (!current.isOver()) {
                        current.use(false, random);
                    }
                    phaser.arriveAndAwaitAdvance();
                }
            }, "storm-" + i));
            threads.get(i).start();
        }
        return threads;
    }
}
