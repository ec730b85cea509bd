package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.DescriptorStateException;
import io.heddle.context.DescriptorStateException.Kind;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.context.ThreadModeViolation;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.loop.SteeredSettings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Payload kept beyond its handler: in place or copied, handles and holders, and every way to let go. */
@Timeout(20)
@ExtendWith(HygieneExtension.class)
final class ReceivedDataTest {
    private static final int FRAGMENT = SteeredSettings.DEFAULT.maxFragmentBytes();
    /** Of several fragments, put together in memory of more than twice the size. */
    private static final int LONG = 5 * FRAGMENT + 3;
    /** As it, with less waste. */
    private static final int LONGER = 16 * FRAGMENT;
    /** Inline, a descriptor with too much waste, one without, and of several fragments; and nothing. */
    private static final int[] SIZES = {0, 1, 8, 300, FRAGMENT / 2, FRAGMENT, LONG, LONGER};

    private long addressInHandler;

    // ---- how it is kept

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.6/send_process_am_release", "6.6/rx_persistent_data", "6.6/eager_data_release.short",
        "6.6/eager_data_release.single", "6.6/eager_data_release.multi", "6.6/multi_recv_data_late",
        "6.10/p2p_am.am_short_keep_data", "6.10/p2p_am.am_bcopy_keep_data", "M5"})
    void shouldReadTheSameUntilReleasedWhateverTheSize(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            for (final int bytes : SIZES) {
                final ReceivedData kept = keep(pair, bytes);
                for (int i = 0; i < 3; i++) {
                    pair.send(WorkerPair.pattern(bytes, 99));
                    pair.settle();
                }
                assertEquals(bytes, kept.lengthBytes());
                assertArrayEquals(WorkerPair.bytes(bytes, 1), copy(kept));
                assertEquals(1, pair.right.statistics().poolInUse());
                kept.release();
                pair.settle();
                assertEquals(0, pair.right.statistics().poolInUse(), "bytes=" + bytes);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldKeepInPlaceWhereLittleIsWasted(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            for (final int bytes : new int[] {FRAGMENT / 2, FRAGMENT, LONGER}) {
                final ReceivedData kept = keep(pair, bytes);
                assertEquals(addressInHandler, kept.memoryAddress(), "bytes=" + bytes);
                assertEquals(0, pair.right.statistics().bytesCopied());
                kept.release();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.6/rx_am_mpools", "M3"})
    void shouldCopyAndCountWhereMuchWouldBeWasted(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            int copied = 0;
            for (final int bytes : new int[] {1, 8, 300, FRAGMENT / 2 - 1, LONG}) {
                final ReceivedData kept = keep(pair, bytes);
                copied += bytes;
                assertNotEquals(addressInHandler, kept.memoryAddress());
                assertEquals(copied, pair.right.statistics().bytesCopied());
                kept.release();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldCopyWhereTheTransportDeniesKeeping(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receiving().denyKeeping(true);
            final ReceivedData kept = keep(pair, FRAGMENT);
            assertNotEquals(addressInHandler, kept.memoryAddress());
            assertEquals(FRAGMENT, pair.right.statistics().bytesCopied());
            assertEquals(0, pair.rightSide.heldElements());
            assertArrayEquals(WorkerPair.bytes(FRAGMENT, 1), copy(kept));
            kept.release();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldCopyWhereTheTransportKeepsNothing(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT.withKeepsInPlace(false))) {
            final ReceivedData kept = keep(pair, FRAGMENT);
            assertEquals(FRAGMENT, pair.right.statistics().bytesCopied());
            assertArrayEquals(WorkerPair.bytes(FRAGMENT, 1), copy(kept));
            kept.release();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/align.basic")
    void shouldAlignWhatIsKept(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            for (final int bytes : SIZES) {
                final ReceivedData kept = keep(pair, bytes);
                assertEquals(0, kept.memoryAddress() % 64, "bytes=" + bytes);
                kept.release();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.10/p2p_am.no_rx_buffs", "M4"})
    void shouldGiveTheElementBackAsCredit(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT.withCredits(1, 1))) {
            final ReceivedData kept = keep(pair, FRAGMENT);
            final Request waiting = pair.send(WorkerPair.pattern(FRAGMENT, 2));
            pair.settle();
            assertFalse(waiting.isDone(), "the only descriptor is kept");
            kept.release();
            pair.settle();
            assertEquals(Status.OK, waiting.status());
            assertEquals(1, pair.right.statistics().releasedElsewhere());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldSayWhenTheLimitOfWhatIsKeptIsReachedAndGoOnAfterARelease(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT,
            config -> config.poolLimitBytes(256 * 1024))) {
            final List<ReceivedData> kept = new ArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> kept.add(message.retain()));
            for (int i = 0; i < 500; i++) {
                pair.send(WorkerPair.pattern(1000, i));
                pair.settle();
            }
            final List<Throwable> errors = pair.takeErrors();
            assertEquals(500, kept.size() + errors.size());
            assertFalse(errors.isEmpty());
            assertFalse(kept.isEmpty());
            for (final Throwable error : errors) {
                assertEquals(Status.NO_MEMORY, ((HeddleException) error).status());
                assertTrue(error.getMessage().contains("heddle.pool.limit=262144"), error.getMessage());
            }
            for (int i = 0; i < kept.size(); i++) {
                assertArrayEquals(WorkerPair.bytes(1000, i), copy(kept.get(i)));
            }
            kept.forEach(ReceivedData::release);
            pair.settle();
            final ReceivedData again = keep(pair, 1000);
            again.release();
            pair.settle();
            assertEquals(0, pair.right.statistics().poolInUse());
        }
    }

    // ---- handles

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("M2")
    void shouldThrowAtTheSecondRelease(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            for (final int bytes : SIZES) {
                final ReceivedData kept = keep(pair, bytes);
                final ReceivedData other = keep(pair, bytes);
                kept.release();
                assertKind(Kind.DOUBLE_RELEASE, kept::release);
                assertKind(Kind.DOUBLE_RELEASE, kept::releaseAsync);
                kept.close();
                assertFalse(kept.isHeld());
                pair.settle();
                assertKind(Kind.DOUBLE_RELEASE, kept::release);
                assertArrayEquals(WorkerPair.bytes(bytes, 1), copy(other));
                other.releaseAsync();
                assertKind(Kind.DOUBLE_RELEASE, other::release);
                pair.settle();
            }
            assertEquals(4 * SIZES.length, pair.right.statistics().poolRefused());
            assertEquals(0, pair.right.statistics().poolInUse());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldThrowAtAReadAfterTheRelease(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            for (final int bytes : new int[] {8, FRAGMENT, LONG}) {
                final ReceivedData kept = keep(pair, bytes);
                final DirectBuffer view = kept.data();
                kept.release();
                assertKind(Kind.STALE_HANDLE, () -> view.getInt(0));
                assertKind(Kind.STALE_HANDLE, () -> view.getBytes(0, new byte[1]));
                assertKind(Kind.STALE_HANDLE, kept::retain);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldGoHomeWithTheLastOfSeveralHandles(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            for (final int bytes : SIZES) {
                final ReceivedData first = keep(pair, bytes);
                final ReceivedData second = first.retain();
                final ReceivedData third = second.retain();
                second.release();
                first.releaseAsync();
                pair.settle();
                assertEquals(1, pair.right.statistics().poolInUse());
                assertArrayEquals(WorkerPair.bytes(bytes, 1), copy(third));
                third.close();
                pair.settle();
                assertEquals(0, pair.right.statistics().poolInUse());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldFillAnObjectOfTheCallersAgainAndAgain(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final ReceivedData mine = new ReceivedData();
            pair.right.onActiveMessage(WorkerPair.ID, message -> message.retainInto(mine));
            for (int i = 0; i < 20; i++) {
                final int bytes = SIZES[i % SIZES.length];
                pair.send(WorkerPair.pattern(bytes, i));
                pair.settle();
                assertArrayEquals(WorkerPair.bytes(bytes, i), copy(mine));
                mine.release();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldRefuseToFillAnObjectThatStillHolds(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final ReceivedData mine = new ReceivedData();
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                message.retainInto(mine);
                assertKind(Kind.WRONG_STATE, () -> message.retainInto(mine));
            });
            pair.send(WorkerPair.pattern(FRAGMENT, 1));
            pair.settle();
            assertArrayEquals(WorkerPair.bytes(FRAGMENT, 1), copy(mine));
            mine.release();
        }
    }

    @Test
    void shouldRefuseEverythingOnAnObjectThatNeverHeld() {
        final ReceivedData never = new ReceivedData();
        assertFalse(never.isHeld());
        assertKind(Kind.STALE_HANDLE, never::release);
        assertKind(Kind.STALE_HANDLE, never::releaseAsync);
        assertKind(Kind.STALE_HANDLE, never::retain);
        never.close();
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.1/own.use_after_put")
    void shouldRevokeTheMessageWhenItsHandlerHasReturned(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final AtomicReference<ActiveMessage> escaped = new AtomicReference<>();
            final List<DirectBuffer> views = new ArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                escaped.set(message);
                views.add(message.header());
                views.add(message.data());
            });
            pair.there.send(WorkerPair.ID, 0, WorkerPair.number(1), WorkerPair.number(2), 0, 8, null, null);
            pair.settle();
            final ActiveMessage message = escaped.get();
            for (final DirectBuffer view : views) {
                assertKind(Kind.STALE_HANDLE, () -> view.getByte(0));
            }
            assertKind(Kind.STALE_HANDLE, message::data);
            assertKind(Kind.STALE_HANDLE, message::header);
            assertKind(Kind.STALE_HANDLE, message::retain);
            assertKind(Kind.STALE_HANDLE, message::postpone);
        }
    }

    // ---- letting go

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldBeReleasedInsideTheHandler(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> {
                final ReceivedData kept = message.retain();
                final ReceivedData second = kept.retain();
                kept.release();
                second.releaseAsync();
                assertEquals(0, message.lengthBytes() > 0 ? message.data().getByte(0) - 13 : 0);
            });
            for (int round = 0; round < 5; round++) {
                for (final int bytes : SIZES) {
                    pair.send(WorkerPair.pattern(bytes, 1));
                }
                pair.settle();
            }
            assertEquals(0, pair.right.statistics().poolInUse());
            assertEquals(5 * SIZES.length, pair.right.statistics().messagesReceived());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.1/own.cross_thread_put")
    void shouldBeReleasedAsynchronouslyByAnyThreadInEveryMode(final ThreadMode mode) throws InterruptedException {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            for (final int bytes : SIZES) {
                final ReceivedData kept = keep(pair, bytes);
                run(kept::close);
                pair.settle();
                assertEquals(0, pair.right.statistics().poolInUse());
            }
            assertEquals(SIZES.length, pair.right.statistics().releasedElsewhere());
            assertEquals(0, pair.right.statistics().violations());
        }
    }

    @Test
    @Tag("debug-only")
    @ExpectedLog("thread mode violation: worker=right mode=SINGLE")
    void shouldRefuseADirectReleaseByAForeignThreadAndLeaveEverythingAsItWas() throws InterruptedException {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.SINGLE)) {
            final ReceivedData kept = keep(pair, FRAGMENT);
            run(() -> assertThrows(ThreadModeViolation.class, kept::release));
            assertTrue(kept.isHeld());
            assertArrayEquals(WorkerPair.bytes(FRAGMENT, 1), copy(kept));
            assertEquals(1, pair.right.statistics().violations());
            assertTrue(pair.takeErrors().get(0) instanceof ThreadModeViolation);
            kept.release();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldOutliveItsEndpoint(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<ReceivedData> kept = new ArrayList<>();
            for (final int bytes : SIZES) {
                kept.add(keep(pair, bytes));
            }
            pair.there.close(CloseMode.FLUSH, Duration.ofSeconds(1));
            pair.settle();
            assertEquals(0, pair.right.statistics().endpoints(), "what only the peer wanted goes with the peer");
            assertEquals(SIZES.length, pair.right.statistics().poolInUse());
            for (int i = 0; i < SIZES.length; i++) {
                assertArrayEquals(WorkerPair.bytes(SIZES[i], 1), copy(kept.get(i)));
                kept.get(i).release();
            }
            pair.settle();
            assertEquals(0, pair.right.statistics().poolInUse());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"M1", "6.1/own.close_with_outstanding"})
    void shouldOutliveItsWorkerAndBeReportedByText(final ThreadMode mode) throws InterruptedException {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<ReceivedData> kept = new ArrayList<>();
            for (final int bytes : SIZES) {
                kept.add(keep(pair, bytes));
            }
            final CloseReport report = pair.right.close(CloseMode.FORCE, Duration.ofSeconds(1));
            assertFalse(report.isClean());
            assertEquals(SIZES.length, report.leaks().size());
            for (final String leak : report.leaks()) {
                assertTrue(leak.contains("was not returned to pool"), leak);
                assertTrue(leak.contains("right"), leak);
            }
            for (int i = 0; i < SIZES.length; i++) {
                assertArrayEquals(WorkerPair.bytes(SIZES[i], 1), copy(kept.get(i)));
            }
            final ReceivedData second = kept.get(1);
            second.release();
            run(() -> kept.stream().filter(data -> data != second).forEach(ReceivedData::close));
            assertKind(Kind.STALE_HANDLE, () -> second.getByte(0));
            assertKind(Kind.DOUBLE_RELEASE, second::releaseAsync);
            assertEquals(0, pair.right.core().keeping().pools().inUse());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldBeForwardedWithoutACopy(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<Received> forwarded = new ArrayList<>();
            pair.left.onActiveMessage(8, message -> forwarded.add(Received.of(message)));
            for (final int bytes : SIZES) {
                try (ReceivedData kept = keep(pair, bytes)) {
                    final Request sent = pair.back().send(8, 0, null, kept, 0, bytes, null, null);
                    pair.settle();
                    assertEquals(Status.OK, sent.status());
                }
                assertArrayEquals(WorkerPair.bytes(bytes, 1), forwarded.remove(0).data());
            }
        }
    }

    /** Sends pattern 1 and keeps it on the right; the handler then ignores what comes. */
    private ReceivedData keep(final WorkerPair pair, final int bytes) {
        final AtomicReference<ReceivedData> kept = new AtomicReference<>();
        pair.right.onActiveMessage(WorkerPair.ID, message -> {
            addressInHandler = message.data().addressOffset();
            kept.set(message.retain());
        });
        pair.send(WorkerPair.pattern(bytes, 1));
        pair.settle();
        pair.right.onActiveMessage(WorkerPair.ID, message -> { });
        return kept.get();
    }

    private static byte[] copy(final ReceivedData kept) {
        final byte[] bytes = new byte[kept.capacity()];
        kept.getBytes(0, bytes);
        return bytes;
    }

    private static void run(final Runnable task) throws InterruptedException {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Thread thread = new Thread(task, "another");
        thread.setUncaughtExceptionHandler((t, ex) -> failure.set(ex));
        thread.start();
        thread.join();
        assertEquals(null, failure.get());
    }

    private static void assertKind(final Kind kind, final Runnable call) {
        assertEquals(kind, assertThrows(DescriptorStateException.class, call::run).kind());
    }
}
