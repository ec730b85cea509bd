package io.heddle.shm;

/**
 * Finds out that a peer's process stands still: asks its control thread again and again, and counts how often nothing
 * at all has come since. Does nothing if {@code heddle.peer.timeout} is 0. Confined to the control thread.
 *
 * <p>Silence is counted in looks, of which each comes after the socket was read and a quarter of the timeout after the
 * look before. So a pause of this process counts as one look, however long it was, and is not taken for the peer's.
 */
final class PeerPulse {
    private static final int LOOKS = 4;

    private final ControlThread control;
    private final ControlSocket socket;
    private final long lookNs;
    private final Runnable onSilence;
    private ControlTimers.Timer next;
    private int silentLooks;
    private boolean isAsked;

    /** @param onSilence runs once, after which this does nothing more. */
    PeerPulse(final ControlThread control, final ControlSocket socket, final long timeoutNs,
        final Runnable onSilence) {
        this.control = control;
        this.socket = socket;
        this.onSilence = onSilence;
        lookNs = timeoutNs / LOOKS;
        if (lookNs > 0) {
            next = control.schedule(lookNs, this::look); // not at once: the handshake's answer goes first
        }
    }

    private void look() {
        silentLooks = socket.takeHeard() || !isAsked ? 0 : silentLooks + 1;
        if (silentLooks == LOOKS) {
            onSilence.run();
            return;
        }
        if (!isAsked) {
            isAsked = true; // one question at a time: a peer that stands still is not to find a heap of them
            socket.send(FrameBody.finished(FrameBody.begin(FrameDescriptor.PING)));
        }
        next = control.schedule(lookNs, this::look);
    }

    void answered() {
        isAsked = false;
    }

    void stop() {
        control.cancel(next);
    }
}
