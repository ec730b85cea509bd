package io.heddle.tools;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class AllocationMeterTest {
    private static final int BYTES = 3_000_000;

    private final AllocationMeter meter = new AllocationMeter();
    private byte[] kept = new byte[0];

    @Test
    void shouldCountTheCallingThread() {
        meter.begin();
        kept = new byte[BYTES];

        assertTrue(meter.end() >= kept.length);
    }

    @Test
    void shouldCountAThreadThatCameLater() throws InterruptedException {
        final CountDownLatch allocated = new CountDownLatch(1);
        final CountDownLatch measured = new CountDownLatch(1);
        final Thread later = new Thread(() -> {
            kept = new byte[BYTES];
            allocated.countDown();
            try {
                measured.await();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        meter.begin();
        later.start();
        allocated.await();
        final long bytes = meter.end();
        measured.countDown();
        later.join();

        assertTrue(bytes >= kept.length, "bytes=" + bytes);
    }
}
