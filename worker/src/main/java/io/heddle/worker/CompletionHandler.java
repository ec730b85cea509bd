package io.heddle.worker;

import io.heddle.context.Status;

/**
 * Told when an operation that did not finish at once has finished. Runs on the thread that progresses the worker, with
 * no lock held; never within the call that posted the operation.
 */
@FunctionalInterface
public interface CompletionHandler {
    /** Called once per request; the request is complete, and shows the same status. */
    void onComplete(Request request, Status status);
}
