package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.DescriptorStateException;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.ReceivedData;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The mistake that Heddle is about, in a release build: handler threads release what a SERIALIZED (or SINGLE) worker
 * received, directly and with no ordering, while it progresses. Nothing checks them, and still no received element has
 * two holders, no byte is wrong, and the books balance.
 */
@ExtendWith(HygieneExtension.class)
@Timeout(120)
@Tag("release-only")
class ReleaseMisuseTest {
    private static final int HANDLERS = 2;
    private static final int[] SIZES = {16, 1500, 2100, 5000, 30_000, 90_000};

    private record Kept(ReceivedData data, int crc) {
    }

    private final Queue<Kept> queue = new ConcurrentLinkedQueue<>();
    private final Map<Long, ReceivedData> holderOfAddress = new ConcurrentHashMap<>();
    private final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
    private final AtomicInteger received = new AtomicInteger();
    private final AtomicInteger releases = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();
    private volatile boolean running = true;

    @ParameterizedTest
    @EnumSource(value = ThreadMode.class, names = {"SINGLE", "SERIALIZED"})
    @Tag("scaled")
    void shouldNeverGiveAnElementTwoHoldersWhenReleasesRaceWithProgress(final ThreadMode mode) throws Exception {
        final long lengthNs = Duration.ofMillis(TestScale.count(1000, 20_000)).toNanos();
        try (Rig rig = Rig.open(mode)) {
            rig.receiver.onError((worker, connection, status, error) -> problems.add(error));
            rig.receiver.onActiveMessage(Rig.ID, message -> {
                Rig.assertRight(message);
                final ReceivedData data = message.retain();
                final ReceivedData other = holderOfAddress.put(data.memoryAddress(), data);
                if (other != null) {
                    problems.add(new AssertionError("two holders: " + other + " and " + data));
                }
                queue.add(new Kept(data, Stamp.crc(message.header())));
                received.incrementAndGet();
            });
            final List<Thread> handlers = new ArrayList<>();
            for (int i = 0; i < HANDLERS; i++) {
                handlers.add(new Thread(this::handle, "handler-" + i));
                handlers.get(i).start();
            }
            int sent = 0;
            final long startNs = System.nanoTime();
            while (System.nanoTime() - startNs < lengthNs) {
                if (sent - releases.get() < 400) {
                    rig.send(SIZES[sent++ % SIZES.length]);
                }
                rig.progress();
            }
            final int all = sent;
            rig.until("all received", () -> received.get() == all);
            rig.until("all released", () -> releases.get() == all);
            running = false;
            for (final Thread handler : handlers) {
                handler.join();
            }
            assertEquals(List.of(), List.copyOf(problems));
            rig.assertBalance();
            assertEquals(refusals.get(), rig.receiver.statistics().poolRefused(), "each refusal was counted");
            assertTrue(all > HANDLERS);
        }
    }

    private void handle() {
        while (running) {
            final Kept next = queue.poll();
            if (next == null) {
                Thread.onSpinWait();
                continue;
            }
            try {
                assertEquals(next.crc, Stamp.crcOf(next.data));
                holderOfAddress.remove(next.data.memoryAddress(), next.data);
                next.data.release();
            } catch (final DescriptorStateException ex) {
                refusals.incrementAndGet();
            } catch (final RuntimeException | Error ex) {
                problems.add(ex);
            }
            releases.incrementAndGet();
        }
    }
}
