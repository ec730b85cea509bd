package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.context.spi.WaitState;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.loop.SteeredSettings;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The thread that progresses a worker: ownership, locks, tasks, idling and its end. */
@Timeout(60)
@ExtendWith(HygieneExtension.class)
final class ProgressThreadTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Integer> got = new CopyOnWriteArrayList<>();

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldProgressOnItsOwnThreadAndGiveTheWorkerBack(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<Thread> threads = new CopyOnWriteArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                threads.add(Thread.currentThread());
                got.add(message.data().getInt(0));
            });
            try (ProgressThread progress = start(pair.right)) {
                assertSame(pair.right, progress.worker());
                assertEquals("heddle-progress-right", progress.thread().getName());
                assertEquals(mode == ThreadMode.SINGLE ? progress.thread() : null, pair.right.ownerThread());
                for (int i = 0; i < 10; i++) {
                    pair.sendNumber(i);
                }
                patience("delivery").until(() -> got.size() == 10);
                assertTrue(threads.stream().allMatch(thread -> thread == progress.thread()));
            }
            assertEquals(mode == ThreadMode.SINGLE ? Thread.currentThread() : null, pair.right.ownerThread());
            assertNull(pair.right.core().progressThread());
            pair.sendNumber(10);
            pair.settle();
            assertEquals(11, got.size());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldSleepWhenIdleAndBeWoken(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            record(pair);
            try (ProgressThread progress = start(pair.right)) {
                for (int i = 1; i <= 3; i++) {
                    patience("arming").until(() -> pair.rightSide.waitState() >= WaitState.ARMED);
                    pair.sendNumber(i);
                    final int wanted = i;
                    patience("delivery").until(() -> got.size() == wanted);
                }
                assertTrue(progress.thread().isAlive());
            }
            assertTrue(pair.right.statistics().wakeUps() > 0);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldIdleWithoutArmingWhenWakeUpIsOff(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT, config -> config.wakeup(false))) {
            record(pair);
            try (ProgressThread progress = start(pair.right)) {
                pair.sendNumber(1);
                patience("delivery").until(() -> got.size() == 1);
                assertTrue(progress.thread().isAlive());
            }
            assertEquals(WaitState.POLLING, pair.rightSide.waitState());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldRunTasksBetweenItsRounds(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final Connection back = pair.back();
            pair.left.onActiveMessage(8, message -> got.add(message.data().getInt(0)));
            try (ProgressThread progress = start(pair.right)) {
                final Future<?> sent = progress.execute(() -> {
                    assertSame(progress.thread(), Thread.currentThread());
                    back.send(8, 0, null, WorkerPair.number(5), 0, 8, null, null);
                });
                assertNull(sent.get(20, TimeUnit.SECONDS));
                WorkerPair.settle(pair.left);
                assertEquals(List.of(5), got);
                final IllegalStateException thrown = new IllegalStateException("on purpose");
                final Future<?> failed = progress.execute(() -> {
                    throw thrown;
                });
                assertSame(thrown, assertThrows(ExecutionException.class, () -> failed.get(20, TimeUnit.SECONDS))
                    .getCause());
                assertNull(progress.execute(() -> { }).get(20, TimeUnit.SECONDS));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldRefuseTasksAfterItsEnd(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final ProgressThread progress = start(pair.right);
            progress.close();
            progress.close();
            final Future<?> late = progress.execute(() -> got.add(1));
            final ExecutionException failed =
                assertThrows(ExecutionException.class, () -> late.get(20, TimeUnit.SECONDS));
            assertEquals(Status.CANCELED, ((HeddleException) failed.getCause()).status());
            assertEquals(List.of(), got);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("C5")
    void shouldOutliveWhateverACallbackThrows(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                got.add(message.data().getInt(0));
                throw new StackOverflowError("on purpose");
            });
            try (ProgressThread progress = start(pair.right)) {
                pair.sendNumber(1);
                pair.sendNumber(2);
                patience("delivery").until(() -> got.size() == 2);
                assertTrue(progress.thread().isAlive());
            }
            assertEquals(2, pair.takeErrors().size());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldEndWhenACallbackClosesItAndGiveTheWorkerToWhoClosesItThen(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final CompletableFuture<ProgressThread> own = new CompletableFuture<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                own.join().close();
                got.add(1);
            });
            final ProgressThread progress = start(pair.right);
            own.complete(progress);
            pair.sendNumber(1);
            patience("end").until(() -> !progress.thread().isAlive());
            assertEquals(List.of(1), got);
            assertNull(pair.right.ownerThread());
            progress.close();
            assertEquals(mode == ThreadMode.SINGLE ? Thread.currentThread() : null, pair.right.ownerThread());
            pair.settle();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldCarryTheAwaitOfOtherThreads(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            record(pair);
            try (ProgressThread progress = start(pair.left)) {
                final CompletableFuture<Request> pending = new CompletableFuture<>();
                progress.execute(() -> pending.complete(pair.send(WorkerPair.pattern(100_000, 1))))
                    .get(20, TimeUnit.SECONDS);
                final Request request = pending.join();
                assertEquals(Status.IN_PROGRESS, request.await(Duration.ofMillis(20)));
                final CompletableFuture<Status> waiting = OtherThreads.supply(() -> request.await(LONG));
                patience("delivery").until(() -> pair.right.progress() >= 0 && waiting.isDone());
                assertEquals(Status.OK, waiting.join());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldUseTheIdleStrategyGiven(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            record(pair);
            final AtomicInteger idled = new AtomicInteger();
            final AtomicBoolean heldWhileIdle = new AtomicBoolean();
            final IdleStrategy counting = new IdleStrategy() {
                @Override
                public void idle(final int workCount) {
                    idled.incrementAndGet();
                    heldWhileIdle.compareAndSet(false, lock.isHeldByCurrentThread());
                    Thread.yield();
                }

                @Override
                public void idle() {
                    idle(0);
                }

                @Override
                public void reset() {
                    idled.set(0);
                }
            };
            try (ProgressThread progress = ProgressThread.start(pair.right,
                mode == ThreadMode.SERIALIZED ? lock : null, counting)) {
                pair.sendNumber(1);
                patience("delivery").until(() -> got.size() == 1);
                assertTrue(progress.thread().isAlive());
            }
            assertTrue(idled.get() > 0);
            assertFalse(heldWhileIdle.get(), "the application's lock is not held while idling");
        }
    }

    // ---- refusals

    @Test
    void shouldRefuseALockThatDoesNotFitTheMode() {
        for (final ThreadMode mode : ThreadMode.values()) {
            try (WorkerPair pair = WorkerPair.open(mode)) {
                final HeddleException refused = assertThrows(HeddleException.class, mode == ThreadMode.SERIALIZED
                    ? () -> ProgressThread.start(pair.right, new BusySpinIdleStrategy())
                    : () -> ProgressThread.start(pair.right, lock));
                assertEquals(Status.INVALID_PARAM, refused.status());
                assertTrue(refused.getMessage().contains("mode=" + mode), refused.getMessage());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = ThreadMode.class, names = {"SERIALIZED", "MULTI"})
    void shouldRefuseASecondThread(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode); ProgressThread progress = start(pair.right)) {
            assertEquals(Status.ALREADY_EXISTS,
                assertThrows(HeddleException.class, () -> start(pair.right)).status());
            assertTrue(progress.thread().isAlive());
        }
    }

    private ProgressThread start(final Worker worker) {
        return worker.threadMode() == ThreadMode.SERIALIZED ? ProgressThread.start(worker, lock)
            : ProgressThread.start(worker);
    }

    private void record(final WorkerPair pair) {
        pair.right.onActiveMessage(WorkerPair.ID, message -> got.add(message.data().getInt(0)));
    }

    private static ConditionFactory patience(final String what) {
        return Awaitility.await(what).atMost(LONG).pollInterval(1, TimeUnit.MILLISECONDS)
            .pollInSameThread();
    }
}
