package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CallbackException;
import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Closing an endpoint because of an error: from inside its error handler, after it, and before there was time for it.
 */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class CloseOnErrorTest {
    private static final int ID = 11;
    private static final String NOBODY = "nobody-listens";

    private final List<String> told = new ArrayList<>();

    static Stream<Arguments> ways() {
        return Stream.of(ThreadMode.values())
            .flatMap(mode -> Stream.of(CloseMode.values()).map(way -> Arguments.of(mode, way)));
    }

    private void onError(final Endpoint endpoint, final Consumer<Endpoint> deed) {
        endpoint.onError((ended, status, reason) -> {
            told.add("error " + status);
            deed.accept(ended);
        });
    }

    private void send(final Endpoint endpoint, final int count) {
        for (int i = 0; i < count; i++) {
            endpoint.sendActiveMessage(ID, null, Payload.heap(5000, i), 0, 5000,
                (request, status) -> told.add("sent " + status));
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    @StandsFor("6.9/sockaddr.destroy_ep_on_err")
    void shouldCloseInsideTheErrorHandlerOfAPeersClose(final ThreadMode mode, final CloseMode way) {
        try (Duo duo = Duo.of(mode)) {
            final Endpoint[] back = new Endpoint[1];
            duo.right.onActiveMessage(ID, message -> {
                back[0] = Endpoint.of(message.connection());
                onError(back[0], ended -> ended.close(way, Duo.LIMIT));
            });
            duo.send(duo.there, ID, null, Payload.heap(8, 8));
            duo.until("way back", () -> back[0] != null);
            send(back[0], 300);
            duo.left.close(way, Duo.LIMIT);
            Duo.until(duo.right, "closed", () -> duo.right.statistics().endpoints() == 0);
            assertTrue(back[0].isClosed());
            assertEquals(1, told.stream().filter("error CONNECTION_RESET"::equals).count());
            assertTrue(told.contains("sent CONNECTION_RESET"));
            assertEquals(CloseReport.CLEAN, back[0].close(way, Duo.LIMIT));
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    @StandsFor("6.9/sockaddr.destroy_ep_on_err")
    void shouldCloseInsideTheErrorHandlerOfAConnectThatFails(final ThreadMode mode, final CloseMode way) {
        try (Duo duo = Duo.of(mode)) {
            final Endpoint nowhere = Endpoint.create(duo.left, NOBODY);
            onError(nowhere, ended -> {
                ended.close(way, Duo.LIMIT);
                assertThrows(CallbackException.class, () -> duo.left.close(way, Duo.LIMIT));
            });
            send(nowhere, 3);
            duo.until("closed", () -> duo.left.statistics().endpoints() == 1);
            duo.settle();
            assertEquals(List.of("error UNREACHABLE", "sent UNREACHABLE", "sent UNREACHABLE", "sent UNREACHABLE"),
                told.stream().sorted().toList());
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    @StandsFor("6.9/sockaddr.destroy_ep_on_err")
    void shouldCloseAfterTheErrorHandlerHasRun(final ThreadMode mode, final CloseMode way) {
        try (Duo duo = Duo.of(mode)) {
            final Endpoint nowhere = Endpoint.create(duo.left, NOBODY);
            onError(nowhere, ended -> { });
            duo.until("told", () -> !told.isEmpty());
            assertEquals(CloseReport.CLEAN, nowhere.close(way, Duo.LIMIT));
            assertEquals(CloseReport.CLEAN, nowhere.close(way, Duo.LIMIT));
            assertEquals(1, duo.left.statistics().endpoints());
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    @StandsFor({"6.9/sockaddr.destroy_ep_on_err", "6.9/wireup.connect_disconnect"})
    void shouldCloseAtOnceWhatIsStillConnecting(final ThreadMode mode, final CloseMode way) {
        try (Duo duo = Duo.of(mode)) {
            Inbox.on(duo.right, ID);
            for (int i = 0; i < 20; i++) {
                final Endpoint fresh = i % 2 == 0 ? Endpoint.create(duo.left, duo.right.address())
                    : Endpoint.create(duo.left, NOBODY);
                onError(fresh, ended -> { });
                final Request sent = i % 4 < 2 ? fresh.sendActiveMessage(ID, null, null, 0, 0) : null;
                final CloseReport report = fresh.close(way, Duo.LIMIT);
                assertEquals(false, report.isTimedOut());
                assertTrue(sent == null || sent.isDone());
                assertEquals(sent == null || sent.status() == Status.OK ? 0 : 1, report.cutRequests());
            }
            duo.settle();
            assertEquals(List.of(), told, "who closes is not told of an error thereafter");
            duo.until("gone", () -> duo.right.statistics().endpoints() == 1);
            assertEquals(1, duo.left.statistics().endpoints());
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    @StandsFor("6.9/sockaddr.destroy_ep_on_err")
    void shouldCloseAnotherEndpointInsideTheErrorHandler(final ThreadMode mode, final CloseMode way) {
        try (Duo duo = Duo.of(mode)) {
            final Endpoint other = duo.connect(duo.left, duo.right);
            final Endpoint nowhere = Endpoint.create(duo.left, NOBODY);
            onError(nowhere, ended -> {
                other.close(way, Duo.LIMIT);
                duo.there.close(way, Duo.LIMIT);
                ended.close(way, Duo.LIMIT);
            });
            duo.until("all closed", () -> duo.left.statistics().endpoints() == 0);
            duo.until("and gone", () -> duo.right.statistics().endpoints() == 0);
            assertEquals(List.of("error UNREACHABLE"), told);
        }
    }
}
