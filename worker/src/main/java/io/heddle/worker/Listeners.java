package io.heddle.worker;

import io.heddle.context.ClosedException;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.internal.Guarded;
import io.heddle.context.internal.Operation;
import io.heddle.context.internal.ThreadGuard;
import io.heddle.context.spi.IncomingConnection;
import io.heddle.context.spi.TransportInterface;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The names of one worker. The map is under the guard; transports are told outside of it, since that makes system
 * calls.
 */
final class Listeners {
    private final WorkerCore core;
    private final ThreadGuard guard;
    /** Changed under the guard; read by any thread for descriptions. */
    private final Map<String, NamedListener> byName = new ConcurrentHashMap<>();

    Listeners(final WorkerCore core, final ThreadGuard guard) {
        this.core = core;
        this.guard = guard;
    }

    NamedListener open(final String name, final PendingConnectionHandler handler) {
        final NamedListener made = new NamedListener(core, name, handler);
        guard.enter(Operation.CREATE_LISTENER);
        try {
            core.requireNotClosing("listen");
            if (byName.putIfAbsent(name, made) != null) {
                throw new HeddleException(Status.ALREADY_EXISTS, "listener name is taken: name=" + name + " holderPid="
                    + ProcessHandle.current().pid() + " worker=" + core.name());
            }
        } finally {
            guard.exit(Operation.CREATE_LISTENER);
        }
        boolean isOpen = false;
        try {
            listen(name);
            isOpen = true;
        } finally {
            if (!isOpen) {
                made.refuseAll();
            }
        }
        if (made.isClosed()) { // by the worker's close, which may have come before the transports knew the name
            unlisten(name);
            throw new ClosedException("worker " + core.name(), "listen");
        }
        return made;
    }

    private void listen(final String name) {
        final TransportInterface[] interfaces = core.interfaces();
        int listening = 0;
        try {
            for (int i = 0; i < interfaces.length; i++) {
                if (interfaces[i].transport().capabilities().hasListeners()) {
                    interfaces[i].listen(name);
                    listening = i + 1;
                }
            }
        } catch (final RuntimeException ex) {
            for (int i = 0; i < listening; i++) {
                interfaces[i].unlisten(name);
            }
            throw ex;
        }
        if (listening == 0) {
            throw new HeddleException(Status.UNSUPPORTED, "no transport of this worker has listeners: worker="
                + core.name() + " name=" + name);
        }
    }

    void unlisten(final String name) {
        for (final TransportInterface each : core.interfaces()) {
            each.unlisten(name);
        }
    }

    /** What peers find the worker by; a view. Any thread. */
    Set<String> names() {
        return byName.keySet();
    }

    @Guarded
    void remove(final NamedListener listener) {
        byName.remove(listener.name(), listener);
    }

    /** A peer asks for a name. What will tell the application; null if there is nobody to tell. */
    @Guarded
    Deferred arrived(final IncomingConnection incoming) {
        final NamedListener listener = byName.get(incoming.listenerName());
        if (listener == null) {
            incoming.reject(Status.UNREACHABLE, "no listener named " + incoming.listenerName() + "; it was closed");
            return null;
        }
        return listener.arrived(incoming);
    }

    /** The worker closes. */
    void closeAll() {
        final List<NamedListener> all;
        guard.enter(Operation.CLOSE_LISTENER);
        try {
            all = List.copyOf(byName.values());
        } finally {
            guard.exit(Operation.CLOSE_LISTENER);
        }
        for (final NamedListener listener : all) {
            listener.refuseAll();
            unlisten(listener.name());
        }
    }
}
