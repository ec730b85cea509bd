package io.heddle.worker;

import io.heddle.context.Status;

/**
 * Something that waits its turn on a connection: a send that found no room, or a flush. Confined to the worker's
 * guard.
 */
abstract class PendingOperation {
    final Request request;

    PendingOperation(final Request request) {
        this.request = request;
        request.operation(this);
    }

    /** Goes on as far as there is room. {@link Status#NO_RESOURCE} if not done yet, else the outcome. */
    abstract Status advance(Connection connection);

    /** Whether something of it has reached the peer, so that it can no longer be taken back. */
    abstract boolean isBegun();

    /** Bytes not handed over yet. */
    abstract long leftBytes();

    /** The connection it waits on. */
    abstract Connection connection();
}
