package io.heddle.tests.loop;

import io.heddle.context.internal.LeakTracker;
import io.heddle.context.spi.Transport;
import io.heddle.context.spi.TransportContext;
import io.heddle.context.spi.TransportProvider;

import java.util.Locale;

/**
 * Makes the steered transport available to contexts: {@code heddle.transports=steered} selects it. Settings, and a hand
 * on what was opened, come by a {@link SteeredScope} around {@code Context.create}. Immutable.
 */
public final class SteeredTransportProvider implements TransportProvider {
    /** The transport's name. */
    public static final String NAME = "steered";

    /** For the ServiceLoader. */
    public SteeredTransportProvider() {
    }

    @Override
    public String name() {
        return NAME;
    }

    /** Only where it is named: a test that has this module on its class path may be about another transport. */
    @Override
    public boolean isUsedByDefault() {
        return false;
    }

    @Override
    public Transport open(final TransportContext context) {
        return SteeredScope.open(LeakTracker.forLevel(context.config().leakTracking().name().toLowerCase(Locale.ROOT)));
    }
}
