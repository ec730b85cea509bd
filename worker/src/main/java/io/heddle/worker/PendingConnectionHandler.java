package io.heddle.worker;

/** Told of a peer that asks a {@link NamedListener} for a connection: on the progressing thread, no lock held. */
@FunctionalInterface
public interface PendingConnectionHandler {
    /** May answer at once, or keep the request and answer later. */
    void onRequest(PendingConnection request);
}
