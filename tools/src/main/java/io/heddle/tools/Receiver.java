package io.heddle.tools;

import io.heddle.worker.ActiveMessageHandler;
import io.heddle.worker.Worker;

/**
 * What the server does with each measured message. Confined to the server's thread, apart from what an implementation
 * says of threads of its own.
 */
interface Receiver extends AutoCloseable {
    /** For the id of measured messages. */
    ActiveMessageHandler handler();

    /** After a call of progress that did something: publishes the count, once per batch. */
    void progressed();

    /** Ends the threads of this receiver; before the worker is closed. */
    @Override
    void close();

    /** The one for {@code --test} and {@code --receive}. */
    static Receiver of(final PerftestOptions options, final Worker worker, final ControlPage page) {
        if (options.test == PerftestOptions.Test.AM_LAT) {
            return new EchoReceiver(options.sizeBytes());
        }
        return switch (options.receive) {
            case INLINE -> new CountingReceiver(page, false);
            case TOUCH -> new CountingReceiver(page, true);
            case KEEP -> new KeepingReceiver(page);
            case POOL -> new PoolReceiver(worker, page);
        };
    }
}
