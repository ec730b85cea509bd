package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.context.Context;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Modes, contexts and addresses of workers. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class WorkerModeTest {
    private static final int ID = 7;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.3/thread_mode.query")
    void shouldShowTheModeAskedFor(final ThreadMode mode) {
        try (Context context = Context.create(); Worker worker = Worker.create(context, mode)) {
            assertSame(mode, worker.threadMode());
            assertEquals(mode == ThreadMode.SINGLE ? Thread.currentThread() : null, worker.ownerThread());
        }
    }

    @Test
    void shouldNotMakeAWorkerWithoutAMode() {
        try (Context context = Context.create()) {
            assertThrows(NullPointerException.class, () -> Worker.create(context, null));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.3/minimal_field_mask")
    void shouldWorkWithNothingButDefaults(final ThreadMode mode) {
        try (Context context = Context.create(); Worker worker = Worker.create(context, mode)) {
            final Inbox inbox = Inbox.on(worker, ID);
            final Endpoint self = Endpoint.create(worker, worker.address());
            self.sendActiveMessage(ID, null, Payload.heap(10, 1), 0, 10);

            Duo.until(worker, "message", () -> inbox.size() == 1);

            Payload.check(inbox.get(0).dataBuffer(), 10, 1);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.3/address_query.query", "6.9/wireup.address"})
    void shouldReachTheWorkerWhoseAddressItIs(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final List<Worker> workers = new ArrayList<>();
            final List<Inbox> inboxes = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                workers.add(duo.add(i % 2 == 0 ? duo.rightContext : duo.leftContext, "target-" + i));
                inboxes.add(Inbox.on(workers.get(i), ID));
            }
            for (int i = 0; i < 4; i++) {
                final WorkerAddress address = workers.get(i).address();
                assertEquals(address, workers.get(i).address());
                assertNotEquals(address, workers.get((i + 1) % 4).address());
                duo.send(duo.connected(Endpoint.create(duo.left, address)), ID, null, Payload.heap(8, i));
            }

            duo.until("messages", () -> inboxes.stream().allMatch(inbox -> inbox.size() == 1));

            for (int i = 0; i < 4; i++) {
                assertArrayEquals(Payload.bytes(8, i), inboxes.get(i).get(0).data());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.3/address_version.pack_unpack")
    void shouldCarryAnAddressAsBytesAndAsHexadecimalDigits(final ThreadMode mode) {
        try (Context context = Context.create(); Worker worker = Worker.create(context, mode)) {
            final WorkerAddress address = worker.address();

            assertEquals(address, WorkerAddress.ofBytes(address.toBytes()));
            assertEquals(address, WorkerAddress.ofHex(address.toHex()));
            assertEquals(address, WorkerAddress.ofHex(" " + address.toHex().toUpperCase(java.util.Locale.ROOT) + "\n"));
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.3/address_version.pack_unpack")
    void shouldRefuseWhatIsNoAddress(final ThreadMode mode) {
        try (Context context = Context.create(); Worker worker = Worker.create(context, mode)) {
            final byte[] good = worker.address().toBytes();
            for (int length = 0; length < good.length; length++) {
                final byte[] cut = Arrays.copyOf(good, length);
                refused(() -> WorkerAddress.ofBytes(cut));
            }
            refused(() -> WorkerAddress.ofBytes(Arrays.copyOf(good, good.length + 1)));
            final byte[] otherVersion = good.clone();
            otherVersion[3]++;
            refused(() -> WorkerAddress.ofBytes(otherVersion));
            refused(() -> WorkerAddress.ofHex(worker.address().toHex().substring(1)));
            refused(() -> WorkerAddress.ofHex("not hexadecimal!"));
        }
    }

    private static void refused(final Runnable attempt) {
        assertEquals(Status.INVALID_ADDR, assertThrows(HeddleException.class, attempt::run).status());
    }
}
