package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Orderly ends: who closes how, what arrives all the same, and whom the other side tells. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class DisconnectTest {
    private static final int ID = 11;
    private static final int[] SIZES = {8, 1000, 5000, 100_000};
    private static final int ROUNDS = 10;

    private final List<String> told = new ArrayList<>();

    /** The right side's way back, made when the first message comes. */
    private Endpoint back(final Duo duo, final Inbox inbox) {
        final Endpoint[] back = new Endpoint[1];
        duo.right.onActiveMessage(ID, message -> {
            back[0] = Endpoint.of(message.connection());
            inbox.onMessage(message);
        });
        duo.send(duo.there, ID, null, Payload.heap(8, 8));
        duo.until("way back", () -> back[0] != null);
        return back[0];
    }

    private void tell(final Endpoint endpoint, final String who) {
        endpoint.userData(who);
        endpoint.onError((ended, status, reason) -> told.add(ended.userData() + " " + status));
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.9/wireup.send_disconnect_onesided", "6.9/sockaddr.onesided_disconnect"})
    void shouldDeliverWhatWasSentBeforeOneSideClosed(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            for (int i = 0; i < ROUNDS; i++) {
                for (final int bytes : SIZES) {
                    duo.there.sendActiveMessage(ID, null, Payload.heap(bytes, bytes), 0, bytes);
                }
            }
            closeWhileTheOtherProgresses(duo);
            duo.until("messages", () -> inbox.size() == ROUNDS * SIZES.length);
            for (int i = 0; i < inbox.size(); i++) {
                final int bytes = SIZES[i % SIZES.length];
                Payload.check(inbox.get(i).dataBuffer(), bytes, bytes);
            }
        }
    }

    /** The flush waits for the peer, whom nobody but the test's thread progresses. */
    private static void closeWhileTheOtherProgresses(final Duo duo) {
        final Request flushed = duo.there.flush();
        duo.done(flushed);
        assertEquals(CloseReport.CLEAN, duo.there.close(CloseMode.FLUSH, Duo.LIMIT));
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/wireup.send_disconnect_reply")
    void shouldDeliverARepliesThoughBothSidesCloseThereafter(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox replies = Inbox.on(duo.left, ID);
            duo.right.onActiveMessage(ID, message -> {
                final Endpoint back = Endpoint.of(message.connection());
                for (final int bytes : SIZES) {
                    back.sendActiveMessage(ID, null, Payload.heap(bytes, bytes), 0, bytes);
                }
                back.close(CloseMode.FLUSH, Duo.LIMIT); // inside: after the batch, when all is handed over
            });
            tell(duo.there, "there");
            duo.send(duo.there, ID, null, Payload.heap(8, 8));
            duo.until("replies", () -> replies.size() == SIZES.length);
            duo.until("told", () -> !told.isEmpty());
            assertEquals(CloseReport.CLEAN, duo.there.close(CloseMode.FLUSH, Duo.LIMIT));
            duo.settle();
            assertEquals(List.of("there CONNECTION_RESET"), told);
            assertEquals(0, duo.left.statistics().endpoints() + duo.right.statistics().endpoints());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/wireup.send_disconnect_reply")
    void shouldTellOfTheReplyThatComesAfterTheClose(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = new Inbox();
            final Endpoint back = back(duo, inbox);
            tell(back, "back");
            duo.send(duo.there, ID, null, Payload.heap(1000, 1));
            assertEquals(CloseReport.CLEAN, duo.there.close(CloseMode.FLUSH, Duo.LIMIT));
            duo.until("told", () -> !told.isEmpty());
            final Request reply = back.sendActiveMessage(ID, null, Payload.heap(1000, 2), 0, 1000);
            assertTrue(reply.isDone());
            assertEquals(Status.CONNECTION_RESET, reply.status());
            assertEquals(CloseReport.CLEAN, back.close(CloseMode.FLUSH, Duo.LIMIT));
            assertEquals(2, inbox.size());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/wireup.disconnect_nb_onesided")
    void shouldFlushWithoutBlockingWhatIsClosedInsideACallback(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            final int count = 500;
            for (int i = 0; i < count; i++) {
                final boolean isLast = i == count - 1;
                final Request sent = duo.there.sendActiveMessage(ID, null, Payload.heap(5000, i), 0, 5000,
                    (request, status) -> {
                        if (isLast) {
                            told.add("closed " + duo.there.close(CloseMode.FLUSH, Duo.LIMIT).isClean());
                        }
                    });
                assertTrue(!isLast || !sent.isDone(), "none is left to wait");
            }
            duo.until("messages", () -> inbox.size() == count);
            duo.until("gone", () -> duo.left.statistics().endpoints() == 0);
            assertEquals(List.of("closed true"), told);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.9/wireup.disconnect_reconnect", "6.9/wireup.connect_disconnect"})
    void shouldConnectAgainAndAgainAfterClosing(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            for (int i = 0; i < ROUNDS; i++) {
                final Endpoint unused = Endpoint.create(duo.left, duo.right.address());
                assertEquals(CloseReport.CLEAN, unused.close(i % 2 == 0 ? CloseMode.FLUSH : CloseMode.FORCE,
                    Duo.LIMIT));
                final Endpoint again = duo.connect(duo.left, duo.right);
                duo.send(again, ID, null, Payload.heap(1000, i));
                assertEquals(CloseReport.CLEAN, again.close(CloseMode.FLUSH, Duo.LIMIT));
            }
            duo.until("messages", () -> inbox.size() == ROUNDS);
            duo.until("gone", () -> duo.right.statistics().endpoints() == 1);
            assertEquals(1, duo.left.statistics().endpoints());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/wireup.stress_force_disconnect")
    void shouldForceManyClosedUnderLoadAndDisturbNoOther(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final int[] broken = new int[1];
            duo.right.onActiveMessage(ID + 1, message -> {
                final int bytes = (int) message.lengthBytes();
                broken[0] += message.data().getByte(bytes - 1) == message.data().getByte(0) ? 0 : 1;
            });
            final Inbox inbox = Inbox.on(duo.right, ID);
            for (int round = 0; round < 5; round++) {
                final List<Endpoint> all = new ArrayList<>();
                final List<Request> requests = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    all.add(duo.connect(duo.left, duo.right));
                }
                for (final Endpoint each : all) {
                    for (int i = 0; i < 60; i++) {
                        final int bytes = SIZES[i % SIZES.length];
                        final var data = Payload.heap(bytes, 0);
                        data.setMemory(0, bytes, (byte) i);
                        requests.add(each.sendActiveMessage(ID + 1, null, data, 0, bytes));
                    }
                    duo.progress();
                }
                all.forEach(each -> each.close(CloseMode.FORCE, Duo.LIMIT));
                assertTrue(requests.stream().allMatch(Request::isDone), "every request has an outcome");
                duo.send(duo.there, ID, null, Payload.heap(100_000, round));
                final int expected = round + 1;
                duo.until("undisturbed", () -> inbox.size() == expected);
            }
            duo.until("gone", () -> duo.right.statistics().endpoints() == 1);
            assertEquals(0, broken[0]);
            assertEquals(0, duo.right.statistics().poolInUse());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/sockaddr.close_callback")
    void shouldTellTheOwnerOfTheEndpointThatEnds(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Endpoint first = back(duo, new Inbox());
            final Endpoint[] second = new Endpoint[1];
            duo.right.onActiveMessage(ID + 1, message -> second[0] = Endpoint.of(message.connection()));
            final Endpoint other = duo.connect(duo.left, duo.right);
            duo.send(other, ID + 1, null, Payload.heap(8, 8));
            duo.until("second", () -> second[0] != null);
            assertNotSame(first, second[0]);
            tell(first, "first");
            tell(second[0], "second");
            other.close(CloseMode.FLUSH, Duo.LIMIT);
            duo.until("told", () -> !told.isEmpty());
            duo.settle();
            assertEquals(List.of("second CONNECTION_RESET"), told);
            duo.there.close(CloseMode.FORCE, Duo.LIMIT);
            duo.until("told", () -> told.size() == 2);
            assertEquals("first CONNECTION_RESET", told.get(1));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/sockaddr.bidi_wait_err_cb")
    void shouldTellThePeerExactlyOnceAfterTrafficBothWays(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox left = Inbox.on(duo.left, ID);
            final Inbox right = new Inbox();
            final Endpoint back = back(duo, right);
            tell(back, "back");
            tell(duo.there, "there");
            for (final int bytes : SIZES) {
                duo.send(duo.there, ID, null, Payload.heap(bytes, 1));
                duo.send(back, ID, null, Payload.heap(bytes, 2));
            }
            duo.until("both ways", () -> left.size() == SIZES.length && right.size() == SIZES.length + 1);
            duo.there.close(CloseMode.FLUSH, Duo.LIMIT);
            duo.until("told", () -> !told.isEmpty());
            duo.settle();
            assertEquals(List.of("back CONNECTION_RESET"), told, "and the closing side nothing");
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/sockaddr.concurrent_disconnect")
    void shouldCloseBothSidesAtOnceInEveryWay(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            for (int way = 0; way < 4; way++) {
                final Endpoint there = duo.connect(duo.left, duo.right);
                final Endpoint[] back = new Endpoint[1];
                duo.right.onActiveMessage(ID, message -> back[0] = Endpoint.of(message.connection()));
                duo.send(there, ID, null, Payload.heap(8, 8));
                duo.until("way back", () -> back[0] != null);
                tell(there, "there");
                tell(back[0], "back");
                there.sendActiveMessage(ID, null, Payload.heap(1000, 1), 0, 1000);
                back[0].sendActiveMessage(ID, null, Payload.heap(1000, 1), 0, 1000);
                final CloseReport one = there.close((way & 1) == 0 ? CloseMode.FLUSH : CloseMode.FORCE, Duo.LIMIT);
                final CloseReport two = back[0].close((way & 2) == 0 ? CloseMode.FLUSH : CloseMode.FORCE, Duo.LIMIT);
                assertEquals(CloseReport.CLEAN, one.plus(two));
                duo.settle();
                assertEquals(List.of(), told, "who closes is not told of the other's end");
            }
            assertEquals(1, duo.left.statistics().endpoints());
            assertEquals(1, duo.right.statistics().endpoints());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/sockaddr.protocols_err")
    void shouldCompleteEverySendTowardsAReceiverThatCloses(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Endpoint back = back(duo, new Inbox());
            final List<Request> requests = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                final int bytes = SIZES[i % SIZES.length];
                requests.add(duo.there.sendActiveMessage(ID, null, Payload.heap(bytes, i), 0, bytes));
            }
            tell(duo.there, "there");
            back.close(CloseMode.FORCE, Duration.ZERO);
            Duo.until(duo.left, "told", () -> !told.isEmpty());
            assertTrue(requests.stream().allMatch(Request::isDone));
            assertTrue(requests.stream().allMatch(request -> request.status() == Status.OK
                || request.status() == Status.CONNECTION_RESET));
            assertEquals(Status.CONNECTION_RESET, requests.get(199).status());
            assertEquals(List.of("there CONNECTION_RESET"), told);
            duo.settle();
            assertEquals(0, duo.right.statistics().poolInUse(), "what had not been looked at is dropped");
            assertEquals(0, duo.right.statistics().endpoints());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/sockaddr.without_err_cb")
    void shouldLogWhatNoErrorHandlerIsThereFor(final ThreadMode mode) {
        final Logger logger = (Logger) LoggerFactory.getLogger(Worker.class);
        final ListAppender<ILoggingEvent> appender = new ListAppender<>();
        appender.start();
        final Level before = logger.getLevel();
        logger.setLevel(Level.INFO);
        logger.addAppender(appender);
        try (Duo duo = Duo.of(mode)) {
            final Endpoint nowhere = Endpoint.create(duo.left, "nobody-listens");
            duo.until("logged", () -> !appender.list.isEmpty());
            nowhere.close();
        } finally {
            logger.detachAppender(appender);
            logger.setLevel(before);
        }
        final String text = appender.list.get(0).getFormattedMessage();
        assertTrue(text.matches("not connected.*worker=left status=UNREACHABLE.*nobody-listens.*"), text);
    }
}
