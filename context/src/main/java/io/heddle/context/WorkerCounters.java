package io.heddle.context;

import java.util.Map;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * The counters of one worker. Users take them out once and keep them in fields: the lookup is not for the data path.
 * Single writer: whoever holds the worker; see {@link Counters} for how. Readable by any thread.
 */
public final class WorkerCounters implements AutoCloseable {
    private final Counters counters;
    private final Map<WorkerCounter, AtomicCounter> byKind;
    private final boolean isListed;

    WorkerCounters(final Counters counters, final Map<WorkerCounter, AtomicCounter> byKind, final boolean isListed) {
        this.counters = counters;
        this.byKind = byKind;
        this.isListed = isListed;
    }

    /** The counter of that kind; always the same object. */
    public AtomicCounter counter(final WorkerCounter kind) {
        return byKind.get(kind);
    }

    /** Whether they are in the file. */
    public boolean isListed() {
        return isListed;
    }

    /**
     * Takes them out of the file. Idempotent. The worker writes to them no more: their place may go to another
     * worker's.
     */
    @Override
    public void close() {
        if (isListed) {
            byKind.values().forEach(counters::free);
        }
    }
}
