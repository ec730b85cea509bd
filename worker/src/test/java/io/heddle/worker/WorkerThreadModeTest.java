package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.context.ThreadModeViolation;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which thread may use a worker: the table of the modes, call by call. */
@Timeout(30)
@ExtendWith(HygieneExtension.class)
final class WorkerThreadModeTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.3/thread_mode.query", "6.3/lib_query.test_max_thread_support"})
    void shouldHaveTheModeAskedFor(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            assertEquals(mode, pair.right.threadMode());
            assertSame(mode == ThreadMode.SINGLE ? Thread.currentThread() : null, pair.right.ownerThread());
            assertTrue(pair.right.describe().contains("threadMode=" + mode), pair.right.describe());
            assertTrue(pair.right.toString().contains("mode=" + mode));
        }
    }

    @Test
    @Tag("debug-only")
    @StandsFor({"T1", "T5"})
    @ExpectedLog("thread mode violation: worker=left mode=SINGLE")
    void shouldRefuseEveryGuardedCallOfAForeignThreadAndChangeNothing() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.SINGLE)) {
            final Claim claim = new Claim();
            final Uses uses = new Uses(pair, claim);
            final Map<String, Runnable> guarded = uses.guarded();
            elsewhere(() -> guarded.forEach((name, call) ->
                assertThrows(ThreadModeViolation.class, call::run, name)));
            assertEquals(guarded.size(), pair.left.statistics().violations());
            assertEquals(guarded.size(), pair.takeErrors().size());
            assertFalse(pair.left.isClosed() || pair.there.isClosed());
            assertTrue(uses.kept.isHeld() && claim.isOpen());
            assertEquals(Status.IN_PROGRESS, uses.pending.status());
            claim.commit();
            uses.kept.release();
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
            pair.settle();
            assertEquals(Status.OK, uses.pending.status(), "the owner goes on");
        }
    }

    @ParameterizedTest
    @EnumSource(value = ThreadMode.class, names = {"SERIALIZED", "MULTI"})
    void shouldLetAnyThreadUseItInItsTurn(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
            final Uses uses = new Uses(pair, new Claim());
            for (final Map.Entry<String, Runnable> each : uses.guarded().entrySet()) {
                elsewhere(each.getValue());
            }
            assertEquals(0, pair.left.statistics().violations());
            assertTrue(pair.left.isClosed());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLetAnyThreadCallWhatNeedsNoTurn(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final Claim claim = new Claim();
            final Uses uses = new Uses(pair, claim);
            final ReceivedData second = uses.kept.retain();
            elsewhere(() -> {
                pair.left.signal();
                pair.left.await(SECOND);
                pair.left.statistics();
                pair.left.describe();
                pair.left.address();
                pair.left.maxMessageBytes();
                pair.there.isConnected();
                pair.there.status();
                pair.there.userData("mine");
                uses.pending.isDone();
                uses.pending.userData();
                uses.kept.releaseAsync();
                second.close();
                claim.putInt(0, 1);
            });
            assertEquals(0, pair.left.statistics().violations());
            assertEquals("mine", pair.there.userData());
            claim.commit();
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
            pair.settle();
        }
    }

    @ParameterizedTest
    @EnumSource(value = ThreadMode.class, names = {"SINGLE", "SERIALIZED"})
    @Tag("debug-only")
    @StandsFor("T2")
    @ExpectedLog("thread mode violation: worker=right")
    @ExpectedLog("thread mode violation, the other side: worker=right")
    void shouldRefuseACallThatOverlapsACallback(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final CompletableFuture<Throwable> refused = new CompletableFuture<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                try {
                    elsewhere(() -> refused.complete(assertThrows(ThreadModeViolation.class, pair.right::progress)));
                } catch (final Exception ex) {
                    refused.completeExceptionally(ex);
                }
            });
            pair.sendNumber(1);
            pair.settle();
            assertTrue(refused.get(10, TimeUnit.SECONDS).getMessage().contains("operation=progress"));
            assertEquals(1, pair.takeErrors().size());
            pair.receive(WorkerPair.ID);
            pair.sendNumber(2);
            pair.settle();
            assertEquals(List.of(2), pair.numbers());
        }
    }

    @Test
    @StandsFor("T2")
    void shouldLetOneThreadDispatchAndTellTheOthersThatNothingWasDone() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            final CountDownLatch inside = new CountDownLatch(1);
            final CountDownLatch goOn = new CountDownLatch(1);
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                inside.countDown();
                try {
                    assertTrue(goOn.await(20, TimeUnit.SECONDS));
                } catch (final InterruptedException ex) {
                    throw new IllegalStateException(ex);
                }
            });
            pair.sendNumber(1);
            final CompletableFuture<Integer> dispatching = OtherThreads.supply(pair.right::progress);
            assertTrue(inside.await(20, TimeUnit.SECONDS));
            assertEquals(0, pair.right.progress());
            assertEquals(Status.BUSY, pair.right.arm());
            assertEquals(Status.OK,
                pair.back().send(1, 0, null, WorkerPair.number(1), 0, 8, null, null).status(), "sends go on");
            goOn.countDown();
            assertTrue(dispatching.get(20, TimeUnit.SECONDS) > 0);
            pair.left.onActiveMessage(1, message -> { });
            pair.settle();
        }
    }

    @Test
    @StandsFor("T5")
    void shouldPassFromThreadToThread() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.SINGLE)) {
            pair.receive(WorkerPair.ID);
            final Thread[] owner = new Thread[1];
            final FutureTask<Void> task = new FutureTask<>(() -> {
                pair.sendNumber(1);
                pair.left.progress();
                pair.left.detach();
                return null;
            });
            owner[0] = new Thread(task, "next owner");
            pair.left.transferTo(owner[0]);
            assertSame(owner[0], pair.left.ownerThread());
            owner[0].start();
            task.get(20, TimeUnit.SECONDS);
            assertNull(pair.left.ownerThread());
            pair.left.attach();
            pair.settle();
            assertEquals(List.of(1), pair.numbers());
        }
    }

    @Test
    void shouldBeClosedByAnybodyWhenItsOwnerHasEnded() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.SINGLE)) {
            final Thread owner = new Thread(() -> { }, "short-lived");
            pair.left.transferTo(owner);
            owner.start();
            owner.join();
            assertEquals(CloseReport.CLEAN, pair.left.close(CloseMode.FORCE, SECOND));
            assertEquals(0, pair.left.statistics().violations());
        }
    }

    /** Every guarded call on the left worker. */
    private static final class Uses {
        final WorkerPair pair;
        final Claim claim;
        final ReceivedData kept;
        final Request pending;

        Uses(final WorkerPair pair, final Claim claim) {
            this.pair = pair;
            this.claim = claim;
            final AtomicReference<ReceivedData> received = new AtomicReference<>();
            pair.left.onActiveMessage(1, message -> received.set(message.retain()));
            pair.back().send(1, 0, null, WorkerPair.number(1), 0, 8, null, null);
            pair.settle();
            kept = received.get();
            pair.there.tryClaim(WorkerPair.ID, 0, 8, claim);
            pending = pair.sendNumber(1);
        }

        Map<String, Runnable> guarded() {
            final Map<String, Runnable> calls = new LinkedHashMap<>();
            calls.put("progress", pair.left::progress);
            calls.put("arm", pair.left::arm);
            calls.put("send", () -> pair.sendNumber(2));
            calls.put("send a vector", () -> pair.there.send(WorkerPair.ID, 0, null, new BufferVector(), null, null));
            calls.put("trySend", () -> pair.there.trySend(WorkerPair.ID, 0, null, null, 0, 0));
            calls.put("tryClaim", () -> pair.there.tryClaim(WorkerPair.ID, 0, 8, new Claim()));
            calls.put("register", () -> pair.left.onActiveMessage(3, message -> { }));
            calls.put("connect", () -> pair.left.connect(pair.right.address()));
            calls.put("retain", () -> kept.retain().close());
            calls.put("release", kept::release);
            calls.put("resume", pair.there::resume);
            calls.put("isWritable", pair.there::isWritable);
            calls.put("onWritable", () -> pair.there.onWritable(() -> { }));
            calls.put("cancel", pending::cancel);
            calls.put("commit", claim::commit);
            calls.put("flush", pair.there::flush);
            calls.put("flush worker", pair.left::flush);
            calls.put("transfer", () -> pair.left.transferTo(Thread.currentThread()));
            calls.put("detach", pair.left::detach);
            calls.put("close endpoint", () -> pair.there.close(CloseMode.FORCE, SECOND));
            calls.put("close worker", () -> pair.left.close(CloseMode.FORCE, SECOND));
            return calls;
        }
    }

    private static void elsewhere(final Runnable task) throws Exception {
        final FutureTask<Void> done = new FutureTask<>(task, null);
        new Thread(done, "another").start();
        try {
            done.get(20, TimeUnit.SECONDS);
        } catch (final ExecutionException ex) {
            throw new AssertionError(ex.getCause());
        }
    }
}
