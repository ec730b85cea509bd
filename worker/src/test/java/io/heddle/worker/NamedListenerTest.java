package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Names and requests, as the worker keeps them, over a transport without shared memory. */
@Timeout(20)
@ExtendWith(HygieneExtension.class)
final class NamedListenerTest {
    private static final byte[] DATA = "hello".getBytes(StandardCharsets.UTF_8);
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final List<PendingConnection> requests = new ArrayList<>();
    private final List<String> told = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldSendWhatWasQueuedWhenARequestIsAccepted(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final NamedListener listener = pair.right.listen("n", request -> {
                pair.assertNoLockHeld();
                requests.add(request);
            });
            final Connection asking = pair.left.connect("n", DATA, 0);
            pair.receive(WorkerPair.ID);
            final Request sent =
                asking.send(WorkerPair.ID, SendFlags.NONE, null, WorkerPair.number(4), 0, Long.BYTES, null, null);
            pair.settle();
            assertEquals("hello", new String(requests.get(0).applicationData(), StandardCharsets.UTF_8));
            assertFalse(sent.isDone() || asking.isConnected());

            final Connection accepted = requests.get(0).accept();

            pair.settle();
            assertEquals(Status.OK, sent.status());
            assertEquals(List.of(4), pair.numbers());
            assertTrue(asking.isConnected() && accepted.isConnected());
            assertThrows(HeddleException.class, requests.get(0)::accept);
            assertTrue(pair.right.describe().contains(" listeners=[n] "), pair.right.describe());
            assertTrue(listener.close(CloseMode.FLUSH, LIMIT).isClean());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldEndTheConnectionThatIsRejectedOrFindsNobody(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            pair.right.listen("n", request -> request.reject("no room"));
            pair.left.connect("n", DATA, 0).onError((ended, status, reason) -> told.add(status + " " + reason));
            pair.left.connect("m", DATA, 0).onError((ended, status, reason) -> told.add(status + " " + reason));
            pair.settle();
            assertEquals(List.of("UNREACHABLE no listener named m", "REJECTED refused by the peer: no room"),
                told.stream().sorted(java.util.Comparator.reverseOrder()).toList());
            assertEquals(1, pair.right.core().connections().length);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldForgetThoseWhoWaitNoLonger(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final NamedListener listener = pair.right.listen("n", requests::add);
            final int gone = 200;
            for (int i = 0; i < gone; i++) {
                final Connection asking = pair.left.connect("n", DATA, 0);
                pair.settle();
                asking.close(CloseMode.FORCE, LIMIT);
                pair.settle();
            }
            pair.left.connect("n", DATA, 0);
            pair.settle();
            assertEquals(gone + 1, requests.size());
            assertFalse(requests.get(0).isWaiting());
            assertThrows(HeddleException.class, requests.get(0)::accept);
            assertTrue(listener.unansweredCount() < gone / 2, () -> "kept=" + listener.unansweredCount());

            assertEquals(1, listener.close(CloseMode.FORCE, LIMIT).cutRequests());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldNotTellOfARequestWhenTheListenerWasClosedMeanwhile(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final NamedListener listener = pair.right.listen("n", requests::add);
            final Connection asking = pair.left.connect("n", DATA, 0);
            listener.close(CloseMode.FLUSH, LIMIT);
            pair.settle();
            assertEquals(List.of(), requests);
            assertEquals(Status.UNREACHABLE, asking.status());
        }
    }

    /** In SERIALIZED and SINGLE only where checks are on is anybody told. */
    @ParameterizedTest
    @EnumSource(value = ThreadMode.class, names = "SINGLE")
    @Tag("debug-only")
    @ExpectedLog("thread mode violation")
    void shouldHoldTheOwnerRule(final ThreadMode mode) throws InterruptedException {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final NamedListener listener = pair.right.listen("n", requests::add);
            pair.left.connect("n", DATA, 0);
            pair.settle();
            final List<Class<?>> thrown = new ArrayList<>();
            final Thread foreign = new Thread(() -> {
                for (final Runnable call : List.<Runnable>of(
                    () -> pair.right.listen("m", requests::add), requests.get(0)::accept,
                    () -> requests.get(0).reject("no"), () -> listener.close(CloseMode.FLUSH, LIMIT))) {
                    try {
                        call.run();
                    } catch (final io.heddle.context.ThreadModeViolation violation) {
                        thrown.add(violation.getClass());
                    }
                }
            });
            foreign.start();
            foreign.join();
            assertEquals(4, thrown.size());
            assertFalse(listener.isClosed() || requests.get(0).isAnswered());
            requests.get(0).reject("by the owner");
            listener.close(CloseMode.FLUSH, LIMIT);
            assertEquals(4, pair.takeErrors().size());
        }
    }
}
