package io.heddle.endpoints;

import io.heddle.context.Status;

/**
 * Told once that an endpoint's peer has gone, after everything it had sent was delivered. Runs on the progressing
 * thread, with no lock held.
 */
@FunctionalInterface
public interface EndpointErrorHandler {
    /** The endpoint must still be closed; it may be closed here. */
    void onError(Endpoint endpoint, Status status, String reason);
}
