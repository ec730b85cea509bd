package io.heddle.worker;

import io.heddle.context.Status;

/**
 * Told what nobody can be thrown at: a handler that threw, a message nobody handles, a broken thread-mode rule. Runs on
 * the progressing thread with no lock held; a thread-mode violation on the thread that broke the rule.
 */
@FunctionalInterface
public interface WorkerErrorHandler {
    /**
     * @param connection whose message or request it was, null if none.
     * @param error      what was thrown, null if nothing was.
     */
    void onError(Worker worker, Connection connection, Status status, Throwable error);
}
