package io.heddle.worker;

import io.heddle.context.Leak;
import io.heddle.context.MemoryPool;
import io.heddle.context.spi.InterfaceListener;
import io.heddle.context.spi.InterfaceOptions;
import io.heddle.context.spi.Lane;
import io.heddle.context.spi.Transport;
import io.heddle.context.spi.TransportInterface;
import io.heddle.tests.loop.IdleTransport;
import java.util.List;

/** A transport, found before the steered one, that reaches nobody and has no listeners. Immutable. */
public final class DistantTransport extends IdleTransport {
    /** The transport's name. */
    public static final String NAME = "distant";
    /** Why it reaches nobody. */
    public static final String REASON = "too far away";

    /** For the ServiceLoader. */
    public DistantTransport() {
        super(NAME);
    }

    @Override
    public String unreachableReason(final byte[] address) {
        return REASON;
    }

    @Override
    public TransportInterface openInterface(final InterfaceOptions options, final InterfaceListener listener) {
        return new Side(this);
    }

    @Override
    public void execute(final Runnable task, final long delayNs) {
        if (delayNs == 0) {
            task.run(); // it has no thread; what is to come later does not come
        }
    }

    /** A worker's side. */
    private record Side(Transport transport) implements TransportInterface {
        @Override
        public byte[] address() {
            return new byte[1];
        }

        @Override
        public Lane connect(final byte[] remoteAddress) {
            throw new UnsupportedOperationException(NAME);
        }

        @Override
        public Lane connect(final String name, final byte[] applicationData, final long waitNs) {
            throw new UnsupportedOperationException(NAME);
        }

        @Override
        public void listen(final String name) {
            throw new UnsupportedOperationException(NAME);
        }

        @Override
        public void unlisten(final String name) {
            throw new UnsupportedOperationException(NAME);
        }

        @Override
        public boolean hasEvents() {
            return false;
        }

        @Override
        public int step(final long nowNs) {
            return 0;
        }

        @Override
        public void waitState(final long state) {
            // Nobody looks.
        }

        @Override
        public List<MemoryPool> pools() {
            return List.of();
        }

        @Override
        public long heldElements() {
            return 0;
        }

        @Override
        public List<Leak> close() {
            return List.of();
        }
    }
}
