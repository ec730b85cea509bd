package io.heddle.shm;

import io.heddle.context.spi.Transport;
import io.heddle.context.spi.TransportContext;
import io.heddle.context.spi.TransportProvider;

/** Gives contexts the transport over POSIX shared memory. Found by {@code ServiceLoader}. Immutable. */
public final class ShmTransportProvider implements TransportProvider {
    static final String NAME = "shm";

    /** For the service loader. */
    public ShmTransportProvider() {
        // nothing to set up before a context opens it
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Transport open(final TransportContext context) {
        return new ShmTransport(context, ControlTimings.DEFAULT);
    }
}
