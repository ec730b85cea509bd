package io.heddle.worker;

import io.heddle.context.Status;

/**
 * A flush: finished once everything before it on its connection has been handed over. Confined to the worker's guard.
 */
final class PendingFlush extends PendingOperation {
    private final Connection connection;

    PendingFlush(final Request request, final Connection connection) {
        super(request);
        this.connection = connection;
    }

    @Override
    Status advance(final Connection on) {
        return Status.OK;
    }

    @Override
    boolean isBegun() {
        return false;
    }

    @Override
    long leftBytes() {
        return 0;
    }

    @Override
    Connection connection() {
        return connection;
    }

    @Override
    public String toString() {
        return "flush peer=[" + connection.peer() + ']';
    }
}
