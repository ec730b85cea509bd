package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.SendFlags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The way back to the sender, and what becomes of messages when the receiver has closed it. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class ReplyTest {
    private static final int PING = 20;
    private static final int PONG = 21;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/reply_always.multi_bcopy")
    void shouldReplyToMessagesOfSeveralFragments(final ThreadMode mode) {
        pingPong(mode, 65_535, 65_536, 65_537, 150_000);
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/reply_always.multi_zcopy")
    void shouldReplyToLargeMessages(final ThreadMode mode) {
        pingPong(mode, 2 << 20);
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/reply_always.short_slow_path")
    void shouldReplyAroundEveryBorder(final ThreadMode mode) {
        pingPong(mode, IntStream.of(0, 48, 2048).flatMap(border -> IntStream.rangeClosed(border - 4, border + 4))
            .filter(bytes -> bytes >= 0).toArray());
    }

    private static void pingPong(final ThreadMode mode, final int... sizes) {
        try (Duo duo = Duo.of(mode)) {
            duo.right.onActiveMessage(PING, message -> {
                assertTrue(message.isReplyWanted());
                final byte[] header = Payload.copyOf(message.header());
                final byte[] data = Payload.copyOf(message.data());
                Endpoint.replyTo(message).sendActiveMessage(PONG, new UnsafeBuffer(header), new UnsafeBuffer(data), 0,
                    data.length);
            });
            final Inbox inbox = Inbox.on(duo.left, PONG);
            for (final int bytes : sizes) {
                duo.send(duo.there, PING, Payload.heap(24, 2), Payload.heap(bytes, bytes));
            }
            duo.until("replies", () -> inbox.size() == sizes.length);
            for (int i = 0; i < sizes.length; i++) {
                Payload.check(inbox.get(i).headerBuffer(), 24, 2);
                Payload.check(inbox.get(i).dataBuffer(), sizes[i], sizes[i]);
            }
            assertEquals(0, duo.right.statistics().callbacksFailed());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldGiveNoEndpointWhereNoReplyIsWanted(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final List<Endpoint> backs = new ArrayList<>();
            duo.right.onActiveMessage(PING, message -> backs.add(Endpoint.replyTo(message)));
            for (final int bytes : new int[] {8, 1000, 10_000, 100_000}) {
                duo.done(duo.there.sendActiveMessage(PING, SendFlags.NO_REPLY, null, Payload.heap(bytes, 0), 0, bytes,
                    null, null));
                duo.send(duo.there, PING, null, Payload.heap(bytes, 0));
            }
            duo.until("messages", () -> backs.size() == 8);
            for (int i = 0; i < 8; i += 2) {
                assertNull(backs.get(i));
                assertSame(backs.get(1), backs.get(i + 1), "one endpoint per connection");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.6/closed_ep.rx_short", "6.6/closed_ep.rx_long"})
    void shouldDropCountAndTellTheSenderWhenTheReceiverHasClosedItsEndpoint(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final List<Integer> received = new ArrayList<>();
            final List<Status> told = new ArrayList<>();
            duo.right.onActiveMessage(PING, message -> {
                received.add(message.id());
                closeInside(message);
            });
            duo.there.onError((endpoint, status, reason) -> told.add(status));
            for (int i = 0; i < 10; i++) {
                final UnsafeBuffer data = Payload.heap(i % 2 == 0 ? 8 : 1500, i);
                assertEquals(Status.OK, duo.there.trySendActiveMessage(PING, null, data, 0, data.capacity()));
            }
            duo.until("the sender is told", () -> !told.isEmpty());
            duo.settle();

            assertEquals(1, received.size());
            assertEquals(9, duo.right.statistics().dropped());
            assertEquals(List.of(Status.CONNECTION_RESET), told);
            assertEquals(Status.CONNECTION_RESET, duo.there.status());
            assertFalse(duo.there.isConnected());
            assertEquals(Status.CONNECTION_RESET, duo.there.trySendActiveMessage(PING, null, null, 0, 0));
            assertEquals(Status.CONNECTION_RESET, duo.there.sendActiveMessage(PING, null, Payload.heap(100_000, 0), 0,
                100_000).status());
        }
    }

    private static void closeInside(final ActiveMessage message) {
        final Endpoint back = Endpoint.replyTo(message);
        assertTrue(back.close(CloseMode.FLUSH, Duration.ofSeconds(1)).isClean());
        assertTrue(back.isClosed());
        assertEquals(Status.CANCELED, back.trySendActiveMessage(PONG, null, null, 0, 0));
    }
}
