package io.heddle.worker;

import io.heddle.context.Status;
import io.heddle.context.internal.Guarded;
import java.util.ArrayList;
import java.util.List;

/**
 * Who asked to be told when a connection can be written to. Each asking is told once at most, in the order of the
 * askings, by the dispatcher. Confined to the worker's guard.
 */
final class WritableAskings {
    private final Connection connection;
    private final List<Runnable> asked = new ArrayList<>(0);

    WritableAskings(final Connection connection) {
        this.connection = connection;
    }

    int count() {
        return asked.size();
    }

    boolean isEmpty() {
        return asked.isEmpty();
    }

    void add(final Runnable callback) {
        asked.add(callback);
    }

    /** Hands them to the next dispatch. */
    @Guarded
    void tellAll() {
        for (final Runnable callback : asked) {
            connection.core().defer(new Writable(connection, callback));
        }
        asked.clear();
    }

    /** There will be nothing to tell. */
    void clear() {
        asked.clear();
    }

    /** There is room. Of no interest if the connection has ended since. */
    private record Writable(Connection connection, Runnable callback) implements Deferred {
        @Override
        public void tell() {
            if (!connection.isClosed() && connection.status() == Status.OK) {
                callback.run();
            }
        }
    }
}
