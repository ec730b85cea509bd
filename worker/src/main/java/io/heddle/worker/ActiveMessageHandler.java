package io.heddle.worker;

/** Receives active messages of one id. Runs on the thread that progresses the worker, with no lock held. */
@FunctionalInterface
public interface ActiveMessageHandler {
    /**
     * Consumes, copies, keeps or postpones the message before it returns. May send, release and begin to close; must
     * not block on Heddle.
     *
     * @param message valid until this returns, on this thread; the same object is used for the next message.
     */
    void onMessage(ActiveMessage message);
}
