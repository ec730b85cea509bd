package io.heddle.context.spi;

/**
 * How a transport is found: one implementation per transport, named in {@code META-INF/services}.
 *
 * <p>Immutable; called once per context by the thread that creates it.
 */
public interface TransportProvider {
    /** The name used in {@code heddle.transports}, in addresses and in descriptions; lower case. */
    String name();

    /** Whether it is opened where {@code heddle.transports} names none; otherwise only where it is named. */
    default boolean isUsedByDefault() {
        return true;
    }

    /**
     * Opens the transport for one context.
     *
     * @throws io.heddle.context.HeddleException if this machine cannot carry it; the text says why and the cure.
     */
    Transport open(TransportContext context);
}
