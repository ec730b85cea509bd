package io.heddle.tools;

import io.heddle.worker.ActiveMessageHandler;

/** A way to run the consumer. Confined to the consumer's main thread, which made the worker. */
interface DemoStream {
    /** For the id of chunks. */
    ActiveMessageHandler handler();

    /**
     * Receives until {@code patience} ends; when this returns, no thread of this stream uses the worker and all data
     * is let go.
     */
    void run(DemoPatience patience);

    /** Messages whose data was let go on a thread that does not progress. After {@link #run}. */
    long releasedElsewhere();
}
