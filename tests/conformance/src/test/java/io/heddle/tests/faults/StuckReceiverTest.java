package io.heddle.tests.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.pair.PairJvm;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One sender, several receivers, one of which is stopped: the others notice nothing, and it is named. */
@Timeout(180)
class StuckReceiverTest {
    private static final int BYTES = 100;
    private static final int QUEUED = 10;

    @TempDir(factory = SharedMemoryTemp.class)
    Path directory;

    private final List<PairJvm> receivers = new ArrayList<>();
    private final List<Endpoint> endpoints = new ArrayList<>();
    private Worker worker;
    private long[] sent;

    @AfterEach
    void end() {
        CloseHelper.closeAll(receivers);
    }

    @Test
    @StandsFor("F3")
    @Tag("scaled")
    void shouldGoOnWithTheOthersAndNameTheOneThatLags() throws Exception {
        final int count = TestScale.isFull() ? 4 : 2;
        final long phaseNs = TimeUnit.MILLISECONDS.toNanos(TestScale.count(300, 20_000));
        for (int i = 0; i < count; i++) {
            receivers.add(PairJvm.start(directory));
        }
        final ContextConfig config = new ContextConfig().directory(directory.resolve("heddle"));
        try (Context context = Context.create(config); Worker made = Worker.create(context, ThreadMode.SINGLE)) {
            worker = made;
            for (final PairJvm receiver : receivers) {
                endpoints.add(Endpoint.create(worker,
                    WorkerAddress.ofHex(receiver.tell("open r MULTI"))));
            }
            until(() -> endpoints.stream().allMatch(Endpoint::isConnected));
            sent = new long[count];
            run(phaseNs);
            final long before = othersOf(0, run(phaseNs));

            final PairJvm stuck = receivers.get(0);
            stuck.stop();
            until(() -> !send(0));
            final List<Request> queued = new ArrayList<>();
            for (int i = 0; i < QUEUED; i++) {
                queued.add(queue(0));
            }
            final long during = othersOf(0, run(phaseNs));
            TestScale.report("stuck receivers=%d before=%d during=%d ratio=%.3f %s", count, before, during,
                (double) during / before, endpoints.get(0).describe());
            assertTrue(during >= (TestScale.isFull() ? 0.95 : 0.1) * before, "before=" + before + " during=" + during);
            assertNames(stuck.pid());

            stuck.go();
            until(() -> queued.stream().allMatch(Request::isDone));
            for (int i = 0; i < count; i++) {
                final int index = i;
                until(() -> send(index));
                await("all of " + i).atMost(Duration.ofSeconds(30))
                    .until(() -> receivers.get(index).number("r", "received") == sent[index]);
                receivers.get(i).assertNoProblem("r");
                assertTrue(!endpoints.get(i).describe().contains("stalledForMs="), endpoints.get(i)::describe);
            }
        }
        for (final PairJvm receiver : receivers) {
            receiver.tell("close r");
        }
    }

    /** One endpoint alone has stood still for a while, with a full ring and what was queued. */
    private void assertNames(final long pid) {
        final List<String> lagging = worker.describe().lines().filter(line -> line.contains(" stalledForMs=")
            && line.contains(" pending=" + QUEUED + ' ')).toList();
        assertEquals(1, lagging.size(), worker::describe);
        assertTrue(lagging.get(0).contains("pid=" + pid + ' '), lagging.get(0));
        assertTrue(lagging.get(0).matches(".* stalledForMs=[1-9][0-9]* .* unretired=[1-9][0-9]* .*"), lagging.get(0));
        assertEquals(1, worker.statistics().pendingEndpoints());
    }

    /** Sends to each in turn whatever it takes; how many each took. */
    private long[] run(final long lengthNs) {
        final long[] begun = sent.clone();
        final long start = System.nanoTime();
        while (System.nanoTime() - start < lengthNs) {
            for (int i = 0; i < endpoints.size(); i++) {
                send(i);
            }
            worker.progress();
        }
        final long[] taken = new long[begun.length];
        for (int i = 0; i < begun.length; i++) {
            taken[i] = sent[i] - begun[i];
        }
        return taken;
    }

    private static long othersOf(final int index, final long[] taken) {
        long sum = 0;
        for (int i = 0; i < taken.length; i++) {
            sum += i == index ? 0 : taken[i];
        }
        return sum;
    }

    private boolean send(final int index) {
        final byte[] payload = Stamp.payload(sent[index], BYTES);
        final Status status = endpoints.get(index).trySendActiveMessage(Rig.ID,
            Stamp.of(index, sent[index], payload, BYTES), new UnsafeBuffer(payload), 0, BYTES);
        if (status == Status.OK) {
            sent[index]++;
        }
        return status == Status.OK;
    }

    private Request queue(final int index) {
        final byte[] payload = Stamp.payload(sent[index], BYTES);
        final Request request = endpoints.get(index).sendActiveMessage(Rig.ID,
            Stamp.of(index, sent[index], payload, BYTES), new UnsafeBuffer(payload), 0, BYTES);
        assertEquals(Status.IN_PROGRESS, request.status());
        sent[index]++;
        return request;
    }

    private void until(final java.util.function.BooleanSupplier holds) {
        await("progress").atMost(Duration.ofSeconds(30)).pollInSameThread().pollInterval(Duration.ofMillis(1))
            .until(() -> {
                worker.progress();
                return holds.getAsBoolean();
            });
    }
}
