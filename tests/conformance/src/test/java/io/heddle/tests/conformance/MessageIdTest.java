package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestSeed;
import io.heddle.worker.Claim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ids of active messages and their handlers. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class MessageIdTest {
    private static final int MAX_ID = 65535;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/set_am_handler_realloc")
    void shouldTakeManyIdsOneAfterAnother(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = new Inbox();
            for (int id = 0; id < 300; id++) {
                duo.right.onActiveMessage(id, inbox);
                duo.send(duo.there, id, null, Payload.heap(4, id));
            }
            duo.until("messages", () -> inbox.size() == 300);
            for (int id = 0; id < 300; id++) {
                assertEquals(id, inbox.get(id).id());
                Payload.check(inbox.get(id).dataBuffer(), 4, id);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/set_am_handler_out_of_order")
    void shouldTakeIdsInAnyOrder(final ThreadMode mode, final TestSeed seed) {
        try (Duo duo = Duo.of(mode)) {
            final List<Integer> ids = new ArrayList<>(List.of(MAX_ID, 0, 1, 255, 256, 4095, 32768, 17));
            Collections.shuffle(ids, seed.random(mode.ordinal()));
            final List<Inbox> inboxes = ids.stream().map(id -> Inbox.on(duo.right, id)).toList();
            for (final int id : ids) {
                duo.send(duo.there, id, null, Payload.heap(4, id));
            }
            duo.until("messages", () -> inboxes.stream().allMatch(inbox -> inbox.size() == 1));
            IntStream.range(0, ids.size()).forEach(i -> assertEquals(ids.get(i), inboxes.get(i).get(0).id()));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldUseTheHandlerRegisteredLast(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox first = Inbox.on(duo.right, 1);
            duo.send(duo.there, 1, null, null);
            duo.until("first", () -> first.size() == 1);
            final Inbox second = Inbox.on(duo.right, 1);
            duo.send(duo.there, 1, null, null);
            duo.until("second", () -> second.size() == 1);
            assertEquals(1, first.size());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/set_invalid_handler")
    void shouldDropCountAndTellOnceWhatHasNoHandler(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final List<Status> told = new ArrayList<>();
            duo.right.onError((worker, connection, status, error) -> told.add(status));
            final Inbox before = Inbox.on(duo.right, 5);
            final Inbox other = Inbox.on(duo.right, 6);
            duo.right.onActiveMessage(5, null);
            for (int i = 0; i < 10; i++) {
                duo.send(duo.there, 5, null, Payload.heap(i * 1000, i));
            }
            duo.send(duo.there, 6, null, null);
            duo.until("the one with a handler", () -> other.size() == 1);

            assertEquals(0, before.size());
            assertEquals(10, duo.right.statistics().dropped());
            assertEquals(List.of(Status.NO_ELEM), told);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/am_id_overflow")
    void shouldRefuseAnIdOverTheLargest(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Inbox inbox = Inbox.on(duo.right, MAX_ID);
            final UnsafeBuffer data = Payload.heap(8, 1);
            for (final int id : new int[] {-1, MAX_ID + 1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
                refused(() -> duo.right.onActiveMessage(id, inbox));
                refused(() -> duo.there.sendActiveMessage(id, null, data, 0, 8));
                refused(() -> duo.there.trySendActiveMessage(id, null, data, 0, 8));
                refused(() -> duo.there.tryClaim(id, 8, new Claim()));
            }
            duo.send(duo.there, MAX_ID, null, data);
            duo.until("the largest id's", () -> inbox.size() == 1);
            assertEquals(1, duo.left.statistics().messagesSent());
        }
    }

    static void refused(final Runnable attempt) {
        assertEquals(Status.INVALID_PARAM, assertThrows(HeddleException.class, attempt::run).status());
    }
}
