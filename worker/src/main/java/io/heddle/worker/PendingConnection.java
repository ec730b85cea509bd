package io.heddle.worker;

import io.heddle.context.ClosedException;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.internal.Guarded;
import io.heddle.context.internal.Operation;
import io.heddle.context.internal.ThreadGuard;
import io.heddle.context.spi.IncomingConnection;

/**
 * A peer that asks a listener for a connection; for the {@code endpoints} module. Answered once.
 *
 * <p>The answers are uses of the worker, by the rules of its mode; what is known of the peer is for any thread.
 */
public final class PendingConnection {
    private final WorkerCore core;
    private final ThreadGuard guard;
    private final NamedListener listener;
    private final IncomingConnection incoming;
    /** By the application. Written under the guard. */
    private volatile boolean answered;
    /** By the listener's close. Written under the guard. */
    private volatile boolean refused;
    /** What accept threw for a reason that the application could not know; under the guard. */
    private volatile HeddleException late;

    PendingConnection(final WorkerCore core, final NamedListener listener, final IncomingConnection incoming) {
        this.core = core;
        this.guard = core.guard();
        this.listener = listener;
        this.incoming = incoming;
    }

    /**
     * Says yes; never blocks. Sends on the connection queue until it stands; if the peer ends before, they and the
     * connection's error handler are told.
     *
     * @throws HeddleException if it was answered before, or the peer waits no longer; {@link ClosedException} if the
     *     listener or the worker was closed.
     */
    public Connection accept() {
        guard.enter(Operation.ANSWER_REQUEST);
        try {
            answer("accept");
            if (refused || listener.isClosed()) {
                late = new ClosedException("listener " + listener.name(), "accept");
            } else if (!incoming.isWaiting()) {
                late = new HeddleException(Status.CONNECTION_RESET, "the peer does not wait for an answer any more, "
                    + "since it ended or the answer came too late: " + this);
            }
            if (late != null) {
                throw late;
            }
            return core.connecting().accept(incoming);
        } finally {
            guard.exit(Operation.ANSWER_REQUEST);
        }
    }

    /**
     * Says no; never blocks. Whether the peer still waits makes no difference.
     *
     * @param reason what the peer's application reads; cut to 1 KiB.
     * @throws HeddleException if it was answered before.
     */
    public void reject(final String reason) {
        guard.enter(Operation.ANSWER_REQUEST);
        try {
            answer("reject");
            incoming.reject(Status.REJECTED, reason);
        } finally {
            guard.exit(Operation.ANSWER_REQUEST);
        }
    }

    @Guarded
    private void answer(final String operation) {
        if (answered) {
            throw new HeddleException(Status.ALREADY_EXISTS, operation + " refused: answered before, " + this);
        }
        answered = true;
        listener.answered(this);
    }

    /** Whether this is what accept threw since nobody waits any more. */
    boolean isLate(final Throwable thrown) {
        return thrown == late;
    }

    /** The listener closes. Whether somebody was still waiting. */
    @Guarded
    boolean refuse() {
        refused = true;
        final boolean isWaiting = incoming.isWaiting();
        incoming.reject(Status.UNREACHABLE, "listener " + listener.name() + " was closed");
        return isWaiting;
    }

    /** Whether it was accepted, rejected, or refused by the listener's close. */
    public boolean isAnswered() {
        return answered || refused;
    }

    /** Whether an answer would still reach the peer, as far as is known here. */
    public boolean isWaiting() {
        return !isAnswered() && incoming.isWaiting();
    }

    /** The peer's process as it says; another PID namespace has another number for it. */
    public long peerProcessId() {
        return incoming.peerProcessId();
    }

    /** The peer's user as the kernel says. */
    public String peerUser() {
        return incoming.peerUser();
    }

    /** What the peer's application sent along. A fresh copy. */
    public byte[] applicationData() {
        return incoming.applicationData();
    }

    NamedListener listener() {
        return listener;
    }

    @Override
    public String toString() {
        return "connection request listener=" + listener.name() + " peer=[" + incoming.peer() + ']';
    }
}
