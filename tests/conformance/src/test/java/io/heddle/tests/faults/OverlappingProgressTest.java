package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ThreadMode;
import io.heddle.context.ThreadModeViolation;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two threads in one worker's progress with no lock between them. */
@ExtendWith(HygieneExtension.class)
@Timeout(120)
@ExpectedLog("worker")
class OverlappingProgressTest {
    @ParameterizedTest
    @EnumSource(value = ThreadMode.class, names = {"SERIALIZED", "MULTI"})
    @StandsFor("T2")
    @Tag("scaled")
    void shouldRefuseOverlapWhereItIsForbiddenAndLoseNothing(final ThreadMode mode) throws Exception {
        final long lengthNs = Duration.ofMillis(TestScale.count(300, 2000)).toNanos();
        final AtomicInteger received = new AtomicInteger();
        final AtomicInteger violations = new AtomicInteger();
        final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
        try (Rig rig = Rig.open(mode)) {
            rig.receiver.onError((worker, connection, status, error) -> {
                if (!(error instanceof ThreadModeViolation)) {
                    problems.add(error);
                }
            });
            rig.receiver.onActiveMessage(Rig.ID, message -> {
                Rig.assertRight(message);
                received.incrementAndGet();
            });
            final long startNs = System.nanoTime();
            final List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                threads.add(new Thread(() -> {
                    while (System.nanoTime() - startNs < lengthNs) {
                        try {
                            rig.receiver.progress();
                        } catch (final ThreadModeViolation ex) {
                            violations.incrementAndGet();
                        } catch (final Throwable ex) {
                            problems.add(ex);
                        }
                    }
                }, "progress-" + i));
                threads.get(i).start();
            }
            int sent = 0;
            while (System.nanoTime() - startNs < lengthNs) {
                if (sent - received.get() < 200) {
                    rig.send(sent++ % 6000);
                }
                rig.sender.progress();
            }
            for (final Thread thread : threads) {
                thread.join();
            }
            final int all = sent;
            rig.until("usable afterwards, and all delivered", () -> received.get() == all);
            assertEquals(List.of(), List.copyOf(problems));
            final boolean isChecked = mode == ThreadMode.SERIALIZED && OverlappingProgressTest.class
                .desiredAssertionStatus();
            assertTrue(isChecked == violations.get() > 0, "violations=" + violations);
            rig.assertBalance();
        }
    }
}
