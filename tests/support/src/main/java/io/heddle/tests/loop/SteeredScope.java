package io.heddle.tests.loop;

import io.heddle.context.internal.LeakTracker;

import java.util.ArrayList;
import java.util.List;

/**
 * Settings for the steered transports that this thread's contexts open until the scope is closed, and the transports
 * themselves:
 *
 * <pre>{@code
 * try (SteeredScope scope = new SteeredScope(SteeredSettings.DEFAULT.withCredits(1, 2))) {
 *     context = Context.create(new ContextConfig().transports(List.of("steered")));
 *     transport = scope.transport();
 * }
 * }</pre>
 *
 * <p>Confined to its thread; scopes nest.
 */
public final class SteeredScope implements AutoCloseable {
    private static final ThreadLocal<SteeredScope> CURRENT = new ThreadLocal<>();

    private final SteeredSettings settings;
    private final SteeredScope outer;
    private final List<SteeredTransport> opened = new ArrayList<>();

    /** Begins a scope with these settings. */
    public SteeredScope(final SteeredSettings settings) {
        this.settings = settings;
        outer = CURRENT.get();
        CURRENT.set(this);
    }

    /** The transport opened last in this scope. */
    public SteeredTransport transport() {
        if (opened.isEmpty()) {
            throw new IllegalStateException("no steered transport was opened in this scope");
        }
        return opened.get(opened.size() - 1);
    }

    /** What a provider opens: settings of the innermost scope, or the default ones. */
    static SteeredTransport open(final LeakTracker tracker) {
        final SteeredScope scope = CURRENT.get();
        final SteeredSettings chosen = scope == null ? SteeredSettings.DEFAULT : scope.settings;
        final SteeredTransport transport = new SteeredTransport(chosen, tracker);
        if (scope != null) {
            scope.opened.add(transport);
        }
        return transport;
    }

    @Override
    public void close() {
        if (CURRENT.get() == this) {
            CURRENT.set(outer);
        }
    }
}
