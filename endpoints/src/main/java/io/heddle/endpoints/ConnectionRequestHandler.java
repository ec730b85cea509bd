package io.heddle.endpoints;

/**
 * Told of each peer that connects to a {@link Listener}'s name. Runs on the progressing thread, with no lock held;
 * {@code ConnectionRequest::accept} is one that takes everybody.
 */
@FunctionalInterface
public interface ConnectionRequestHandler {
    /**
     * May answer here, or keep the request and answer later. If it throws unanswered, the peer is rejected; what it
     * throws goes to the worker's error handler, unless it is what {@link ConnectionRequest#accept()} threw since the
     * peer had gone or the listener was closed at this moment.
     */
    void onRequest(ConnectionRequest request);
}
