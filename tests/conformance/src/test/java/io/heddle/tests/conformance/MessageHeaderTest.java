package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.Request;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Headers of active messages: their limit, and who owns them when. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class MessageHeaderTest {
    private static final int ID = 3;
    /** Slot, byte ring, descriptor, several fragments. */
    private static final int[] DATA_SIZES = {0, 1, 40, 1000, 2048, 5000, 65536, 100_000};

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/max_am_header")
    void shouldCarryTheLongestHeaderWithAnyData(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            final int longest = duo.left.maxHeaderBytes();
            assertTrue(longest >= 1024, "maxHeaderBytes=" + longest);
            for (final int headerBytes : new int[] {1, 7, 8, longest - 1, longest}) {
                for (final int dataBytes : DATA_SIZES) {
                    final int before = inbox.size();
                    duo.send(duo.there, ID, Payload.direct(headerBytes, 11), Payload.heap(dataBytes, 12));
                    duo.until("message", () -> inbox.size() == before + 1);
                    Payload.check(inbox.last().headerBuffer(), headerBytes, 11);
                    Payload.check(inbox.last().dataBuffer(), dataBytes, 12);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/am_header_error")
    void shouldRefuseALongerHeader(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final UnsafeBuffer tooLong = Payload.heap(duo.left.maxHeaderBytes() + 1, 1);
            MessageIdTest.refused(() -> duo.there.sendActiveMessage(ID, tooLong, null, 0, 0));
            MessageIdTest.refused(() -> duo.there.trySendActiveMessage(ID, tooLong, null, 0, 0));
            assertEquals(0, duo.left.statistics().messagesSent());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/zero_send")
    void shouldCarryNothingButAHeaderOrNothingAtAll(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            final byte[] header = Payload.bytes(duo.left.maxHeaderBytes(), 5);

            duo.send(duo.there, ID, new UnsafeBuffer(header), null);
            duo.send(duo.there, ID, new UnsafeBuffer(new byte[0]), new UnsafeBuffer(new byte[0]));
            duo.send(duo.there, ID, null, null);

            duo.until("messages", () -> inbox.size() == 3);
            assertArrayEquals(header, inbox.get(0).header());
            for (int i = 0; i < 3; i++) {
                assertEquals(0, inbox.get(i).data().length);
                assertEquals(i == 0 ? header.length : 0, inbox.get(i).header().length);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/send_copy_header.all_protos")
    void shouldLetTheHeaderBeOverwrittenWhileTheSendIsPending(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            final int filled = duo.fill(duo.there, ID, Payload.heap(8, 0));
            final UnsafeBuffer header = Payload.direct(100, 0);
            final List<Request> requests = new ArrayList<>();
            for (final int dataBytes : DATA_SIZES) {
                Payload.fill(header, 0, header.capacity(), dataBytes);
                final Request request = duo.there.sendActiveMessage(ID, header, Payload.heap(dataBytes, 1), 0,
                    dataBytes);
                assertFalse(request.isDone());
                requests.add(request);
            }
            Payload.fill(header, 0, header.capacity(), 99);

            duo.until("messages", () -> inbox.size() == filled + DATA_SIZES.length);

            for (int i = 0; i < DATA_SIZES.length; i++) {
                assertEquals(Status.OK, requests.get(i).status());
                Payload.check(inbox.get(filled + i).headerBuffer(), 100, DATA_SIZES[i]);
                Payload.check(inbox.get(filled + i).dataBuffer(), DATA_SIZES[i], 1);
            }
        }
    }
}
