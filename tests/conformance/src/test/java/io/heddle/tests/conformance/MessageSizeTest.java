package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.BufferVector;
import io.heddle.worker.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages of every size, up to the largest, in one piece and gathered. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class MessageSizeTest {
    private static final int ID = 9;
    private static final int MIB = 1 << 20;
    /** Around what fits a slot, the byte ring and a descriptor, with the default configuration. */
    private static final int[] BORDERS = {0, 1, 7, 8, 9, 47, 48, 49, 63, 64, 65, 2047, 2048, 2049, 4095, 4096, 4097,
        65535, 65536, 65537, 131_071, 131_072, 131_073, 300_000};

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.6/send_process_am", "6.6/max_short_thresh_zcopy", "6.10/p2p_am.am_sync", "6.10/p2p_am.am_bcopy"})
    void shouldCarryMessagesAroundEveryBorder(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            for (final int bytes : BORDERS) {
                duo.send(duo.there, ID, null, Payload.heap(bytes, bytes));
                duo.send(duo.there, ID, Payload.heap(16, 3), Payload.direct(bytes, bytes + 1));
            }
            duo.until("messages", () -> inbox.size() == 2 * BORDERS.length);
            for (int i = 0; i < BORDERS.length; i++) {
                Payload.check(inbox.get(2 * i).dataBuffer(), BORDERS[i], BORDERS[i]);
                Payload.check(inbox.get(2 * i + 1).dataBuffer(), BORDERS[i], BORDERS[i] + 1);
                Payload.check(inbox.get(2 * i + 1).headerBuffer(), 16, 3);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/seg_size")
    void shouldCarryMessagesAroundEveryDescriptorSize(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode, new ContextConfig().inlineMaxBytes(64))) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            final int[] sizes = IntStream.rangeClosed(6, 17)
                .flatMap(power -> IntStream.of((1 << power) - 1, 1 << power, (1 << power) + 1)).toArray();
            for (final int bytes : sizes) {
                duo.send(duo.there, ID, null, Payload.heap(bytes, bytes));
            }
            duo.until("messages", () -> inbox.size() == sizes.length);
            for (int i = 0; i < sizes.length; i++) {
                Payload.check(inbox.get(i).dataBuffer(), sizes[i], sizes[i]);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.6/send_process_iov_am", "6.6/send_process_iov_am_64k"})
    void shouldGatherAMessageFromSeveralBuffers(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            final List<BufferVector> vectors = new ArrayList<>();
            for (final int bytes : new int[] {0, 1, 3, 48, 49, 2048, 2049, 65535, 65536, 65537, MIB}) {
                vectors.add(gathered(bytes, bytes));
            }
            for (final BufferVector vector : vectors) {
                duo.done(duo.there.sendActiveMessage(ID, Payload.heap(9, 4), vector, null));
            }
            duo.until("messages", () -> inbox.size() == vectors.size());
            for (int i = 0; i < vectors.size(); i++) {
                final int bytes = vectors.get(i).lengthBytes();
                Payload.check(inbox.get(i).dataBuffer(), bytes, bytes);
                Payload.check(inbox.get(i).headerBuffer(), 9, 4);
            }
        }
    }

    /** A payload in pieces of growing size, from heap and direct buffers in turn, an empty one between any two. */
    static BufferVector gathered(final int lengthBytes, final long seed) {
        final UnsafeBuffer heap = Payload.heap(lengthBytes, seed);
        final UnsafeBuffer direct = Payload.direct(lengthBytes, seed);
        final BufferVector vector = new BufferVector().add(heap, 0, 0);
        int done = 0;
        for (int piece = 1; done < lengthBytes; piece = piece * 3 + 1) {
            final int bytes = Math.min(piece, lengthBytes - done);
            vector.add(vector.size() % 4 == 1 ? heap : direct, done, bytes).add(direct, lengthBytes, 0);
            done += bytes;
        }
        return vector;
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldCarrySixtyFourMebibytes(final ThreadMode mode) {
        carryLarge(mode, 64 * MIB, 16 * MIB);
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @Tag("slow")
    @Timeout(600)
    void shouldCarryOneGibibyte(final ThreadMode mode) {
        carryLarge(mode, 1024 * MIB, 64 * MIB);
    }

    /** One piece sent several times over as one message, so that the sender's side fits a small machine. */
    private static void carryLarge(final ThreadMode mode, final int bytes, final int pieceBytes) {
        try (Duo duo = Duo.of(mode)) {
            final long[] crc = new long[1];
            final int[] received = new int[1];
            duo.right.onActiveMessage(ID, message -> {
                crc[0] = Payload.crc(message.data());
                received[0] = (int) message.lengthBytes();
            });
            final UnsafeBuffer piece = Payload.direct(pieceBytes, 77);
            final BufferVector vector = new BufferVector();
            final CRC32C sum = new CRC32C();
            for (int done = 0; done < bytes; done += pieceBytes) {
                vector.add(piece, 0, pieceBytes);
                Payload.update(sum, piece);
            }
            final Request request = duo.there.sendActiveMessage(ID, null, vector, null);
            duo.until("message", () -> received[0] != 0);
            assertEquals(Status.OK, request.status());
            assertEquals(bytes, received[0]);
            assertEquals(sum.getValue(), crc[0]);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldRefuseWhatExceedsTheLargestMessage(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode, new ContextConfig().messageMaxBytes(MIB))) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            final UnsafeBuffer data = Payload.heap(MIB + 1, 1);
            assertEquals(MIB, duo.left.maxMessageBytes());
            assertEquals(Status.EXCEEDS_LIMIT, duo.there.sendActiveMessage(ID, null, data, 0, MIB + 1).status());
            assertEquals(Status.EXCEEDS_LIMIT,
                duo.there.sendActiveMessage(ID, null, gathered(MIB + 1, 1), null).status());
            duo.done(duo.there.sendActiveMessage(ID, null, data, 0, MIB));
            duo.until("the largest", () -> inbox.size() == 1);
            Payload.check(inbox.get(0).dataBuffer(), MIB, 1);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldDropCountAndTellOfAMessageThatTheReceiverFindsTooLarge(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode, new ContextConfig(), new ContextConfig().messageMaxBytes(MIB))) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            final List<Status> told = new ArrayList<>();
            duo.right.onError((worker, connection, status, error) -> told.add(status));
            duo.done(duo.there.sendActiveMessage(ID, null, Payload.heap(2 * MIB, 1), 0, 2 * MIB));
            duo.done(duo.there.sendActiveMessage(ID, null, Payload.heap(MIB, 2), 0, MIB));
            duo.until("the one after", () -> inbox.size() == 1);
            Payload.check(inbox.get(0).dataBuffer(), MIB, 2);
            assertEquals(List.of(Status.EXCEEDS_LIMIT), told);
            assertEquals(1, duo.right.statistics().dropped());
        }
    }
}
