package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.Context;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One worker with thousands of endpoints, to workers of several contexts: what each costs, and that each works. */
@ExtendWith(HygieneExtension.class)
@Timeout(600)
// Thousands of segments are unmapped, which a busy machine does not do within the time that a close waits.
@ExpectedLog(value = "the control thread has not ended", optional = true)
class ThousandsOfEndpointsTest {
    private static final int ID = 41;
    private static final int REPLY = 42;
    private static final int IDLE_CALLS = 20_000;
    private static final int AT_ONCE = 64;
    private static final long MIB = 1 << 20;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/wireup.multi_wireup")
    @Tag("scaled")
    void shouldServeThousandsOfEndpointsOnOneWorker(final ThreadMode mode) {
        final int count = TestScale.count(64, mode == ThreadMode.SINGLE ? 4096 : 512);
        final List<Context> contexts = new ArrayList<>();
        try (Duo duo = Duo.of(mode)) {
            final List<Worker> peers = new ArrayList<>(List.of(duo.right));
            for (int i = 1; i < 4; i++) {
                contexts.add(Context.create());
                peers.add(duo.add(contexts.get(i - 1), "peer-" + i));
            }
            peers.forEach(peer -> peer.onActiveMessage(ID, message -> {
                final UnsafeBuffer header = new UnsafeBuffer(Payload.copyOf(message.header()));
                Endpoint.replyTo(message).sendActiveMessage(REPLY, header, null, 0, 0);
            }));
            final Held before = Held.now();
            final double progressBefore = idleProgressNs(duo.left);
            final long startNs = System.nanoTime();
            final List<Endpoint> endpoints = new ArrayList<>();
            while (endpoints.size() < count) {
                endpoints.addAll(connectSome(duo, peers));
            }
            final double connectUs = (System.nanoTime() - startNs) / 1000.0 / count;
            duo.settle();
            report(before, Held.now(), count, connectUs, progressBefore, idleProgressNs(duo.left));
            exchange(duo, endpoints);
        } finally {
            CloseHelper.closeAll(contexts);
        }
    }

    /** So few at once that each is answered in time, however busy the machine is. */
    private static List<Endpoint> connectSome(final Duo duo, final List<Worker> peers) {
        final List<Endpoint> some = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            some.add(Endpoint.create(duo.left, peers.get(i % peers.size()).address()));
        }
        duo.until("connected", () -> some.stream().allMatch(Endpoint::isConnected));
        return some;
    }

    private static void report(final Held before, final Held now, final int count, final double connectUs,
        final double progressBefore, final double progressAfter) {
        // Both ends are in this process: two of everything.
        final long sharedBytes = (now.sharedBytes() - before.sharedBytes()) / 2 / count;
        final long heapBytes = (now.heapBytes() - before.heapBytes()) / 2 / count;
        TestScale.report("endpoints=%d shared_bytes_each=%d heap_bytes_each=%d descriptors_each=%.2f "
            + "mappings_each=%.2f connect_us_each=%.1f progress_ns_before=%.0f progress_ns=%.0f", count, sharedBytes,
            heapBytes, (now.descriptors() - before.descriptors()) / 2.0 / count,
            (now.mappings() - before.mappings()) / 2.0 / count, connectUs, progressBefore, progressAfter);
        assertTrue(sharedBytes + heapBytes <= MIB, () -> before + " then " + now);
        assertTrue(now.descriptors() - before.descriptors() <= 2L * count + 16, () -> before + " then " + now);
        assertEquals(before.files(), now.files());
    }

    private static void exchange(final Duo duo, final List<Endpoint> endpoints) {
        final boolean[] seen = new boolean[endpoints.size()];
        final int[] replies = new int[1];
        duo.left.onActiveMessage(REPLY, message -> {
            final int number = message.header().getInt(0);
            replies[0] += seen[number] ? 0 : 1;
            seen[number] = true;
        });
        for (int i = 0; i < endpoints.size(); i++) {
            final UnsafeBuffer header = new UnsafeBuffer(new byte[Integer.BYTES]);
            header.putInt(0, i);
            duo.send(endpoints.get(i), ID, header, null);
        }
        duo.until("a reply from everybody", () -> replies[0] == endpoints.size());
    }

    /** What a call of progress costs when there is nothing to do: the best of five runs. */
    private static double idleProgressNs(final Worker worker) {
        double best = Double.MAX_VALUE;
        for (int round = 0; round < 5; round++) {
            final long start = System.nanoTime();
            for (int i = 0; i < IDLE_CALLS; i++) {
                worker.progress();
            }
            best = Math.min(best, (double) (System.nanoTime() - start) / IDLE_CALLS);
        }
        return best;
    }
}
