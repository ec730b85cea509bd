package io.heddle.worker;

import java.util.concurrent.TimeUnit;

/** Waits for the end of threads of Heddle's own, also on a thread that is interrupted meanwhile. Stateless. */
final class Ended {
    private Ended() {
    }

    /** Whether the thread has ended; waits for it at most so long. An interrupt is left for the caller to see. */
    static boolean within(final Thread thread, final long timeoutNs) {
        final long startNs = System.nanoTime();
        boolean interrupted = false;
        while (thread.isAlive()) {
            final long leftNs = timeoutNs - (System.nanoTime() - startNs);
            if (leftNs <= 0) {
                break;
            }
            try {
                TimeUnit.NANOSECONDS.timedJoin(thread, leftNs);
            } catch (final InterruptedException ex) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }
}
