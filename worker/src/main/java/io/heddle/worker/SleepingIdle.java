package io.heddle.worker;

import io.heddle.context.Status;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;

/**
 * The default idling of a progress thread: spin briefly, then arm the worker and sleep until something comes. An idle
 * worker wakes forty times a second to look. Confined to its thread.
 */
final class SleepingIdle implements IdleStrategy {
    private static final int SPINS = 1000;
    /** The worker looks by itself now and then while it sleeps; close() and tasks signal it. */
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final long PARK_NS = 50_000;

    private final Worker worker;
    private final Lock applicationLock;
    private int idle;

    SleepingIdle(final Worker worker, final Lock applicationLock) {
        this.worker = worker;
        this.applicationLock = applicationLock;
    }

    @Override
    public void idle(final int workCount) {
        if (workCount > 0) {
            idle = 0;
        } else {
            idle();
        }
    }

    @Override
    public void idle() {
        if (++idle < SPINS) {
            Thread.onSpinWait();
        } else if (!worker.context().config().isWakeupEnabled()) {
            LockSupport.parkNanos(PARK_NS);
        } else if (Thread.interrupted()) {
            idle = 0; // only close() ends a progress thread, and a thread that is interrupted cannot sleep
        } else if (arm() == Status.OK) {
            worker.await(LONG);
        }
    }

    private Status arm() {
        if (applicationLock == null) {
            return worker.arm();
        }
        applicationLock.lock();
        try {
            return worker.arm();
        } finally {
            applicationLock.unlock();
        }
    }

    @Override
    public void reset() {
        idle = 0;
    }

    @Override
    public String alias() {
        return "heddle-sleeping";
    }
}
