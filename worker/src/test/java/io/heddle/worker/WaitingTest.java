package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.context.spi.WaitState;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.loop.SteeredSettings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Arming and sleeping. What wakes a sleeper is shown by the count of wake-ups before anybody awaits, so that the look
 * which each sleep ends with cannot stand in for it.
 */
@Timeout(20)
@ExtendWith(HygieneExtension.class)
final class WaitingTest {
    private static final int FRAGMENT = SteeredSettings.DEFAULT.maxFragmentBytes();
    private static final Duration LONG = Duration.ofSeconds(15);

    // ---- arming

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.4/event.sig_am", "6.4/efd"})
    void shouldBeBusyWhileThereIsSomethingToDo(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            assertEquals(Status.OK, pair.right.arm());
            pair.sendNumber(1);
            assertEquals(Status.BUSY, pair.right.arm());
            assertEquals(1, pair.right.progress());
            assertEquals(Status.BUSY, pair.right.arm(), "the batch is to be given back");
            WorkerPair.settle(pair.right);
            assertEquals(Status.OK, pair.right.arm());
            assertEquals(Status.OK, pair.right.arm(), "arming again");
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldNotBeBusyForALaneThatIsPaused(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, ActiveMessage::postpone);
            pair.sendNumber(1);
            pair.settle();
            assertEquals(Status.OK, pair.right.arm());
            pair.back().resume();
            assertEquals(Status.BUSY, pair.right.arm());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.4/signal")
    void shouldBeBusyOnceAfterSignals(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.signal();
            assertEquals(Status.BUSY, pair.right.arm());
            assertEquals(Status.OK, pair.right.arm());
            pair.right.progress();
            pair.right.signal();
            pair.right.signal();
            assertEquals(Status.BUSY, pair.right.arm());
            assertEquals(Status.OK, pair.right.arm());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldNotArmWhenWakeUpIsOff(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT, config -> config.wakeup(false))) {
            final HeddleException refused = assertThrows(HeddleException.class, pair.right::arm);
            assertEquals(Status.UNSUPPORTED, refused.status());
            assertTrue(refused.getMessage().contains("heddle.wakeup=off"), refused.getMessage());
            assertTrue(pair.right.await(LONG), "at once, since not armed");
            pair.sending().refuseSends(3000);
            assertEquals(Status.OK, pair.sendNumber(1).await(LONG));
            pair.receive(WorkerPair.ID);
            pair.settle();
            assertEquals(List.of(1), pair.numbers());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldShowItsPeersThatItSpinsUntilItFirstArmsAndAgainUnderSteadyWork(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            assertEquals(WaitState.POLLING, pair.rightSide.waitState());
            assertEquals(Status.OK, pair.right.arm());
            assertTrue(pair.rightSide.waitState() >= WaitState.ARMED);
            for (int i = 0; i < 5000; i++) {
                pair.sendNumber(i);
                pair.right.progress();
            }
            assertEquals(WaitState.POLLING, pair.rightSide.waitState());
        }
    }

    // ---- waking

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.4/event.am_no_fc")
    void shouldBeWokenByAMessage(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            assertWakes(pair.right, () -> pair.sendNumber(1));
            pair.settle();
            assertEquals(List.of(1), pair.numbers());
            assertWakes(pair.right, () -> pair.there.trySend(WorkerPair.ID, 0, null, WorkerPair.number(2), 0, 8));
            pair.settle();
            assertWakes(pair.right, () -> pair.there.send(WorkerPair.ID, 0, null,
                new BufferVector().add(WorkerPair.number(3), 0, 8), null, null));
            pair.settle();
            assertWakes(pair.right, () -> {
                final Claim claim = new Claim();
                pair.there.tryClaim(WorkerPair.ID, 0, 8, claim);
                claim.putInt(0, 4);
                claim.commit();
            });
            pair.settle();
            assertEquals(List.of(1, 2, 3, 4), pair.numbers());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.4/event.am_with_fc", "6.4/tx_wait"})
    void shouldBeWokenByRoom(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            final int last = pair.fillLane();
            assertWakes(pair.left, () -> WorkerPair.settle(pair.right));
            assertWakes(pair.right, () -> WorkerPair.settle(pair.left));
            pair.settle();
            assertEquals(last + 1, pair.received.size());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldBeWokenByASendThatHasToWaitSoThatItAsksForRoom(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            assertWakes(pair.left, pair::fillLane);
            assertEquals(0, pair.leftSide.waitState() & 1);
            assertEquals(Status.OK, pair.left.arm());
            assertEquals(1, pair.leftSide.waitState() & 1);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldBeWokenByACredit(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT.withCredits(1, 1))) {
            final List<ReceivedData> kept = new ArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> kept.add(message.retain()));
            pair.send(WorkerPair.pattern(FRAGMENT, 1));
            pair.settle();
            final Request waiting = pair.send(WorkerPair.pattern(FRAGMENT, 2));
            pair.settle();
            assertWakes(pair.right, kept.get(0)::releaseAsync);
            assertWakes(pair.left, () -> WorkerPair.settle(pair.right));
            WorkerPair.settle(pair.left);
            assertEquals(Status.OK, waiting.status());
            pair.settle();
            kept.get(1).close();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldBeWokenByReleasesCompletionsResumesAndSignals(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<ReceivedData> kept = new ArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> kept.add(message.retain()));
            pair.sendNumber(1);
            pair.sendNumber(2);
            pair.settle();
            assertWakes(pair.right, kept.get(0)::releaseAsync);
            pair.settle();
            assertWakes(pair.right, kept.get(1)::release);
            pair.settle();
            pair.fillLane();
            final Request pending = pair.send(WorkerPair.number(3), (request, status) -> { });
            assertWakes(pair.left, pending::cancel);
            pair.settle();
            assertWakes(pair.right, pair.back()::resume);
            pair.settle();
            assertWakes(pair.right, pair.right::signal);
            kept.stream().skip(2).forEach(ReceivedData::close);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.9/wireup.async_connect", "6.9/sockaddr.with_wakeup"})
    void shouldBeWokenByConnectionsAndTheirEnds(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            assertWakes(pair.right, () -> pair.left.connect(pair.right.address()));
            pair.settle();
            assertWakes(pair.right, () -> pair.there.close(CloseMode.FLUSH, LONG));
            pair.settle();
            assertWakes(pair.right, () -> pair.left.close(CloseMode.FORCE, LONG));
        }
    }

    /** The worker, which has nothing to do, is armed and not woken, and then woken by the cause. */
    private static void assertWakes(final Worker worker, final Runnable cause) {
        assertEquals(Status.OK, worker.arm());
        final long before = worker.statistics().wakeUps();
        cause.run();
        assertEquals(before + 1, worker.statistics().wakeUps(), "one wake-up for one arming");
        assertTrue(worker.await(LONG));
    }

    // ---- awaiting

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldEndWithItsTimeOrAtOnceIfNotArmed(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            assertTrue(pair.right.await(LONG));
            assertEquals(Status.OK, pair.right.arm());
            assertFalse(pair.right.await(Duration.ofMillis(25)));
            assertFalse(pair.right.await(Duration.ZERO));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldBeInterruptible(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            assertEquals(Status.OK, pair.right.arm());
            Thread.currentThread().interrupt();
            assertFalse(pair.right.await(LONG));
            assertTrue(Thread.interrupted(), "the flag is left to the caller");
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldWakeEveryThreadThatAwaits(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            assertEquals(Status.OK, pair.right.arm());
            final List<CompletableFuture<Boolean>> sleepers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                sleepers.add(OtherThreads.supply(() -> pair.right.await(LONG)));
            }
            pair.sendNumber(1);
            for (final CompletableFuture<Boolean> each : sleepers) {
                assertTrue(each.get(15, TimeUnit.SECONDS));
            }
            WorkerPair.settle(pair.right);
            assertEquals(List.of(1), pair.numbers());
        }
    }

    @Test
    void shouldKeepAwakeWhoWasWokenWhenAnotherThreadArmsAgain() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            for (int i = 0; i < 20; i++) {
                assertEquals(Status.OK, pair.right.arm());
                final List<CompletableFuture<Boolean>> sleepers = sleepers(pair.right);
                pair.right.signal();
                assertEquals(Status.BUSY, pair.right.arm());
                assertEquals(Status.OK, pair.right.arm());
                for (final CompletableFuture<Boolean> each : sleepers) {
                    assertTrue(each.get(10, TimeUnit.SECONDS));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldWakeEveryThreadThatAwaitsWhenTheWorkerIsClosed(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            assertEquals(Status.OK, pair.right.arm());
            final List<CompletableFuture<Boolean>> sleepers = sleepers(pair.right);
            pair.right.close(CloseMode.FORCE, LONG);
            for (final CompletableFuture<Boolean> each : sleepers) {
                assertTrue(each.get(10, TimeUnit.SECONDS));
            }
            assertTrue(pair.right.await(LONG), "at once");
        }
    }

    /** Threads that await the armed worker, and sleep. */
    private static List<CompletableFuture<Boolean>> sleepers(final Worker worker) {
        final List<CompletableFuture<Boolean>> sleepers = new ArrayList<>();
        final List<Thread> threads = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 3; i++) {
            sleepers.add(OtherThreads.supply(() -> {
                threads.add(Thread.currentThread());
                return worker.await(LONG);
            }));
        }
        Awaitility.await("asleep").atMost(LONG).pollInterval(1, TimeUnit.MILLISECONDS).until(() -> threads.size() == 3
            && threads.stream().allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
        return sleepers;
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldKeepADeadlineAlsoWhileThereIsAlwaysSomethingToDo(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final Connection self = pair.left.connect(pair.left.address());
            pair.settle();
            pair.left.onActiveMessage(1, message ->
                message.connection().send(1, 0, null, WorkerPair.number(1), 0, 8, null, null));
            self.send(1, 0, null, WorkerPair.number(1), 0, 8, null, null);
            pair.fillLane();
            assertEquals(Status.IN_PROGRESS, pair.sendNumber(1).await(Duration.ofMillis(30)));
            pair.left.onActiveMessage(1, message -> { });
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
        }
    }
}
