package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CallbackException;
import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.loop.SteeredSettings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What application code may do inside Heddle's callbacks, and what becomes of what it throws there. */
@Timeout(300)
@ExtendWith(HygieneExtension.class)
final class CallbackTest {
    private static final int FRAGMENT = SteeredSettings.DEFAULT.maxFragmentBytes();
    private static final int PING_PONGS = TestScale.count(20_000, 1_000_000);

    private final List<String> calls = new ArrayList<>();

    // ---- refused

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("C4")
    void shouldRefuseProgressAndWhateverBlocksInEveryKindOfCallback(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final Connection stuck = pair.left.connect(pair.right.address());
            final Request pending = stuck.send(1, 0, null, WorkerPair.number(1), 0, 8, null, null);
            pair.right.onActiveMessage(WorkerPair.ID, message -> refuseAll("message", pair, pending));
            pair.back().onError((connection, status, reason) -> refuseAll("connection", pair, pending));
            pair.right.onError((worker, connection, status, error) -> refuseAll("worker", pair, pending));
            pair.sending().refuseSends(2);
            pair.send(WorkerPair.number(1), (request, status) -> refuseAll("completion", pair, pending));
            for (int i = 0; i < 2; i++) {
                pair.left.progress(); // with the second connection not told of, so that its request stays pending
            }
            pair.there.send(99, 0, null, null, 0, 0, null, null);
            pair.sending().killPeer();
            pair.settle();
            assertTrue(calls.containsAll(List.of("message", "connection", "worker", "completion")), calls::toString);
            assertFalse(pair.right.isClosed() || pair.left.isClosed());
        }
    }

    private void refuseAll(final String kind, final WorkerPair pair, final Request pending) {
        pair.assertNoLockHeld();
        calls.add(kind);
        final Duration second = Duration.ofSeconds(1);
        for (final Worker each : List.of(pair.left, pair.right)) {
            assertRefused(each::progress);
            assertRefused(each::close);
            assertRefused(() -> each.close(CloseMode.FORCE, Duration.ZERO));
            assertRefused(() -> each.await(second));
            assertRefused(each::arm);
            assertRefused(() -> each.transferTo(Thread.currentThread()));
            assertRefused(each::detach);
            assertRefused(each::attach);
        }
        if (!pending.isDone()) {
            assertRefused(() -> pending.await(second));
        }
        assertEquals(Status.OK, Request.DONE.await(second), "what is done needs no waiting");
    }

    private static void assertRefused(final Runnable call) {
        final CallbackException refused = assertThrows(CallbackException.class, call::run);
        assertTrue(refused.getMessage().contains("not allowed inside a callback"), refused.getMessage());
    }

    // ---- allowed

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("C4")
    void shouldAllowEverythingThatDoesNotBlock(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(8);
            pair.left.onActiveMessage(9, message -> calls.add("back " + message.data().getInt(0)));
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                final Connection back = message.connection();
                back.send(9, 0, null, WorkerPair.number(1), 0, 8, null, null);
                back.trySend(9, 0, null, WorkerPair.number(2), 0, 8);
                final Claim claim = new Claim();
                back.tryClaim(9, 0, 8, claim);
                claim.putInt(0, 3);
                claim.commit();
                back.tryClaim(9, 0, 8, claim);
                claim.abort();
                assertTrue(back.flush().isDone());
                assertTrue(pair.right.flush().isDone());
                pair.there.send(8, 0, null, WorkerPair.number(4), 0, 8, null, null); // another worker's
                message.retain().release();
                message.retain().close();
                back.resume();
                pair.right.signal();
                pair.right.statistics();
                pair.right.describe();
                assertFalse(back.send(9, 0, null, WorkerPair.pattern(20 * FRAGMENT, 1), 0, 20 * FRAGMENT, null, null)
                    .cancel());
                calls.add("handled");
            });
            pair.sendNumber(0);
            pair.settle();
            assertEquals(List.of("handled", "back 1", "back 2", "back 3"), calls.subList(0, 4));
            assertEquals(List.of(4), pair.numbers());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldConnectInsideACallback(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.left.onActiveMessage(9, message -> calls.add("back"));
            pair.right.onActiveMessage(WorkerPair.ID, message -> pair.right.connect(pair.left.address())
                .send(9, 0, null, WorkerPair.number(1), 0, 8, null, null));
            pair.sendNumber(0);
            pair.settle();
            assertEquals(List.of("back"), calls);
            assertEquals(2, pair.right.statistics().endpoints());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("C4")
    void shouldCloseAnEndpointInsideItsOwnHandlerAfterTheBatch(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<Status> told = new ArrayList<>();
            pair.there.onError((connection, status, reason) -> told.add(status));
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                calls.add("handled " + message.data().getInt(0));
                final byte before = message.data().getByte(0);
                assertEquals(CloseReport.CLEAN, message.connection().close(CloseMode.FLUSH, Duration.ofSeconds(1)));
                assertEquals(CloseReport.CLEAN, message.connection().close(CloseMode.FORCE, Duration.ZERO));
                assertTrue(message.connection().isClosed());
                assertEquals(before, message.data().getByte(0), "the batch is still readable");
                assertEquals(Status.CANCELED,
                    message.connection().send(9, 0, null, WorkerPair.number(1), 0, 8, null, null).status());
            });
            for (int i = 0; i < 5; i++) {
                pair.sendNumber(i);
            }
            pair.settle();
            assertEquals(List.of("handled 0"), calls);
            assertEquals(4, pair.right.statistics().dropped());
            assertEquals(0, pair.right.statistics().endpoints());
            assertEquals(List.of(Status.CONNECTION_RESET), told);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldFlushWhatWasAcceptedBeforeACloseInsideACallback(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<Long> lengths = new ArrayList<>();
            pair.left.onActiveMessage(9, message -> lengths.add(message.lengthBytes()));
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                message.connection().send(9, 0, null, WorkerPair.pattern(30 * FRAGMENT, 1), 0, 30 * FRAGMENT,
                    (request, status) -> calls.add("sent " + status), null);
                message.connection().close(message.data().getInt(0) == 0 ? CloseMode.FLUSH : CloseMode.FORCE,
                    Duration.ofSeconds(1));
            });
            pair.sendNumber(0);
            pair.settle();
            assertEquals(List.of(30L * FRAGMENT), lengths);
            final Connection again = pair.left.connect(pair.right.address());
            again.send(WorkerPair.ID, 0, null, WorkerPair.number(1), 0, 8, null, null);
            pair.settle();
            assertEquals(List.of("sent OK", "sent CANCELED"), calls);
            assertEquals(1, lengths.size());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @Tag("scaled")
    @StandsFor("C4")
    void shouldAnswerFromCallbacksWithoutGrowingTheStack(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final int[] count = new int[1];
            final long[] depth = new long[2];
            pair.right.onActiveMessage(WorkerPair.ID, message ->
                message.connection().send(WorkerPair.ID, 0, null, message.data(), 0, 8, null, null));
            pair.left.onActiveMessage(WorkerPair.ID, message -> {
                if (count[0] == 0 || count[0] == PING_PONGS - 1) {
                    depth[count[0] == 0 ? 0 : 1] = StackWalker.getInstance().walk(frames -> frames.count());
                }
                if (++count[0] < PING_PONGS) {
                    message.connection().send(WorkerPair.ID, 0, null, message.data(), 0, 8, null, null);
                }
            });
            pair.sendNumber(1);
            while (count[0] < PING_PONGS) {
                pair.right.progress();
                pair.left.progress();
            }
            assertTrue(depth[0] > 0);
            assertEquals(depth[0], depth[1]);
        }
    }

    // ---- thrown

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("C5")
    void shouldTellOnceWhatAHandlerThrowsAndGoOn(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT.withCredits(1, 1))) {
            final List<Throwable> thrown = List.of(new IllegalStateException("on purpose"),
                new AssertionError("on purpose"), new StackOverflowError("on purpose"));
            for (final int bytes : new int[] {8, FRAGMENT, 3 * FRAGMENT}) {
                for (final Throwable each : thrown) {
                    pair.right.onActiveMessage(WorkerPair.ID, message -> sneak(each));
                    pair.send(WorkerPair.pattern(bytes, 1));
                    pair.settle();
                    final List<Throwable> told = pair.takeErrors();
                    assertEquals(1, told.size());
                    assertSame(each, told.get(0));
                    pair.receive(WorkerPair.ID);
                    pair.send(WorkerPair.pattern(bytes, 2));
                    pair.settle();
                    assertEquals(bytes, pair.received.remove(0).data().length, "the only descriptor came back");
                }
            }
            assertEquals(9, pair.right.statistics().callbacksFailed());
            assertEquals(0, pair.right.statistics().poolInUse());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("C5")
    void shouldSurviveARealStackOverflow(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> overflow(0));
            pair.sendNumber(1);
            pair.settle();
            assertTrue(pair.takeErrors().get(0) instanceof StackOverflowError);
            pair.receive(WorkerPair.ID);
            pair.sendNumber(2);
            pair.settle();
            assertEquals(List.of(2), pair.numbers());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("C5")
    void shouldTellWhatOtherCallbacksThrow(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            final Error first = new AssertionError("completion");
            final Error second = new AssertionError("connection");
            pair.sending().refuseSends(2);
            pair.send(WorkerPair.number(1), (request, status) -> sneak(first));
            final Request behind = pair.send(WorkerPair.number(2), (request, status) -> calls.add("sent " + status));
            pair.there.onError((connection, status, reason) -> sneak(second));
            pair.settle();
            assertEquals(List.of("sent OK"), calls);
            assertEquals(Status.OK, behind.status());
            pair.sending().killPeer();
            pair.settle();
            assertEquals(List.of(first, second), pair.takeErrors());
            assertEquals(2, pair.left.statistics().callbacksFailed());
            assertEquals(List.of(1, 2), pair.numbers());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @ExpectedLog("the error handler itself threw: worker=right")
    void shouldLogWhatTheErrorHandlerItselfThrows(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onError((worker, connection, status, error) -> sneak(new AssertionError("second")));
            pair.right.onActiveMessage(WorkerPair.ID, message -> sneak(new AssertionError("first")));
            pair.sendNumber(1);
            pair.settle();
            pair.receive(WorkerPair.ID);
            pair.sendNumber(2);
            pair.settle();
            assertEquals(List.of(2), pair.numbers());
        }
    }

    // ---- registration

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldDropCountAndTellOnceOfEachIdWithoutHandler(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            for (int i = 0; i < 3; i++) {
                for (final int id : new int[] {0, 64, 65535}) {
                    pair.there.send(id, 0, null, WorkerPair.number(1), 0, 8, null, null);
                }
                pair.there.send(64, 0, null, WorkerPair.pattern(3 * FRAGMENT, 1), 0, 3 * FRAGMENT, null, null);
                pair.settle();
            }
            assertEquals(12, pair.right.statistics().dropped());
            assertEquals(0, pair.right.statistics().messagesReceived());
            assertEquals(0, pair.right.statistics().poolInUse());
            final List<Throwable> told = pair.takeErrors();
            assertEquals(3, told.size(), told::toString);
            assertEquals(Status.NO_ELEM, ((HeddleException) told.get(1)).status());
            assertTrue(told.get(1).getMessage().contains("no handler for id=64"), told.get(1).getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.6/set_am_handler_out_of_order", "6.6/set_am_handler_realloc"})
    void shouldReplaceAndRemoveHandlers(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            for (int id = 500; id >= 0; id -= 50) {
                pair.receive(id);
            }
            for (int id = 0; id <= 500; id += 50) {
                pair.there.send(id, 0, null, WorkerPair.number(id), 0, 8, null, null);
            }
            pair.settle();
            assertEquals(11, pair.received.size());
            pair.right.onActiveMessage(100, message -> calls.add("replaced"));
            pair.right.onActiveMessage(150, null);
            pair.there.send(100, 0, null, WorkerPair.number(1), 0, 8, null, null);
            pair.there.send(150, 0, null, WorkerPair.number(1), 0, 8, null, null);
            pair.settle();
            assertEquals(List.of("replaced"), calls);
            assertEquals(1, pair.right.statistics().dropped());
            assertEquals(1, pair.takeErrors().size());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldRegisterInsideACallbackFromTheNextBatchOn(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final Consumer<String> note = calls::add;
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                note.accept("old");
                pair.right.onActiveMessage(WorkerPair.ID, next -> note.accept("new"));
            });
            pair.sendNumber(1);
            pair.settle();
            pair.sendNumber(2);
            pair.settle();
            assertEquals(List.of("old", "new"), calls);
        }
    }

    private static int overflow(final int depth) {
        return overflow(depth + 1) + 1;
    }

    private static void sneak(final Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) thrown;
    }
}
