package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A peer with other sizes in its configuration, and a limit that leaves no memory for what is wanted. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class OtherGeometryTest {
    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("O2")
    void shouldUnderstandAPeerOfOtherSizes(final ThreadMode mode) {
        try (Rig rig = Rig.open(mode);
            Context other = Context.create(new ContextConfig().ringSlots(2).ringBytes(4096).inlineMaxBytes(64));
            Worker worker = Worker.create(other, mode, "other")) {
            final int[] received = new int[1];
            rig.receiver.onActiveMessage(Rig.ID, message -> {
                Rig.assertRight(message);
                received[0]++;
            });
            final Endpoint endpoint = Endpoint.create(worker, rig.receiver.address());
            final List<Request> requests = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                requests.add(rig.send(endpoint, i * 50));
            }
            rig.until("all received from another geometry", () -> {
                worker.progress();
                return received[0] == requests.size();
            });
            worker.close(CloseMode.FLUSH, Rig.LIMIT);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("S1")
    @ExpectedLog("no more receive buffers, messages take the ring: not enough shared memory: .*heddle.shm.limit")
    void shouldNameTheLimitThatLeavesNoRoomForAConnection(final ThreadMode mode) {
        try (Rig rig = Rig.open(mode, new ContextConfig().poolLimitBytes(1 << 20).sharedMemoryLimitBytes(1 << 20))) {
            final int[] received = new int[1];
            rig.receiver.onActiveMessage(Rig.ID, message -> {
                Rig.assertRight(message);
                received[0]++;
            });
            final List<Endpoint> more = new ArrayList<>();
            Endpoint last;
            do {
                last = Endpoint.create(rig.sender, rig.receiver.address());
                more.add(last);
                final Endpoint next = last;
                rig.until("connected or refused", () -> next.isConnected() || next.status() != Status.OK);
            } while (last.isConnected() && more.size() < 100);
            assertEquals(Status.NO_MEMORY, last.status());
            assertTrue(last.failure().contains("heddle.shm.limit"), last.failure());
            for (int i = 0; i < 20; i++) {
                rig.sendNow(i * 500);
            }
            rig.until("those that stand go on, by the ring alone", () -> received[0] == 20);
        }
    }
}
