package io.heddle.worker;

import io.heddle.context.internal.TokenHolder;
import io.heddle.context.spi.Transport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.concurrent.EpochClock;

/**
 * Tells, once per stall, of a worker that has work and that nobody progresses. Looks once a second while the worker has
 * connections or events, else not at all; costs progress nothing, since it reads what is counted anyway.
 *
 * <p>{@link #begin()} is for any thread; the rest is confined to the transport's thread. A worker that is asleep, or
 * whose handler takes long, is not stalled. Looks are counted rather than time, which goes on while a process stands
 * still.
 */
final class StallWatch {
    static final long LOOK_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    /** So many looks in a row that find the same work and no progress are a stall. */
    static final int LOOKS = 5;

    private final WorkerCore core;
    /** Dates what people read. */
    private final EpochClock clock;
    private final Transport transport;
    private final Runnable look = this::look;
    private final AtomicBoolean watching = new AtomicBoolean();
    private long seenProgress;
    private long seenProgressMs;
    private int looks;

    StallWatch(final WorkerCore core, final Transport transport, final EpochClock clock) {
        this.core = core;
        this.clock = clock;
        this.transport = transport;
        seenProgressMs = clock.time();
    }

    /** Something has happened to the worker that has to be progressed. */
    void begin() {
        if (!watching.get() && watching.compareAndSet(false, true)) {
            transport.execute(look, LOOK_INTERVAL_NS);
        }
    }

    private void look() {
        if (core.isClosed()) {
            return;
        }
        try {
            judge();
        } finally {
            if (core.connections().length != 0 || core.work() != 0) {
                transport.execute(look, LOOK_INTERVAL_NS);
            } else {
                watching.set(false); // volatile; pairs with begin(), whose event is seen below if this came too late
                if (core.work() != 0) {
                    begin();
                }
            }
        }
    }

    private void judge() {
        final long progress = core.progressMark();
        if (progress != seenProgress) {
            seenProgress = progress;
            seenProgressMs = clock.time();
            looks = 0;
        } else if (core.sleeper().isArmed() || !core.token().tryAcquire()) {
            looks = 0; // asleep, or within a handler
        } else {
            final List<String> pending;
            try {
                pending = pending();
            } finally {
                core.token().release();
            }
            looks = pending.isEmpty() ? 0 : looks + 1;
            if (looks == LOOKS) {
                tell(pending);
            }
        }
    }

    @TokenHolder
    private List<String> pending() {
        final List<String> pending = new ArrayList<>();
        final int work = core.work();
        add(pending, core.hasEvents(), "events of connections");
        add(pending, core.hasReceived(), "received messages");
        add(pending, core.waitingCount() != 0, "sends of endpoints=" + core.waitingCount());
        add(pending, (work & WorkerCore.WORK_RETURNS) != 0, "released data");
        add(pending, (work & WorkerCore.WORK_RESUME) != 0, "resumed endpoints");
        add(pending, (work & WorkerCore.WORK_DEFERRED) != 0, "callbacks");
        add(pending, (work & WorkerCore.WORK_CLOSE) != 0, "closes of endpoints");
        return pending;
    }

    private static void add(final List<String> pending, final boolean isPending, final String what) {
        if (isPending) {
            pending.add(what);
        }
    }

    private void tell(final List<String> pending) {
        final ProgressThread progressing = core.progressThread();
        core.reports().warn("worker has pending work and hasn't been progressed since {}: worker={} threadMode={} "
            + "pending={} progressThread={}; nothing moves unless somebody progresses: have "
            + "ProgressThread.start(worker) do it, or call worker.progress(), with arm() and await() in between",
            Instant.ofEpochMilli(seenProgressMs), core.name(), core.worker().threadMode(), pending,
            progressing == null ? "none" : progressing.thread().getName());
    }
}
