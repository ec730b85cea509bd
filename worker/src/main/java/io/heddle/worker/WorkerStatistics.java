package io.heddle.worker;

/**
 * Counts and gauges of a worker at one moment; each is right by itself, a little late if the worker is at work.
 * Immutable.
 *
 * @param messagesSent       messages handed over to a lane.
 * @param bytesSent          their payload.
 * @param messagesReceived   messages whose handler has run.
 * @param bytesReceived      their payload.
 * @param bytesCopied        payload copied because what was kept could not be kept in place.
 * @param dropped            messages nobody handled, or of a closed endpoint, or over the limit.
 * @param postponed          times a handler postponed a message.
 * @param callbacksFailed    handlers that threw.
 * @param pendingEndpoints   endpoints with sends that wait for room.
 * @param sendsRefused       sends refused because too many waited.
 * @param endpoints          connections that are not closed.
 * @param poolInUse          elements the application keeps.
 * @param poolMemoryBytes    private memory of copies and long messages.
 * @param poolCachedBytes    of that memory, what lies idle for reuse.
 * @param poolExhausted      times a pool had nothing to give.
 * @param poolRefused        misuses of elements that were refused: double releases and the like.
 * @param releasedElsewhere  kept elements that came home through the return stack: let go outside the dispatch that
 *     brought them.
 * @param violations         thread-mode violations caught; always 0 where modes are not checked.
 * @param protocolViolations impossible values read from peers.
 * @param payloadsChanged    payloads of pending sends found changed; always 0 where modes are not checked.
 * @param wakeUps            times a sleeping worker was woken.
 * @param lockContended      MULTI: times a thread had to wait for the worker lock.
 * @param lockHanded         MULTI: times the lock was handed to a thread that had waited long.
 * @param lockLongestWaitNs  MULTI: the longest such wait.
 */
public record WorkerStatistics(long messagesSent, long bytesSent, long messagesReceived, long bytesReceived,
    long bytesCopied, long dropped,
                               long postponed, long callbacksFailed, int pendingEndpoints, long sendsRefused,
                               int endpoints, long poolInUse,
                               long poolMemoryBytes, long poolCachedBytes, long poolExhausted, long poolRefused,
                               long releasedElsewhere,
                               long violations,
                               long protocolViolations, long payloadsChanged, long wakeUps, long lockContended,
                               long lockHanded,
                               long lockLongestWaitNs) {
}
