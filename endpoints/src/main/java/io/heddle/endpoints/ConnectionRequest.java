package io.heddle.endpoints;

import io.heddle.worker.PendingConnection;

/**
 * A peer that asks a {@link Listener} for a connection and waits for the answer: one answer, in the handler or later,
 * on any thread that the worker's mode allows, since answering is a use of the worker. Five seconds without one refuse
 * it. Accessors are for any thread.
 */
public final class ConnectionRequest {
    private final PendingConnection pending;

    ConnectionRequest(final PendingConnection pending) {
        this.pending = pending;
    }

    /** The peer's process as the peer says; another PID namespace has another number for it. */
    public long peerProcessId() {
        return pending.peerProcessId();
    }

    /** The name of the peer's user, as the kernel says. */
    public String peerUser() {
        return pending.peerUser();
    }

    /** What the peer gave as {@link ConnectOptions#applicationData()}; up to 1 KiB, unchecked. A fresh copy. */
    public byte[] applicationData() {
        return pending.applicationData();
    }

    /**
     * Says yes. Never blocks: sends queue until the connection stands. If the peer ends at this moment they fail, and
     * {@link Endpoint#failure()} says why.
     *
     * @throws io.heddle.context.HeddleException ALREADY_EXISTS if it was answered before; CONNECTION_RESET if the peer
     *     waits no longer; NOT_CONNECTED if listener or worker was closed.
     */
    public Endpoint accept() {
        return Endpoint.of(pending.accept());
    }

    /**
     * Says no. Never blocks.
     *
     * @param reason what the peer's application reads in its endpoint's {@link Endpoint#failure()}; cut to 1 KiB.
     * @throws io.heddle.context.HeddleException ALREADY_EXISTS if it was answered before.
     */
    public void reject(final String reason) {
        pending.reject(reason);
    }

    /** Whether it was accepted, rejected, or refused by the listener's close. */
    public boolean isAnswered() {
        return pending.isAnswered();
    }

    /** Whether an answer would still reach the peer, as far as is known. */
    public boolean isWaiting() {
        return pending.isWaiting();
    }

    @Override
    public String toString() {
        return pending.toString();
    }
}
