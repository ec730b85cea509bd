package io.heddle.tests.loop;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.spi.InterfaceListener;
import io.heddle.context.spi.InterfaceOptions;
import io.heddle.context.spi.Transport;
import io.heddle.context.spi.TransportCapabilities;
import io.heddle.context.spi.TransportContext;
import io.heddle.context.spi.TransportInterface;
import io.heddle.context.spi.TransportProvider;

/** A transport, found after the steered one, whose interfaces cannot be opened. Immutable. */
public final class UnopenableTransport implements TransportProvider, Transport {
    /** The transport's name. */
    public static final String NAME = "unopenable";

    /** For the ServiceLoader. */
    public UnopenableTransport() {
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean isUsedByDefault() {
        return false;
    }

    @Override
    public Transport open(final TransportContext context) {
        return this;
    }

    @Override
    public TransportCapabilities capabilities() {
        return new TransportCapabilities(0, 0, false, false, false, false);
    }

    @Override
    public String unreachableReason(final byte[] address) {
        return "cannot be opened";
    }

    @Override
    public TransportInterface openInterface(final InterfaceOptions options, final InterfaceListener listener) {
        throw new HeddleException(Status.IO_ERROR, "cannot be opened: transport=" + NAME);
    }

    @Override
    public void execute(final Runnable task, final long delayNs) {
        throw new IllegalStateException("nothing is ever open: transport=" + NAME);
    }

    @Override
    public String describe() {
        return "transport=" + NAME;
    }

    @Override
    public void close() {
        // Nothing is ever open.
    }
}
