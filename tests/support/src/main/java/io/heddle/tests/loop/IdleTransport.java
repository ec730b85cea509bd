package io.heddle.tests.loop;

import io.heddle.context.spi.Transport;
import io.heddle.context.spi.TransportCapabilities;
import io.heddle.context.spi.TransportContext;
import io.heddle.context.spi.TransportProvider;

/**
 * A transport that carries nothing and is used only where {@code heddle.transports} names it: what transports that
 * stand beside the steered one have in common. Immutable.
 */
public abstract class IdleTransport implements TransportProvider, Transport {
    private final String name;

    /** @param name the transport's. */
    protected IdleTransport(final String name) {
        this.name = name;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final boolean isUsedByDefault() {
        return false;
    }

    @Override
    public final Transport open(final TransportContext context) {
        return this;
    }

    @Override
    public final TransportCapabilities capabilities() {
        return new TransportCapabilities(0, 0, false, false, false, false);
    }

    @Override
    public final String describe() {
        return "transport=" + name;
    }

    @Override
    public final void close() {
        // Nothing is ever open.
    }
}
