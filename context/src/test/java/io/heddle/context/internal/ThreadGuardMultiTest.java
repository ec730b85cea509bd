package io.heddle.context.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.context.ThreadMode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ThreadGuardMultiTest {
    private static final int THREADS = 8;
    private static final int ROUNDS = 20_000;

    private final RecordingListener listener = new RecordingListener();
    private final ThreadGuard guard = new ThreadGuard("prices", ThreadMode.MULTI, () -> 0L, listener);
    private long plainCount;

    @Test
    void shouldOrderTheCallsOfManyThreads() throws InterruptedException {
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(new Thread(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    guard.enter(Operation.SEND);
                    plainCount++;
                    guard.exit(Operation.SEND);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (final Thread thread : threads) {
            thread.join();
        }

        assertEquals((long) THREADS * ROUNDS, plainCount);
        assertEquals(0, guard.violations());
        assertTrue(guard.workerLock().isIdle());
    }

    @Test
    void shouldFailInsteadOfDeadlockingWhenEnteredTwice() {
        assumeTrue(ThreadGuard.CHECKS);
        guard.enter(Operation.PROGRESS);

        final AssertionError error = assertThrows(AssertionError.class, () -> guard.enter(Operation.SEND));

        assertSame(AssertionError.class, error.getClass());
        assertTrue(error.getMessage().contains("entered twice"), error::getMessage);
        assertTrue(error.getMessage().contains("operation=send"), error::getMessage);
        guard.exit(Operation.PROGRESS);
        guard.enter(Operation.SEND);
        guard.exit(Operation.SEND);
    }
}
