package io.heddle.context.spi;

import io.heddle.context.ContextConfig;
import io.heddle.context.internal.RuntimeDirectory;
import java.util.concurrent.ThreadFactory;
import org.agrona.ErrorHandler;

/** What a context lends to its transports. Thread safe. */
public interface TransportContext {
    /** A random number that names the context on this host. */
    long contextId();

    /** The concluded configuration. */
    ContextConfig config();

    /** Where this user's Heddle processes meet; opened and swept. */
    RuntimeDirectory runtimeDirectory();

    /** Makes the transport's threads: daemons. */
    ThreadFactory threadFactory();

    /** Told of errors on the transport's own threads; never runs under a worker's lock. */
    ErrorHandler errorHandler();
}
