package io.heddle.context.spi;

import io.heddle.context.Status;

/**
 * A peer that asks a listener for a connection and waits for the answer. Until then it costs one descriptor and what it
 * sent; no memory of its is mapped.
 *
 * <p>It is answered once, by {@link #accept()} or {@link #reject}. A transport refuses by itself what is not answered
 * in time, and forgets it when the peer ends: {@link #isWaiting()}.
 */
public interface IncomingConnection {
    /** The name that the peer asked for. */
    @AnyThread
    String listenerName();

    /** The peer's process as it says: another PID namespace has another number for it. */
    @AnyThread
    long peerProcessId();

    /** The peer's user as the kernel says. */
    @AnyThread
    String peerUser();

    /** What the peer's application sent along. A fresh copy. */
    @AnyThread
    byte[] applicationData();

    /** One line for people: process, worker, user. */
    @AnyThread
    String peer();

    /** Whether an answer would still reach the peer, as far as is known here. */
    @AnyThread
    boolean isWaiting();

    /**
     * Says yes; returns at once. The outcome is {@link InterfaceListener#onConnected} or {@link
     * InterfaceListener#onPeerGone}, as after a connect; until then the lane accepts nothing.
     */
    Lane accept();

    /**
     * Says no. Any thread; never blocks.
     *
     * @param reason reaches the peer's application, cut to 1 KiB.
     */
    @AnyThread
    void reject(Status status, String reason);
}
