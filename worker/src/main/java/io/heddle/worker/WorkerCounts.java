package io.heddle.worker;

/**
 * Plain counts of one worker. Those of sending and keeping are written under the guard, those of receiving by the
 * holder of the dispatcher token; readers on other threads see them a little late, each right by itself.
 */
final class WorkerCounts {
    long messagesSent;
    long bytesSent;
    long sendsRefused;
    long sendsQueued;
    long bytesCopied;
    long payloadsChanged;
    long homecomings;
    long messagesReceived;
    long bytesReceived;
    long dropped;
    long postponed;
    long callbacksFailed;
    long protocolViolations;

    void sent(final int bytes) {
        messagesSent++;
        bytesSent += bytes;
    }
}
