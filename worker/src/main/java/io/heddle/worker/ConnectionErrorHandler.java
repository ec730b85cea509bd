package io.heddle.worker;

import io.heddle.context.Status;

/**
 * Told once that a connection has ended, after everything the peer had sent was delivered. Runs on the progressing
 * thread, no lock held.
 */
@FunctionalInterface
public interface ConnectionErrorHandler {
    /** The connection must still be closed. */
    void onError(Connection connection, Status status, String reason);
}
