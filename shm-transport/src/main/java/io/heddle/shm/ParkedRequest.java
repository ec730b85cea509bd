package io.heddle.shm;

import io.heddle.context.Status;
import io.heddle.context.spi.IncomingConnection;
import io.heddle.context.spi.Lane;

/**
 * A peer that waits for a listener's answer, as the worker sees it. Immutable but for whether it still waits, which the
 * control thread writes.
 */
final class ParkedRequest implements IncomingConnection {
    private final ShmInterface owner;
    private final AcceptAttempt attempt;
    private final Hello hello;
    private final String peerUser;
    private final String peer;
    private volatile boolean waiting = true;

    ParkedRequest(final ShmInterface owner, final AcceptAttempt attempt, final Hello hello, final String peerUser,
        final String peer) {
        this.owner = owner;
        this.attempt = attempt;
        this.hello = hello;
        this.peerUser = peerUser;
        this.peer = peer;
    }

    /** Control thread: it was answered, or there is nobody to answer. */
    void over() {
        waiting = false; // volatile; pairs with the read in isWaiting()
    }

    Hello hello() {
        return hello;
    }

    @Override
    public String listenerName() {
        return hello.listener();
    }

    @Override
    public long peerProcessId() {
        return hello.pid();
    }

    @Override
    public String peerUser() {
        return peerUser;
    }

    @Override
    public byte[] applicationData() {
        return hello.data().clone();
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public boolean isWaiting() {
        return waiting;
    }

    @Override
    public Lane accept() {
        final LaneSlot slot = owner.expect(null);
        attempt.accept(slot);
        return slot.lane();
    }

    @Override
    public void reject(final Status status, final String reason) {
        attempt.reject(status, reason);
    }
}
