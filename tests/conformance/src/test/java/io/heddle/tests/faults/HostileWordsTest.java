package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.shm.HostileHand;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.worker.Connection;
import io.heddle.worker.Request;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a peer may do to the words of its lane: that lane fails and says why, and nothing else notices. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class HostileWordsTest {
    private static final int SLOT = 1;
    private static final int RING = 2;
    private static final int DESCRIPTOR = 3;
    private static final int ONLY = 1;
    private static final int FIRST = 2;
    private static final int MORE = 3;
    private static final int SENT_BEFORE = 5;

    /** A deed against the receiver, and the words in which the lane's end is told. */
    private record Deed(String field, Consumer<HostileHand> hand) {
        @Override
        public String toString() {
            return field;
        }
    }

    private static List<Deed> deedsAgainstReceiver() {
        final List<Deed> deeds = new ArrayList<>();
        for (final int kind : new int[] {0, 4, 255}) {
            deeds.add(record("kind=" + kind, kind, ONLY, 8, 8L << 32, 0));
        }
        for (final int length : new int[] {-1, 49, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            deeds.add(record("length=" + length, SLOT, ONLY, length, 8L << 32, 0));
        }
        for (final int type : new int[] {0, 4, 255}) {
            deeds.add(record("type=" + type, SLOT, type, 8, 8L << 32, 0));
        }
        for (final long reference : new long[] {-8, 4, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE, 32 * 1024}) {
            deeds.add(record("ring offset=" + reference, RING, ONLY, 64, 64L << 32, reference));
        }
        deeds.add(record("ring offset=0 length=2147483647", RING, ONLY, Integer.MAX_VALUE, 64L << 32, 0));
        for (final long reference : new long[] {-1, 0, 63, 1L << 33, Long.MIN_VALUE}) {
            deeds.add(record("descriptor=" + reference + " is not lent", DESCRIPTOR, ONLY, 64, 64L << 32, reference));
        }
        deeds.add(record("headerBytes=65535", SLOT, ONLY, 8, 0xFFFFL << 16 | 8L << 32, 0));
        deeds.add(record("payloadBytes=2147483647", SLOT, ONLY, 8, 0x7FFF_FFFFL << 32, 0));
        deeds.add(record("first fragment", SLOT, FIRST, 8, 8L << 32, 0));
        deeds.add(record("first fragment", SLOT, FIRST, 8, 0xFFFFL << 16 | 100L << 32, 0));
        deeds.add(record("fragment without a first one", SLOT, MORE, 8, 0, 0));
        for (final int kind : new int[] {0, 4, 255}) {
            deeds.add(control("control kind=" + kind, kind, 0));
        }
        for (final long sizeClass : new long[] {-1, 7, Long.MAX_VALUE}) {
            deeds.add(control("wanted class=" + sizeClass, 1, sizeClass));
            deeds.add(control("refused class=" + sizeClass, 3, sizeClass));
        }
        for (final long tail : new long[] {-1, 4, Long.MAX_VALUE, Long.MIN_VALUE}) {
            deeds.add(control("final tail=" + tail, 2, tail));
        }
        return deeds;
    }

    private static Deed record(final String field, final int kind, final int type, final int length, final long meta,
        final long reference) {
        return new Deed(field, hand -> hand.record(true, SENT_BEFORE, kind, type, length, meta | Rig.ID, reference));
    }

    private static Deed control(final String field, final int kind, final long meta) {
        return new Deed(field, hand -> hand.control(true, 0, kind, meta));
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldFailOnlyTheEndpointWhoseWriterLies(final ThreadMode mode) {
        final Path directory = HygieneExtension.runtimeDirectory();
        try (Rig rig = Rig.open(mode)) {
            final int[] received = new int[1];
            final List<String> told = new ArrayList<>();
            rig.receiver.onActiveMessage(Rig.ID, message -> {
                Rig.assertRight(message);
                final Connection from = message.connection();
                from.onError((connection, status, reason) -> told.add(status + " " + reason));
                received[0]++;
            });
            final List<String> thrown = new ArrayList<>();
            rig.receiver.onError((worker, connection, status, error) -> thrown.add(status + " " + error));
            rig.sender.onError((worker, connection, status, error) -> thrown.add(status + " " + error));
            for (final Deed deed : deedsAgainstReceiver()) {
                final Set<String> before = HostileHand.segments(directory);
                final Endpoint bad = rig.another();
                final HostileHand hand = HostileHand.onNewSegment(directory, before);
                final int had = received[0];
                for (int i = 0; i < SENT_BEFORE; i++) {
                    rig.send(bad, i);
                }
                rig.until("delivered before " + deed, () -> received[0] == had + SENT_BEFORE);
                rig.until("retired before " + deed, () -> rig.progress() == 0);

                deed.hand.accept(hand);

                rig.until("told of " + deed, () -> !told.isEmpty());
                assertEquals(1, told.size(), told::toString);
                assertTrue(told.get(0).startsWith("PROTOCOL_VIOLATION ") && told.get(0).contains(deed.field),
                    () -> "expected=" + deed + " told=" + told);
                told.clear();
                rig.until("the liar's side has ended after " + deed, () -> bad.status() != Status.OK);
                bad.close();
                rig.sendNow(100);
                rig.until("the other endpoint goes on after " + deed, () -> received[0] == had + SENT_BEFORE + 1);
            }
            assertEquals(List.of(), thrown);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldFailOnlyTheEndpointWhoseReaderLies(final ThreadMode mode) {
        for (final long head : new long[] {-1, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertSenderFails(mode, "head=" + head, hand -> hand.head(head), 8);
        }
        for (final long head : new long[] {-1, 1L << 40, Long.MIN_VALUE}) {
            assertSenderFails(mode, "control head=" + head, hand -> hand.controlHead(head), 8192);
        }
        assertSenderFails(mode, "credit=-1", hand -> hand.credit(4, 0, -1), 8192);
        assertSenderFails(mode, "credit=" + Integer.MIN_VALUE, hand -> hand.credit(4, 0, Integer.MIN_VALUE), 8192);
        assertSenderFails(mode, "credit=" + Integer.MAX_VALUE, hand -> hand.credit(4, 0, Integer.MAX_VALUE), 8192);
    }

    /** The liar does not progress, so that nothing puts its words right. */
    private static void assertSenderFails(final ThreadMode mode, final String field, final Consumer<HostileHand> deed,
        final int bytes) {
        final Path directory = HygieneExtension.runtimeDirectory();
        try (Rig rig = Rig.open(mode)) {
            final int[] received = new int[1];
            rig.receiver.onActiveMessage(Rig.ID, message -> received[0]++);
            final Set<String> before = HostileHand.segments(directory);
            final Endpoint bad = rig.another();
            final HostileHand hand = HostileHand.onNewSegment(directory, before);
            for (int i = 0; i < SENT_BEFORE; i++) {
                rig.send(bad, i);
            }
            rig.until("delivered", () -> received[0] == SENT_BEFORE);
            final List<String> told = new ArrayList<>();
            bad.onError((endpoint, status, reason) -> told.add(status + " " + reason));

            deed.accept(hand);
            final List<Request> requests = new ArrayList<>();
            for (int i = 0; i < 2 * hand.slots(); i++) {
                requests.add(rig.send(bad, bytes));
            }
            final long start = System.nanoTime();
            while (told.isEmpty() && System.nanoTime() - start < Rig.LIMIT.toNanos()) {
                rig.sender.progress();
            }

            assertEquals(1, told.size(), () -> field + " " + told + bad.describe());
            assertTrue(told.get(0).startsWith("PROTOCOL_VIOLATION ") && told.get(0).contains(field),
                () -> "expected=" + field + " told=" + told);
            assertTrue(requests.stream().allMatch(Request::isDone), "every request has an outcome");
            rig.sendNow(100);
            bad.close();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldNotMindWordsThatOnlyHarmTheirWriter(final ThreadMode mode) {
        final Path directory = HygieneExtension.runtimeDirectory();
        try (Rig rig = Rig.open(mode)) {
            final int[] received = new int[1];
            rig.receiver.onActiveMessage(Rig.ID, message -> {
                Rig.assertRight(message);
                received[0]++;
            });
            final Set<String> before = HostileHand.segments(directory);
            final Endpoint bad = rig.another();
            final HostileHand hand = HostileHand.onNewSegment(directory, before);
            for (final long word : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1, 2, 3, 0x7777_7777_7777L, 0}) {
                hand.waitState(word);
                final int had = received[0];
                rig.send(bad, 64);
                rig.until("delivered whatever the wait state says", () -> received[0] == had + 1);
            }
            for (long offset = 256; offset < HostileHand.bodyOffset(); offset += Long.BYTES) {
                hand.word(offset, -1);
            }
            final int had = received[0];
            rig.send(bad, 64);
            rig.until("delivered whatever the header says by now", () -> received[0] == had + 1);
            assertEquals(Status.OK, bad.status());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldNotDeliverARecordOfAnotherLap(final ThreadMode mode) {
        final Path directory = HygieneExtension.runtimeDirectory();
        final Set<String> before = HostileHand.segments(directory);
        try (Rig rig = Rig.open(mode)) {
            final int[] received = new int[1];
            rig.receiver.onActiveMessage(Rig.ID, message -> received[0]++);
            final HostileHand hand = HostileHand.onNewSegment(directory, before);
            for (long position = hand.slots(); position < 16L * hand.slots(); position++) {
                hand.record(true, position, SLOT, ONLY, 8, 8L << 32 | Rig.ID, 0);
            }
            for (int i = 0; i < 100; i++) {
                rig.progress();
            }
            assertEquals(0, received[0]);
            rig.sendNow(8);
            rig.until("delivered", () -> received[0] == 1);
        }
    }
}
