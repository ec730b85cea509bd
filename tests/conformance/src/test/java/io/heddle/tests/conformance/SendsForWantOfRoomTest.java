package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.Claim;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sends that wait for room: their order, their fairness, and how they end. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class SendsForWantOfRoomTest {
    private static final int ID = 1;
    private static final int FILLER = 2;
    private static final UnsafeBuffer SMALL = Payload.heap(8, 0);

    private final List<Request> requests = new ArrayList<>();
    private final List<Integer> completed = new ArrayList<>();
    private final List<Status> outcomes = new ArrayList<>();

    /** Queues a message whose first byte is its number. */
    private Request queue(final Endpoint endpoint, final int bytes) {
        final int number = requests.size();
        final UnsafeBuffer data = Payload.heap(bytes, number);
        final Request request = endpoint.sendActiveMessage(ID, 0, null, data, 0, bytes, (done, status) -> {
            completed.add((Integer) done.userData());
            outcomes.add(status);
        }, number);
        requests.add(request);
        return request;
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.10/pending.pending_op", "6.10/pending.pending_async", "6.10/stats.pending_add"})
    void shouldMovePendingSendsInProgressOnly(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            final Inbox fillers = Inbox.on(duo.right, FILLER);
            assertTrue(duo.there.isWritable());
            final int filled = duo.fill(duo.there, FILLER, SMALL);
            assertFalse(queue(duo.there, 100).isDone());
            assertFalse(duo.there.isWritable());
            assertEquals(1, duo.left.statistics().pendingEndpoints());

            Duo.until(duo.right, "room", () -> fillers.size() == filled);
            duo.right.progress();
            assertEquals(Status.IN_PROGRESS, requests.get(0).status());
            assertEquals(List.of(), completed);

            Duo.until(duo.left, "sent", () -> !completed.isEmpty());
            duo.until("received", () -> inbox.size() == 1);
            duo.settle();
            assertEquals(List.of(0), completed);
            assertEquals(Status.OK, requests.get(0).status());
            assertEquals(0, duo.left.statistics().pendingEndpoints());
            assertTrue(duo.there.isWritable());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/pending.pending_ucs_ok")
    void shouldSendAtOnceWhatCanGoAtOnce(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            assertEquals(Status.OK, queue(duo.there, 8).status());
            assertTrue(duo.there.flush().isDone());
            duo.until("received", () -> inbox.size() == 1);
            duo.settle();
            assertEquals(List.of(), completed, "a request that was done at once runs no callback");
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.10/pending.send_ooo_with_pending", "6.10/pending.send_ooo_with_comp"})
    void shouldKeepTheOrderOfSendsAndOfTheirCompletions(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            final Inbox fillers = Inbox.on(duo.right, FILLER);
            final int filled = duo.fill(duo.there, FILLER, SMALL);
            for (int i = 0; i < 30; i++) {
                queue(duo.there, i % 3 == 0 ? 8 : i % 3 == 1 ? 3000 : 100_000);
            }
            final Request flushed = duo.there.flush();
            Duo.until(duo.right, "room", () -> fillers.size() == filled);
            duo.right.progress();

            assertEquals(Status.NO_RESOURCE, duo.there.trySendActiveMessage(ID, null, SMALL, 0, 8), "no overtaking");
            assertEquals(Status.BUSY, duo.there.tryClaim(ID, 8, new Claim()));
            queue(duo.there, 9);

            duo.until("received", () -> inbox.size() == 31);
            duo.until("told", () -> completed.size() == 31);
            assertEquals(Status.OK, flushed.status());
            assertEquals(IntStream.range(0, 31).boxed().toList(), completed);
            for (int i = 0; i < 31; i++) {
                Payload.check(inbox.get(i).dataBuffer(), inbox.get(i).data().length, i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/pending.pending_another_ep")
    void shouldNotDisturbAnotherEndpoint(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Worker third = duo.add(duo.rightContext, "third");
            final Inbox elsewhere = Inbox.on(third, ID);
            final Endpoint other = duo.connect(duo.left, third);
            duo.fill(duo.there, FILLER, SMALL);
            assertFalse(queue(duo.there, 8).isDone());
            assertTrue(queue(other, 8).isDone());
            duo.left.progress();
            assertFalse(requests.get(0).isDone(), "another endpoint's room does not help");
            assertEquals(1, duo.left.statistics().pendingEndpoints());
            final Inbox inbox = Inbox.on(duo.right, ID, FILLER);
            duo.until("the one that waited", () -> requests.get(0).isDone() && inbox.size() > 0);
            duo.until("the other", () -> elsewhere.size() == 1);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.3/discard", "6.10/pending.pending_purge"})
    void shouldEndEveryPendingSendOnceWhenTheEndpointIsCutOff(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox fillers = Inbox.on(duo.right, FILLER);
            final int filled = duo.fill(duo.there, FILLER, SMALL);
            final int[] sizes = {8, 3000, 100_000};
            for (final int bytes : sizes) {
                assertFalse(queue(duo.there, bytes).isDone());
            }
            final Request flushed = duo.there.flush();

            final CloseReport report = duo.there.close(CloseMode.FORCE, Duration.ZERO);

            assertEquals(4, report.cutRequests());
            assertEquals(IntStream.of(sizes).sum(), report.cutBytes());
            assertEquals(List.of(), completed, "no callback runs inside the closing call");
            assertTrue(requests.stream().allMatch(request -> request.status() == Status.CANCELED));
            assertEquals(Status.CANCELED, flushed.status());
            duo.until("told", () -> completed.size() == 3);
            duo.settle();
            assertEquals(List.of(0, 1, 2), completed);
            assertEquals(List.of(Status.CANCELED, Status.CANCELED, Status.CANCELED), outcomes);
            assertEquals(filled, fillers.size(), "what was in the lane has arrived");
            assertTrue(duo.there.close(CloseMode.FORCE, Duration.ZERO).isClean());
            assertEquals(Status.CANCELED, duo.there.trySendActiveMessage(ID, null, SMALL, 0, 8));
            assertEquals(0, duo.left.statistics().pendingEndpoints());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.3/discard")
    void shouldReportWhatAFlushThatRanOutOfTimeCutOff(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            Inbox.on(duo.right, FILLER);
            duo.fill(duo.there, FILLER, SMALL);
            queue(duo.there, 8);

            final CloseReport report = duo.there.close(CloseMode.FLUSH, Duration.ofMillis(20));

            assertTrue(report.isTimedOut());
            assertEquals(1, report.cutRequests());
            assertEquals(Status.CANCELED, requests.get(0).status());
            duo.settle();
            assertEquals(List.of(0), completed);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.3/discard")
    void shouldEndAnOpenClaimWithItsEndpoint(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            final Claim claim = new Claim();
            assertEquals(Status.OK, duo.there.tryClaim(ID, 8, claim));
            queue(duo.there, 8);

            assertEquals(1, duo.there.close(CloseMode.FORCE, Duration.ZERO).cutRequests());

            assertFalse(claim.isOpen());
            assertEquals(Status.CANCELED, claim.commit());
            duo.settle();
            assertEquals(0, inbox.size());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldCancelWhatHasNotBegun(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, ID);
            duo.fill(duo.there, FILLER, SMALL);
            for (int i = 0; i < 3; i++) {
                queue(duo.there, 50);
            }
            assertTrue(requests.get(1).cancel());
            assertFalse(requests.get(1).cancel());
            Inbox.on(duo.right, FILLER);
            duo.until("told", () -> completed.size() == 3);
            assertEquals(Status.OK, requests.get(0).status());
            assertEquals(Status.CANCELED, requests.get(1).status());
            assertEquals(Status.OK, requests.get(2).status());
            assertFalse(requests.get(2).cancel());
            duo.settle();
            assertEquals(2, inbox.size());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/stats.tx_no_res")
    void shouldRefuseAndCountSendsOverTheLimitOfPendingOnes(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode, new ContextConfig().sendPendingMax(3))) {
            duo.fill(duo.there, FILLER, SMALL);
            for (int i = 0; i < 5; i++) {
                queue(duo.there, 8);
            }
            assertEquals(List.of(Status.IN_PROGRESS, Status.IN_PROGRESS, Status.IN_PROGRESS, Status.NO_RESOURCE,
                Status.NO_RESOURCE), requests.stream().map(Request::status).toList());
            assertEquals(2, duo.left.statistics().sendsRefused());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/pending.pending_fairness")
    void shouldStarveNoEndpoint(final ThreadMode mode) {
        final int endpoints = 6;
        final int each = 300;
        try (Duo duo = Duo.of(mode, new ContextConfig().ringSlots(4))) {
            final int[] received = new int[endpoints];
            duo.right.onActiveMessage(ID, message -> received[message.header().getByte(0)]++);
            final List<Endpoint> senders = new ArrayList<>(List.of(duo.there));
            while (senders.size() < endpoints) {
                senders.add(duo.connect(duo.left, duo.right));
            }
            for (int i = 0; i < endpoints; i++) {
                for (int k = 0; k < each; k++) {
                    senders.get(i).sendActiveMessage(ID, new UnsafeBuffer(new byte[] {(byte) i}), SMALL, 0, 8);
                }
            }
            while (IntStream.of(received).sum() < endpoints * each) {
                duo.progress();
                final int most = IntStream.of(received).max().orElseThrow();
                final int least = IntStream.of(received).min().orElseThrow();
                assertTrue(least >= most / 2 - 16, "received=" + java.util.Arrays.toString(received));
            }
        }
    }
}
