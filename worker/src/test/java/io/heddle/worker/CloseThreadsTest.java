package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CallbackException;
import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.loop.SteeredSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The close of progress threads and handler pools: where it is refused, what it cuts off, and that it ends. */
@Timeout(60)
@ExtendWith(HygieneExtension.class)
final class CloseThreadsTest {
    private static final Duration SHORT = Duration.ofMillis(30);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final CloseReport LATE = new CloseReport(0, 0, List.of(), true);

    private final Lock lock = new ReentrantLock();
    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final List<Throwable> thrown = new CopyOnWriteArrayList<>();

    private ProgressThread start(final Worker worker) {
        return worker.threadMode() == ThreadMode.SERIALIZED ? ProgressThread.start(worker, lock)
            : ProgressThread.start(worker);
    }

    private void hold() {
        inside.countDown();
        await(goOn);
    }

    // ---- progress threads

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("C4")
    void shouldRefuseToEndAThreadInsideAnotherWorkersCallback(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final HandlerPool pool = HandlerPool.builder(pair.left).handler((id, data, connection) -> { }).start();
            final ProgressThread progress = start(pair.left);
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                thrown.add(assertThrows(CallbackException.class, progress::close));
                thrown.add(assertThrows(CallbackException.class, () -> progress.close(CloseMode.FORCE, LONG)));
                thrown.add(assertThrows(CallbackException.class, pool::close));
            });
            progress.execute(() -> pair.sendNumber(1));
            Awaitility.await("refused").atMost(20, TimeUnit.SECONDS).pollInSameThread()
                .until(() -> pair.right.progress() >= 0 && thrown.size() == 3);
            assertTrue(progress.thread().isAlive());
            assertEquals(CloseReport.CLEAN, progress.close(CloseMode.FLUSH, LONG));
            assertEquals(CloseReport.CLEAN, pool.close(CloseMode.FLUSH, LONG));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("C2")
    void shouldNotWaitForAThreadBeyondTheDeadline(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> hold());
            final ProgressThread progress = start(pair.right);
            pair.sendNumber(1);
            await(inside);
            final Future<?> task = progress.execute(() -> { });
            assertEquals(LATE, progress.close(CloseMode.FLUSH, SHORT));
            assertEquals(new CloseReport(1, 0, List.of(), true), progress.close(CloseMode.FORCE, SHORT));
            assertThrows(CancellationException.class, task::get);
            goOn.countDown();
            assertEquals(CloseReport.CLEAN, progress.close(CloseMode.FLUSH, LONG));
            assertNull(pair.right.core().progressThread());
            pair.right.progress(); // this thread may use it again
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("C3")
    void shouldRunTheTasksThatWereGivenBeforeTheClose(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final ProgressThread progress = start(pair.right);
            progress.execute(this::hold);
            await(inside);
            final Future<?> task = progress.execute(() -> { });
            assertEquals(LATE, progress.close(CloseMode.FLUSH, Duration.ZERO));
            assertTrue(progress.execute(() -> { }).isDone(), "refused");
            goOn.countDown();
            assertEquals(CloseReport.CLEAN, progress.close(CloseMode.FLUSH, LONG));
            assertTrue(task.isDone() && !task.isCancelled());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @ExpectedLog("progress thread has not ended yet: worker=right")
    void shouldLogThatAThreadHasNotEnded(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT, config -> config.closeTimeout(SHORT))) {
            final ProgressThread progress = start(pair.right);
            progress.execute(this::hold);
            await(inside);
            progress.close();
            goOn.countDown();
            progress.close();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLeaveTheWorkerToItsOwnerWhenNoThreadIsToBeHad(final ThreadMode mode) {
        final AtomicReference<Error> failure = new AtomicReference<>();
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT, config -> config.threadFactory(
            task -> new Thread(task) {
                @Override
                public void start() {
                    if (failure.get() != null) {
                        throw failure.get();
                    }
                    super.start();
                }
            }))) {
            failure.set(new OutOfMemoryError("unable to create native thread"));
            assertSame(failure.get(), assertThrows(OutOfMemoryError.class, () -> start(pair.right)));
            pair.right.progress();
            assertNull(pair.right.core().progressThread());
            failure.set(null);
            assertEquals(CloseReport.CLEAN, start(pair.right).close(CloseMode.FLUSH, LONG));
        }
    }

    // ---- handler pools

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldRefuseToEndAPoolByItsOwnHandler(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final AtomicReference<HandlerPool> pool = new AtomicReference<>();
            pool.set(HandlerPool.builder(pair.right).handler((id, data, connection) -> pool.get().close()).start());
            pair.right.onActiveMessage(WorkerPair.ID, pool.get().asHandler());
            pair.sendNumber(1);
            pair.settle();
            assertEquals(CloseReport.CLEAN, pool.get().close(CloseMode.FLUSH, LONG));
            assertInstanceOf(CallbackException.class, pair.takeErrors().get(0));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"C2", "C3"})
    void shouldHandleWhatAPoolHasOrTellWhatItHadToLeave(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<Integer> handled = new CopyOnWriteArrayList<>();
            final HandlerPool pool = HandlerPool.builder(pair.right).handler((id, data, connection) -> {
                hold();
                handled.add(data.getInt(0));
            }).start();
            pair.right.onActiveMessage(WorkerPair.ID, pool.asHandler());
            for (int i = 0; i < 4; i++) {
                pair.sendNumber(i);
            }
            pair.settle();
            await(inside);
            assertEquals(LATE, pool.close(CloseMode.FLUSH, SHORT));
            goOn.countDown();
            final CloseReport report = pool.close(CloseMode.FLUSH, LONG);
            assertEquals(new CloseReport(3, 24, List.of(), false), report);
            assertEquals(List.of(0), handled);
            pair.settle();
            assertEquals(0, pair.right.statistics().poolInUse());
        }
    }

    private static void await(final CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (final InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
