package io.heddle.context.spi;

import io.heddle.context.Status;

/**
 * A worker's ear for its lanes. Every call comes from within {@link TransportInterface#step} or {@link Lane#collect},
 * under the worker's guard, so an implementation only notes what happened and runs no application code.
 */
public interface InterfaceListener {
    /**
     * A peer has connected; the lane is ready in both directions.
     *
     * @param peer one line for people: process, worker, user.
     */
    void onAccepted(Lane lane, String peer);

    /**
     * A peer asks for a connection by a name given to {@link TransportInterface#listen}, or given back since.
     */
    void onConnectionRequest(IncomingConnection request);

    /** The lane made by a connect or by {@link IncomingConnection#accept()} is ready in both directions. */
    void onConnected(Lane lane, String peer);

    /**
     * Nothing can be sent on this lane any more: the peer ended, closed, refused, or broke the layout's rules. Told
     * once per lane. What the peer had published may still be collected until {@link #onDrained}.
     */
    void onPeerGone(Lane lane, Status status, String reason);

    /** After {@link #onPeerGone}: everything the peer had published has been collected. Told once per lane. */
    void onDrained(Lane lane);
}
