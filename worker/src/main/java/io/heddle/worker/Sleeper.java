package io.heddle.worker;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.internal.DispatchToken;
import io.heddle.context.internal.Guarded;
import io.heddle.context.internal.Operation;
import io.heddle.context.spi.TransportInterface;
import io.heddle.context.spi.WaitState;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.UnsafeApi;

/**
 * How a worker goes to sleep and is woken: UCX's contract of arm and await.
 *
 * <p>While a worker spins, its peers see POLLING and pay nothing. Before it first arms, it says MAY_SLEEP, which makes
 * peers fence, and waits until every store that a peer had under way without a fence has long arrived; then it arms,
 * fences, and looks once more. After a while of steady work without arming it says POLLING again. Whatever might still
 * be missed is found by the look after each {@link #SLICE_NS} of {@link #await}. What can be missed at all is missed in
 * falling asleep, so a sleep that has lasted looks less often. An application's selector does not look; for what
 * comes by time alone there is a {@link TimedLook}.
 *
 * <p>{@link #arm()} and {@link #worked()} under the guard or with the token; the rest for any thread.
 */
final class Sleeper {
    /** A sleep that has begun lately is no longer without a look. */
    static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(10);
    /** Of a sleep that has lasted: an idle process, whose JVM wakes 30 times a second by itself, stays below 120. */
    private static final long LATER_SLICE_NS = TimeUnit.MILLISECONDS.toNanos(25);
    private static final int EARLY_SLICES = 20;
    private static final int BUSY_ROUNDS = 4096;
    /** Far more than a store takes to be seen, on whatever processor. */
    private static final long SETTLE_NS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final int IDLE_SPINS = 2000;
    private static final long GUEST_PARK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final WorkerCore core;
    private final WakeChannel channel;
    private final WakeUp wakeUp;
    private final boolean isEnabled;
    private final TimedLook timedLook;
    private volatile boolean signalled;
    /** What peers were told. Written with the token. */
    private long told = WaitState.POLLING;
    private long epoch = WaitState.ARMED;
    private int roundsSinceArmed;

    Sleeper(final WorkerCore core, final WakeChannel channel, final WakeUp wakeUp, final boolean isEnabled) {
        this.core = core;
        this.channel = channel;
        this.wakeUp = wakeUp;
        this.isEnabled = isEnabled;
        timedLook = new TimedLook(core, wakeUp);
    }

    /** A round found work. With the token. */
    void worked() {
        if (told != WaitState.POLLING && ++roundsSinceArmed > BUSY_ROUNDS) {
            tellPolling();
        }
    }

    private void tellPolling() {
        core.guard().enter(Operation.ARM);
        try {
            tell(WaitState.POLLING);
        } finally {
            core.guard().exit(Operation.ARM);
        }
    }

    @Guarded
    private void tell(final long state) {
        told = state;
        for (final TransportInterface each : core.interfaces()) {
            each.waitState(state);
        }
    }

    /** OK if the worker may sleep: whatever comes from now on wakes it. BUSY if there is something to do first. */
    @Guarded
    Status arm() {
        requireEnabled("arm");
        final DispatchToken token = core.token();
        token.checkNotInCallback(Operation.ARM);
        if (signalled) {
            signalled = false;
            return Status.BUSY;
        }
        if (!token.tryAcquire()) {
            return Status.BUSY;
        }
        try {
            return armWithToken();
        } finally {
            token.releaseBriefly();
        }
    }

    private void requireEnabled(final String operation) {
        if (!isEnabled) {
            throw new HeddleException(Status.UNSUPPORTED, operation
                + " refused: heddle.wakeup=off; progress and back off instead, or switch it on");
        }
    }

    /** See {@link Worker#selectableChannel()}. Any thread. */
    SelectableChannel selectableChannel() {
        requireEnabled("selectableChannel");
        return channel.channel();
    }

