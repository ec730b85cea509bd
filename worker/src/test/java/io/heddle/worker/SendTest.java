package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.loop.SteeredSettings;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages of every size and shape, sent while there is room. */
@Timeout(20)
@ExtendWith(HygieneExtension.class)
final class SendTest {
    private static final int INLINE = SteeredSettings.DEFAULT.inlineBytes();
    private static final int MAX_INLINE = SteeredSettings.DEFAULT.maxInlineBytes();
    private static final int FRAGMENT = SteeredSettings.DEFAULT.maxFragmentBytes();
    private static final int MESSAGE_MAX = 64 * 1024;
    private static final int[] SIZES = {0, 1, 7, 8, 9, INLINE - 1, INLINE, INLINE + 1, MAX_INLINE, MAX_INLINE + 1,
        FRAGMENT - 1, FRAGMENT, FRAGMENT + 1, 3 * FRAGMENT - 1, 3 * FRAGMENT, 3 * FRAGMENT + 1, MESSAGE_MAX};
    private static final int[] HEADER_SIZES = {0, 1, 7, 8, 1024};

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.6/send_process_am", "6.6/zero_send", "6.6/max_short_thresh_zcopy", "6.6/seg_size",
        "6.6/max_am_header", "6.6/dts.short_bcopy", "6.6/dts.zcopy"})
    void shouldCarryEverySizeWithEveryHeader(final ThreadMode mode) {
        try (WorkerPair pair = open(mode)) {
            pair.receive(WorkerPair.ID);
            for (final int headerBytes : HEADER_SIZES) {
                for (final int dataBytes : SIZES) {
                    final Request request = pair.there.send(WorkerPair.ID, 0, header(headerBytes),
                        WorkerPair.pattern(dataBytes, 3), 0, dataBytes, null, null);
                    pair.settle();
                    assertEquals(Status.OK, request.status());
                    final Received got = pair.received.remove(0);
                    assertArrayEquals(WorkerPair.bytes(headerBytes, 77), got.header(), "dataBytes=" + dataBytes);
                    assertArrayEquals(WorkerPair.bytes(dataBytes, 3), got.data(), "headerBytes=" + headerBytes);
                    assertTrue(pair.received.isEmpty());
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldKeepTheOrderOfOneEndpointOverAllSizes(final ThreadMode mode) {
        try (WorkerPair pair = open(mode)) {
            final List<Integer> lengths = new ArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> lengths.add((int) message.lengthBytes()));
            for (int i = 0; i < 3; i++) {
                for (final int bytes : SIZES) {
                    pair.send(WorkerPair.pattern(bytes, bytes));
                }
            }
            pair.settle();
            final List<Integer> sent = new ArrayList<>();
            IntStream.range(0, 3).forEach(i -> IntStream.of(SIZES).forEach(sent::add));
            assertEquals(sent, lengths);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldSendAPartOfABuffer(final ThreadMode mode) {
        try (WorkerPair pair = open(mode)) {
            pair.receive(WorkerPair.ID);
            for (final int bytes : new int[] {5, FRAGMENT, 2 * FRAGMENT + 5}) {
                final UnsafeBuffer source = WorkerPair.pattern(bytes + 20, 4);
                final byte[] wanted = new byte[bytes];
                source.getBytes(11, wanted);
                pair.there.send(WorkerPair.ID, 0, null, source, 11, bytes, null, null);
                pair.settle();
                assertArrayEquals(wanted, pair.received.remove(0).data());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldCarryEveryKindOfId(final ThreadMode mode) {
        try (WorkerPair pair = open(mode)) {
            for (final int id : new int[] {65535, 0, 64, 1, 300}) {
                pair.receive(id);
                pair.there.send(id, 0, null, WorkerPair.number(id), 0, 8, null, null);
                pair.settle();
                assertEquals(id, pair.received.remove(0).id());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellWhetherAReplyIsWanted(final ThreadMode mode) {
        try (WorkerPair pair = open(mode)) {
            final List<Boolean> wanted = new ArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> wanted.add(message.isReplyWanted()));
            for (final int bytes : new int[] {8, 2 * FRAGMENT}) {
                pair.there.send(WorkerPair.ID, SendFlags.NO_REPLY, null, WorkerPair.pattern(bytes, 1), 0, bytes, null,
                    null);
                pair.there.send(WorkerPair.ID, SendFlags.NONE, null, WorkerPair.pattern(bytes, 1), 0, bytes, null,
                    null);
            }
            pair.settle();
            assertEquals(List.of(false, true, false, true), wanted);
        }
    }

    // ---- limits and misuse

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldRefuseWhatIsLongerThanTheLongestMessage(final ThreadMode mode) {
        try (WorkerPair pair = open(mode)) {
            final UnsafeBuffer tooLong = WorkerPair.pattern(MESSAGE_MAX + 1, 1);
            assertEquals(Status.EXCEEDS_LIMIT, pair.send(tooLong).status());
            assertEquals(Status.EXCEEDS_LIMIT, pair.there.trySend(WorkerPair.ID, 0, null, tooLong, 0, MESSAGE_MAX + 1));
            final BufferVector vector = new BufferVector().add(tooLong, 0, MESSAGE_MAX).add(tooLong, 0, 1);
            assertEquals(Status.EXCEEDS_LIMIT, pair.there.send(WorkerPair.ID, 0, null, vector, null, null).status());
            assertEquals(0, pair.left.statistics().messagesSent());
            assertFalse(pair.there.waits().isWaiting());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldHoldALimitBelowOneRecordToo(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT, config -> config.messageMaxBytes(1024)
            .inlineMaxBytes(1024))) {
            pair.receive(WorkerPair.ID);
            assertEquals(Status.EXCEEDS_LIMIT, pair.send(WorkerPair.pattern(1025, 1)).status());
            assertEquals(Status.EXCEEDS_LIMIT,
                pair.there.trySend(WorkerPair.ID, 0, null, WorkerPair.pattern(1025, 1), 0, 1025));
            assertEquals(1024, pair.there.maxClaimBytes());
            assertEquals(Status.OK, pair.there.trySend(WorkerPair.ID, 0, header(1024), WorkerPair.pattern(1024, 1), 0,
                1024));
            pair.settle();
            assertEquals(1024, pair.received.remove(0).data().length);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.6/am_header_error", "6.6/am_id_overflow", "6.6/set_invalid_handler"})
    void shouldRefuseWhatIsOutOfRange(final ThreadMode mode) {
        try (WorkerPair pair = open(mode)) {
            final UnsafeBuffer data = WorkerPair.number(1);
            assertInvalid("headerBytes=1025", () -> pair.there.send(1, 0, header(1025), data, 0, 8, null, null));
            assertInvalid("headerBytes=1025", () -> pair.there.trySend(1, 0, header(1025), data, 0, 8));
            assertInvalid("headerBytes=1025",
                () -> pair.there.send(1, 0, header(1025), new BufferVector().add(data, 0, 8), null, null));
            for (final int id : new int[] {-1, 65536, Integer.MAX_VALUE}) {
                assertInvalid("id=" + id, () -> pair.there.send(id, 0, null, data, 0, 8, null, null));
                assertInvalid("id=" + id, () -> pair.there.trySend(id, 0, null, data, 0, 8));
                assertInvalid("id=" + id, () -> pair.there.tryClaim(id, 0, 8, new Claim()));
                assertInvalid("id=" + id, () -> pair.right.onActiveMessage(id, message -> { }));
            }
            assertInvalid("flags=2", () -> pair.there.send(1, 2, null, data, 0, 8, null, null));
            assertInvalid("offset=1 lengthBytes=8", () -> pair.there.send(1, 0, null, data, 1, 8, null, null));
            assertInvalid("lengthBytes=-1", () -> pair.there.send(1, 0, null, data, 0, -1, null, null));
            assertInvalid("none (null)", () -> pair.there.send(1, 0, null, null, 0, 8, null, null));
            assertEquals(0, pair.left.statistics().messagesSent());
        }
    }

    @Test
    void shouldRefuseAStretchThatIsNotInItsBuffer() {
        final BufferVector vector = new BufferVector();
        final UnsafeBuffer data = WorkerPair.number(1);
        assertInvalid("offset=4 lengthBytes=5", () -> vector.add(data, 4, 5));
        assertInvalid("none (null)", () -> vector.add(null, 0, 1));
        vector.add(null, 0, 0);
        assertEquals(0, vector.lengthBytes());
    }

    // ---- gathering

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.6/send_process_iov_am", "6.6/send_process_iov_am_64k"})
    void shouldGatherStretchesOfWhichSomeAreEmpty(final ThreadMode mode) {
        try (WorkerPair pair = open(mode)) {
            pair.receive(WorkerPair.ID);
            for (final int bytes : SIZES) {
                for (final int headerBytes : HEADER_SIZES) {
                    final BufferVector vector = split(bytes);
                    final UnsafeBuffer header = header(headerBytes);
                    final Request request = pair.there.send(WorkerPair.ID, 0, header, vector, null, null);
                    header.setMemory(0, headerBytes, (byte) 0x55);
                    pair.settle();
                    assertEquals(Status.OK, request.status());
                    final Received got = pair.received.remove(0);
                    assertArrayEquals(WorkerPair.bytes(bytes, 9), got.data(), "headerBytes=" + headerBytes);
                    assertArrayEquals(WorkerPair.bytes(headerBytes, 77), got.header(), "dataBytes=" + bytes);
                }
            }
        }
    }

    /** Empty, a seventh, empty, half, the rest, empty. */
    private static BufferVector split(final int bytes) {
        final UnsafeBuffer whole = WorkerPair.pattern(bytes, 9);
        final int first = bytes / 7;
        final int second = bytes / 2;
        return new BufferVector().add(whole, 0, 0).add(whole, 0, first).add(null, 0, 0).add(whole, first, second)
            .add(whole, first + second, bytes - first - second).add(whole, bytes, 0);
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldUseAVectorAgain(final ThreadMode mode) {
        try (WorkerPair pair = open(mode)) {
            pair.receive(WorkerPair.ID);
            final BufferVector vector = new BufferVector().add(WorkerPair.number(1), 0, 8);
            assertEquals(1, vector.size());
            pair.there.send(WorkerPair.ID, 0, null, vector, null, null);
            vector.clear();
            assertEquals(0, vector.size());
            vector.add(WorkerPair.number(2), 0, 8).add(WorkerPair.number(3), 0, 8);
            assertEquals(16, vector.lengthBytes());
            pair.there.send(WorkerPair.ID, 0, null, vector, null, null);
            pair.settle();
            assertEquals(List.of(1, 2), pair.numbers());
        }
    }

    // ---- requests that are done at once

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/pending.pending_ucs_ok")
    void shouldShareTheRequestOfWhatIsDoneAtOnceAndCallNobody(final ThreadMode mode) {
        try (WorkerPair pair = open(mode)) {
            pair.receive(WorkerPair.ID);
            final List<Request> told = new ArrayList<>();
            final Request first = pair.send(WorkerPair.number(1), (request, status) -> told.add(request));
            final Request second = pair.send(WorkerPair.number(2), (request, status) -> told.add(request));
            final Request longOne = pair.send(WorkerPair.pattern(2 * FRAGMENT, 1), (r, status) -> told.add(r));
            assertSame(first, second);
            assertTrue(first.isDone());
            assertEquals(Status.OK, first.status());
            assertEquals(Status.OK, longOne.status());
            assertNull(first.userData());
            assertFalse(first.cancel());
            pair.settle();
            assertEquals(List.of(), told);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/stats.per_op")
    void shouldCountWhatWasSentAndReceived(final ThreadMode mode) {
        try (WorkerPair pair = open(mode)) {
            pair.receive(WorkerPair.ID);
            pair.sendNumber(1);
            pair.send(WorkerPair.pattern(2 * FRAGMENT, 1));
            assertEquals(Status.OK, pair.there.trySend(WorkerPair.ID, 0, header(8), null, 0, 0));
            final Claim claim = new Claim();
            pair.there.tryClaim(WorkerPair.ID, 0, 100, claim);
            claim.commit();
            pair.settle();
            final WorkerStatistics sent = pair.left.statistics();
            final WorkerStatistics got = pair.right.statistics();
            assertEquals(4, sent.messagesSent());
            assertEquals(8 + 2 * FRAGMENT + 100, sent.bytesSent());
            assertEquals(4, got.messagesReceived());
            assertEquals(sent.bytesSent(), got.bytesReceived());
            assertEquals(0, got.bytesCopied());
            assertEquals(0, got.dropped());
            assertEquals(1, sent.endpoints());
            assertEquals(1, got.endpoints());
        }
    }

    private static WorkerPair open(final ThreadMode mode) {
        return WorkerPair.open(mode, SteeredSettings.DEFAULT, config -> config.messageMaxBytes(MESSAGE_MAX));
    }

    private static UnsafeBuffer header(final int bytes) {
        return WorkerPair.pattern(bytes, 77);
    }

    private static void assertInvalid(final String text, final Runnable call) {
        final HeddleException refused = assertThrows(HeddleException.class, call::run);
        assertEquals(Status.INVALID_PARAM, refused.status());
        assertTrue(refused.getMessage().contains(text), refused.getMessage());
    }
}
