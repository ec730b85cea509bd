package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.context.DescriptorStateException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.Claim;
import io.heddle.worker.ReceivedData;
import java.util.ArrayList;
import java.util.List;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every way to give data, received in every way. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class MessageKindTest {
    private static final int ID = 2;
    private static final int ODD_OFFSET = 13;

    /** How the sender gives the data. */
    private enum Giving { HEAP, DIRECT, ODD, VECTOR, TRY, CLAIM }

    /** How the receiver takes them. */
    private enum Taking { CONSUME, COPY, KEEP, KEEP_INTO, POSTPONE, POSTPONE_AND_KEEP }

    private final Claim claim = new Claim();
    private final List<byte[]> taken = new ArrayList<>();
    private final ReceivedData mine = new ReceivedData();
    private ReceivedData handle;
    private boolean isPostponed;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/dts.short_bcopy")
    void shouldTakeInEveryWayWhatWasGivenInEveryWay(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            giveAndTakeAll(duo, Giving.values(), 0, 1, 48, 49, 2048, 2049, 65_536);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/dts.zcopy")
    void shouldTakeLargeDataInEveryWayWhatWasGivenInEveryWay(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            giveAndTakeAll(duo, new Giving[] {Giving.HEAP, Giving.DIRECT, Giving.ODD, Giving.VECTOR}, 65_537, 300_000);
        }
    }

    private void giveAndTakeAll(final Duo duo, final Giving[] givings, final int... sizes) {
        for (final int bytes : sizes) {
            for (final Giving giving : givings) {
                for (final Taking taking : Taking.values()) {
                    duo.right.onActiveMessage(ID, message -> take(taking, message));
                    give(giving, duo, bytes);
                    duo.until(giving + " to " + taking, () -> !taken.isEmpty());
                    Payload.check(new UnsafeBuffer(taken.remove(0)), bytes, bytes);
                }
            }
        }
        assertEquals(sizes.length * givings.length * 2, duo.right.statistics().postponed());
        duo.until("all came back", () -> duo.right.statistics().poolInUse() == 0);
    }

    private void give(final Giving giving, final Duo duo, final int bytes) {
        final Endpoint there = duo.there;
        switch (giving) {
            case HEAP -> duo.send(there, ID, null, Payload.heap(bytes, bytes));
            case DIRECT -> duo.send(there, ID, null, Payload.direct(bytes, bytes));
            case ODD -> {
                final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(bytes + 2 * ODD_OFFSET);
                Payload.fill(buffer, ODD_OFFSET, bytes, bytes);
                duo.done(there.sendActiveMessage(ID, null, buffer, ODD_OFFSET, bytes));
            }
            case VECTOR -> duo.done(there.sendActiveMessage(ID, null, MessageSizeTest.gathered(bytes, bytes), null));
            case TRY -> {
                final UnsafeBuffer data = Payload.heap(bytes, bytes);
                duo.until("room", () -> there.trySendActiveMessage(ID, null, data, 0, bytes) == Status.OK);
            }
            default -> {
                duo.until("room", () -> there.tryClaim(ID, bytes, claim) == Status.OK);
                claim.putBytes(0, Payload.bytes(bytes, bytes), 0, bytes);
                assertEquals(Status.OK, claim.commit());
            }
        }
    }

    private void take(final Taking taking, final ActiveMessage message) {
        switch (taking) {
            case CONSUME -> taken.add(Payload.copyOf(message.data()));
            case COPY -> {
                final UnsafeBuffer copy = new UnsafeBuffer(new byte[(int) message.lengthBytes()]);
                assertEquals(copy.capacity(), message.copyTo(copy, 0));
                taken.add(copy.byteArray());
            }
            case KEEP -> {
                handle = message.retain();
                taken.add(Payload.copyOf(handle.data()));
                handle.close();
            }
            case KEEP_INTO -> {
                message.retainInto(mine);
                assertThrows(DescriptorStateException.class, () -> message.retainInto(mine));
                taken.add(Payload.copyOf(mine));
                mine.close();
            }
            default -> postponeOnce(taking, message);
        }
    }

    private void postponeOnce(final Taking taking, final ActiveMessage message) {
        isPostponed = !isPostponed;
        if (isPostponed) {
            if (taking == Taking.POSTPONE_AND_KEEP) {
                handle = message.retain();
            }
            message.postpone();
            Endpoint.of(message.connection()).resume();
            return;
        }
        if (taking == Taking.POSTPONE_AND_KEEP) {
            assertEquals(0, handle.compareTo(new UnsafeBuffer(Payload.copyOf(message.data()))));
            handle.close();
        }
        taken.add(Payload.copyOf(message.data()));
    }


    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldHoldEverythingBehindAPostponedMessageAndNothingElse(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Endpoint other = duo.connect(duo.add(duo.leftContext, "other"), duo.right);
            final List<Endpoint> paused = new ArrayList<>();
            final Inbox inbox = new Inbox();
            duo.right.onActiveMessage(ID, message -> {
                if (message.data().getByte(0) == 0 && paused.isEmpty()) {
                    paused.add(Endpoint.of(message.connection()));
                    message.postpone();
                } else {
                    inbox.onMessage(message);
                }
            });
            for (byte i = 0; i < 100; i++) {
                duo.send(duo.there, ID, null, new UnsafeBuffer(new byte[] {i}));
            }
            for (byte i = 100; i < 120; i++) {
                duo.send(other, ID, null, new UnsafeBuffer(new byte[] {i}));
            }
            duo.until("the other endpoint's", () -> inbox.size() == 20);
            duo.settle();
            assertEquals(20, inbox.size());

            paused.get(0).resume();
            duo.until("those behind", () -> inbox.size() == 120);
            for (int i = 0; i < 120; i++) {
                assertEquals(i < 20 ? 100 + i : i - 20, inbox.get(i).data()[0]);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldSayThatATryCannotCarryMoreThanOneRecord(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final int bytes = duo.there.maxClaimBytes() + 1;
            assertEquals(Status.UNSUPPORTED, duo.there.trySendActiveMessage(ID, null, Payload.heap(bytes, 1), 0,
                bytes));
            MessageIdTest.refused(() -> duo.there.tryClaim(ID, bytes, claim));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldShowNothingOfAnAbortedClaimAndLessOfAShortenedOne(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            for (final int bytes : new int[] {48, 2000, 60_000}) {
                duo.until("room", () -> duo.there.tryClaim(ID, bytes, claim) == Status.OK);
                assertEquals(Status.BUSY, duo.there.tryClaim(ID, bytes, new Claim()));
                claim.putLong(0, -1);
                claim.abort();
                assertThrows(DescriptorStateException.class, () -> claim.putByte(0, (byte) 0));

                duo.until("room", () -> duo.there.tryClaim(ID, bytes, claim) == Status.OK);
                claim.putBytes(0, Payload.heap(bytes, 1), 0, bytes);
                assertEquals(Status.OK, claim.commit(bytes - 9));
                assertThrows(DescriptorStateException.class, claim::commit);
            }
            duo.until("messages", () -> inbox.size() == 3);
            Payload.check(inbox.get(0).dataBuffer(), 39, 1);
            Payload.check(inbox.get(1).dataBuffer(), 1991, 1);
            Payload.check(inbox.get(2).dataBuffer(), 59_991, 1);
        }
    }
}