    @Guarded
    private Status armWithToken() {
        if (core.lookAtAll()) {
            return Status.BUSY;
        }
        if (told == WaitState.POLLING) {
            tell(WaitState.MAY_SLEEP);
            final long start = System.nanoTime();
            while (System.nanoTime() - start < SETTLE_NS) {
                Thread.onSpinWait();
            }
        }
        roundsSinceArmed = 0;
        epoch += 2;
        channel.silence();
        wakeUp.arm();
        tell(epoch | (core.waitingCount() > 0 ? 1 : 0));
        // Orders the armed word before the look; the peer fences between its record and its look at the word.
        UnsafeApi.fullFence();
        if (core.lookAtAll() || signalled) {
            wakeUp.wake();
            signalled = false;
            return Status.BUSY;
        }
        if (channel.isMade() && core.timed().isPending()) {
            timedLook.begin();
        }
        return Status.OK;
    }

    /** Sleeps until woken or until the time is over; at once if not armed. Whether it was woken. */
    boolean await(final long timeoutNs) {
        DispatchToken.checkThreadNotInCallback(Operation.ARM);
        final long start = System.nanoTime();
        final long wakeUpsThen = wakeUp.wakeUps();
        for (int slices = 0; wakeUp.isAsleepSince(wakeUpsThen); slices++) {
            final long left = timeoutNs - (System.nanoTime() - start);
            if (left <= 0 || Thread.currentThread().isInterrupted()) {
                return false;
            }
            wakeUp.park(wakeUpsThen, Math.min(left, slices < EARLY_SLICES ? SLICE_NS : LATER_SLICE_NS));
            if (wakeUp.isAsleepSince(wakeUpsThen) && hasNews()) {
                wakeUp.wake();
            }
        }
        return true;
    }

    private boolean hasNews() {
        final DispatchToken token = core.token();
        if (!token.tryAcquire()) {
            return false; // another thread looks, or dispatches, and news that it does not see will wake
        }
        try {
            return core.lookWhileAsleep();
        } finally {
            token.releaseBriefly();
        }
    }

    void signal() {
        signalled = true;
        wakeUp.wake();
    }

    /** See {@link WorkerCore#awaitProgress}. */
    boolean awaitProgress(final BooleanSupplier condition, final long timeoutNs, final Operation operation) {
        final long start = System.nanoTime();
        int idle = 0;
        while (!condition.getAsBoolean()) {
            final boolean isGuest = isProgressedByOther(operation);
            final boolean hasWorked = !isGuest && core.progress(operation) > 0;
            // However much there is to do: it may be for others.
            final long left = timeoutNs - (System.nanoTime() - start);
            if (left <= 0) {
                return condition.getAsBoolean();
            }
            if (hasWorked) {
                idle = 0;
            } else {
                idle = isGuest ? waitForOther(idle) : waitForWork(idle, left, operation);
            }
        }
        return true;
    }

    /**
     * Whether a progress thread does it. In the other modes than MULTI whoever closes is the rightful user meanwhile,
     * and in SERIALIZED has the lock without which the progress thread does nothing.
     */
    private boolean isProgressedByOther(final Operation operation) {
        final ProgressThread progressing = core.progressThread();
        return progressing != null && progressing.thread() != Thread.currentThread()
            && (core.isMulti() || !operation.isClosing());
    }

    private static int waitForOther(final int idle) {
        if (idle < IDLE_SPINS / 10) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(GUEST_PARK_NS);
        }
        return idle + 1;
    }

    private int waitForWork(final int idle, final long leftNs, final Operation operation) {
        if (idle < IDLE_SPINS) {
            Thread.onSpinWait();
        } else if (core.token().isHeld()) {
            core.token().awaitRelease(System.nanoTime() + Math.min(leftNs, SLICE_NS));
        } else if (isEnabled && armFor(operation) == Status.OK) {
            await(Math.min(leftNs, SLICE_NS));
        } else if (!isEnabled) {
            LockSupport.parkNanos(GUEST_PARK_NS);
        }
        return idle + 1;
    }

    private Status armFor(final Operation operation) {
        core.guard().enter(operation);
        try {
            return arm();
        } finally {
            core.guard().exit(operation);
        }
    }

    /** Whether whatever comes from now on will wake the worker. */
    boolean isArmed() {
        return wakeUp.isArmed();
    }

    /** Wakes whoever sleeps, for good. The worker is closed. */
    void end() {
        wakeUp.arm();
        wakeUp.wake();
        channel.close();
    }

    long wakeUps() {
        return wakeUp.wakeUps();
    }
}
