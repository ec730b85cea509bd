package io.heddle.worker;

import io.heddle.context.ContextConfig;
import io.heddle.context.internal.LeakTracker;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Finds handles that the application dropped without letting them go, once the garbage collector has: each is logged
 * with the stack of its receipt, counted, and given back as by {@code releaseAsync}. Where {@code heddle.leak.tracking}
 * is off there is none of this; sampled watches one handle of {@value LeakTracker#SAMPLE_INTERVAL}. Handles that the
 * application made itself, for {@code retainInto}, are not watched. Thread safe.
 */
final class DroppedHandles {
    private final WorkerCore core;
    private final int mask;
    private final AtomicLong found = new AtomicLong();
    /** Plain and shared: a lost count moves the next sample, no more. */
    private int handles;

    private DroppedHandles(final WorkerCore core, final int interval) {
        this.core = core;
        mask = interval - 1;
    }

    /** Null if nothing is to be watched. */
    static DroppedHandles of(final WorkerCore core, final ContextConfig config) {
        return switch (config.leakTracking()) {
            case OFF -> null;
            case SAMPLED -> new DroppedHandles(core, LeakTracker.SAMPLE_INTERVAL);
            case FULL -> new DroppedHandles(core, 1);
        };
    }

    ReceivedData newHandle() {
        return (handles++ & mask) == 0 ? new WatchedData(this) : new ReceivedData();
    }

    /** Registers what has just been received by a handle. */
    Watch watch(final WatchedData handle, final ReceivedData.Hold hold) {
        final Watch watch = new Watch(this, hold);
        watch.registered = Cleaners.CLEANER.register(handle, watch);
        return watch;
    }

    /** So many were found. Any thread. */
    long found() {
        return found.get();
    }

    private void found(final Watch watch) {
        found.incrementAndGet();
        core.reports().warn("received data was dropped without release and is given back: worker={} {}",
            core.name(), watch.hold, watch.receipt);
        watch.hold.letGo(core);
    }

    /** Started with the first handle that is watched; serves all workers of the JVM. */
    private static final class Cleaners {
        static final Cleaner CLEANER = Cleaner.create();
    }

    /** One receipt by one handle; must not refer to the handle. Run when that is unreachable, or has let go. */
    static final class Watch implements Runnable {
        private final DroppedHandles owner;
        private final ReceivedData.Hold hold;
        private final Throwable receipt = new Throwable("kept by thread=" + Thread.currentThread().getName());
        private Cleaner.Cleanable registered;
        private volatile boolean isLetGo;

        private Watch(final DroppedHandles owner, final ReceivedData.Hold hold) {
            this.owner = owner;
            this.hold = hold;
        }

        void letGo() {
            isLetGo = true;
            registered.clean();
        }

        @Override
        public void run() {
            if (!isLetGo) {
                owner.found(this);
            }
        }
    }
}
