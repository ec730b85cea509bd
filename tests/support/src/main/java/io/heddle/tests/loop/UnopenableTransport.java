package io.heddle.tests.loop;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.spi.InterfaceListener;
import io.heddle.context.spi.InterfaceOptions;
import io.heddle.context.spi.TransportInterface;

/** A transport, found after the steered one, whose interfaces cannot be opened. Immutable. */
public final class UnopenableTransport extends IdleTransport {
    /** The transport's name. */
    public static final String NAME = "unopenable";

    /** For the ServiceLoader. */
    public UnopenableTransport() {
        super(NAME);
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
}
