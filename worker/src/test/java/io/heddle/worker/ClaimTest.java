package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.DescriptorStateException;
import io.heddle.context.DescriptorStateException.Kind;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.loop.SteeredCall;
import io.heddle.tests.loop.SteeredSettings;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages written in place: claim, commit, abort, and everything they refuse. */
@Timeout(20)
@ExtendWith(HygieneExtension.class)
final class ClaimTest {
    private static final int FRAGMENT = SteeredSettings.DEFAULT.maxFragmentBytes();
    private final Claim claim = new Claim();

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldSendWhatWasWrittenAtEverySize(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            for (final int bytes : new int[] {0, 1, 256, 257, FRAGMENT - 1, FRAGMENT}) {
                assertEquals(Status.OK, pair.there.tryClaim(WorkerPair.ID, 0, bytes, claim));
                assertTrue(claim.isOpen());
                assertEquals(bytes, claim.lengthBytes());
                claim.putBytes(0, WorkerPair.bytes(bytes, 8), 0, bytes);
                assertEquals(Status.OK, claim.commit());
                assertFalse(claim.isOpen());
                pair.settle();
                assertArrayEquals(WorkerPair.bytes(bytes, 8), pair.received.remove(0).data());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldSendTheUsedPartOfAClaim(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            pair.there.tryClaim(WorkerPair.ID, 0, 1000, claim);
            claim.putByte(0, (byte) 0x11);
            claim.putInt(1, 0x22222222);
            claim.putLong(5, 0x3333333333333333L);
            claim.putBytes(13, WorkerPair.number(0x44444444), 0, 4);
            assertEquals(Status.OK, claim.commit(17));
            pair.settle();
            final byte[] data = pair.received.get(0).data();
            assertEquals("1122222222333333333333333344444444", java.util.HexFormat.of().formatHex(data));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldFixThePlaceSoThatLaterSendsQueueBehind(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            assertEquals(Status.OK, pair.there.tryClaim(WorkerPair.ID, 0, 8, claim));
            final Request behind = pair.sendNumber(2);
            final Request gathered = pair.there.send(WorkerPair.ID, 0, null,
                new BufferVector().add(WorkerPair.number(3), 0, 8), null, null);
            assertEquals(Status.NO_RESOURCE, pair.there.trySend(WorkerPair.ID, 0, null, WorkerPair.number(9), 0, 8));
            pair.settle();
            assertFalse(behind.isDone());
            assertEquals(List.of(), pair.received);
            claim.putInt(0, 1);
            claim.commit();
            pair.settle();
            assertEquals(List.of(1, 2, 3), pair.numbers());
            assertEquals(Status.OK, gathered.status());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLeaveNothingOfAnAbortedClaim(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            for (int i = 0; i < 50; i++) {
                assertEquals(Status.OK, pair.there.tryClaim(WorkerPair.ID, 0, i % 2 == 0 ? 8 : FRAGMENT, claim));
                claim.abort();
            }
            pair.there.tryClaim(WorkerPair.ID, 0, 8, claim);
            final Request behind = pair.sendNumber(5);
            claim.abort();
            pair.settle();
            assertEquals(Status.OK, behind.status());
            assertEquals(List.of(5), pair.numbers());
            assertEquals(1, pair.left.statistics().messagesSent());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldBeBusyWhileAnotherClaimIsOpenOrSendsArePending(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.onActiveMessage(WorkerPair.ID, message -> { });
            final Claim second = new Claim();
            assertEquals(Status.OK, pair.there.tryClaim(WorkerPair.ID, 0, 8, claim));
            assertEquals(Status.BUSY, pair.there.tryClaim(WorkerPair.ID, 0, 8, second));
            assertEquals(Status.BUSY, assertThrows(HeddleException.class,
                () -> pair.there.tryClaim(WorkerPair.ID, 0, 8, claim)).status(), "the object is in use");
            claim.commit();
            pair.settle();
            pair.fillLane();
            assertEquals(Status.BUSY, pair.there.tryClaim(WorkerPair.ID, 0, 8, second));
            pair.settle();
            assertEquals(Status.OK, pair.there.tryClaim(WorkerPair.ID, 0, 8, second));
            second.abort();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldRefuseAnObjectThatIsOpenOnAnotherEndpoint(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final Connection other = pair.left.connect(pair.right.address());
            pair.settle();
            pair.there.tryClaim(WorkerPair.ID, 0, 8, claim);
            assertThrows(HeddleException.class, () -> other.tryClaim(WorkerPair.ID, 0, 8, claim));
            claim.abort();
            assertEquals(Status.OK, other.tryClaim(WorkerPair.ID, 0, 8, claim));
            claim.abort();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldSayWhenThereIsNoRoom(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.sending().refuseReserves(1);
            assertEquals(Status.NO_RESOURCE, pair.there.tryClaim(WorkerPair.ID, 0, 8, claim));
            assertFalse(claim.isOpen());
            assertEquals(Status.OK, pair.there.tryClaim(WorkerPair.ID, 0, 8, claim));
            claim.abort();
            final HeddleException tooLong = assertThrows(HeddleException.class,
                () -> pair.there.tryClaim(WorkerPair.ID, 0, pair.there.maxClaimBytes() + 1, claim));
            assertEquals(Status.INVALID_PARAM, tooLong.status());
        }
    }

    // ---- misuse

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldThrowAtAnyUseAfterTheEnd(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            pair.there.tryClaim(WorkerPair.ID, 0, 8, claim);
            assertThrows(IndexOutOfBoundsException.class, () -> claim.putLong(1, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> claim.putByte(-1, (byte) 1));
            assertThrows(IndexOutOfBoundsException.class, () -> claim.putBytes(0, new byte[4], 1, 4));
            assertThrows(IndexOutOfBoundsException.class, () -> claim.commit(9));
            assertThrows(IndexOutOfBoundsException.class, () -> claim.commit(-1));
            claim.putLong(0, 1);
            claim.commit();
            assertKind(Kind.STALE_HANDLE, () -> claim.putByte(0, (byte) 1));
            assertKind(Kind.DOUBLE_RELEASE, claim::commit);
            assertKind(Kind.DOUBLE_RELEASE, claim::abort);
            pair.settle();
            assertEquals(List.of(1), pair.numbers());
        }
    }

    @Test
    void shouldThrowIfNothingWasClaimed() {
        assertFalse(claim.isOpen());
        assertKind(Kind.STALE_HANDLE, claim::commit);
        assertKind(Kind.STALE_HANDLE, claim::abort);
        assertKind(Kind.STALE_HANDLE, () -> claim.putByte(0, (byte) 1));
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldRefuseAFlushThatCouldOnlyWaitForItself(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.there.tryClaim(WorkerPair.ID, 0, 8, claim);
            assertEquals(Status.BUSY, assertThrows(HeddleException.class, pair.there::flush).status());
            claim.abort();
            assertEquals(Status.OK, pair.there.flush().status());
        }
    }

    // ---- the end of the connection

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldBeAbortedByCloseBeforeItFlushes(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.receive(WorkerPair.ID);
            pair.there.tryClaim(WorkerPair.ID, 0, 8, claim);
            final Request behind = pair.sendNumber(2);
            assertEquals(CloseReport.CLEAN, pair.there.close(CloseMode.FLUSH, Duration.ofSeconds(1)));
            assertEquals(Status.OK, behind.status());
            assertFalse(claim.isOpen());
            assertKind(Kind.STALE_HANDLE, () -> claim.putByte(0, (byte) 1));
            assertEquals(Status.CANCELED, claim.commit());
            claim.abort();
            pair.settle();
            assertEquals(List.of(2), pair.numbers());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldEndWithItsPeer(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.there.tryClaim(WorkerPair.ID, 0, FRAGMENT, claim);
            pair.sending().killPeer();
            claim.putLong(0, 1);
            WorkerPair.settle(pair.left);
            assertFalse(claim.isOpen());
            assertEquals(Status.CONNECTION_RESET, claim.commit());
            assertEquals(Status.CONNECTION_RESET, pair.there.tryClaim(WorkerPair.ID, 0, 8, claim));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldReportAPeerLostAtCommit(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.there.tryClaim(WorkerPair.ID, 0, 8, claim);
            pair.sending().failAt(SteeredCall.PUBLISH, 1, Status.CONNECTION_RESET);
            assertEquals(Status.CONNECTION_RESET, claim.commit());
            assertFalse(claim.isOpen());
            assertEquals(0, pair.left.statistics().messagesSent());
        }
    }

    private static void assertKind(final Kind kind, final Runnable call) {
        assertEquals(kind, assertThrows(DescriptorStateException.class, call::run).kind());
    }
}
