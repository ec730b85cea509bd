package io.heddle.worker;

import io.heddle.context.Status;
import io.heddle.context.internal.Guarded;
import io.heddle.context.internal.Operation;
import io.heddle.context.internal.ThreadGuard;

/** How requests end: done, or cancelled; and who is told. Under the guard or entering it. */
final class Outcomes {
    private final WorkerCore core;
    private final ThreadGuard guard;

    Outcomes(final WorkerCore core) {
        this.core = core;
        guard = core.guard();
    }

    /** An operation is done: its handler, if any, is told by the next dispatch. */
    @Guarded
    void finish(final Request request, final Status status) {
        if (request.complete(status)) {
            core.defer(new Completion(request));
        } else {
            core.wake();
        }
    }

    /** As {@link #finish}, for a request whose parts are told of by the dispatcher. */
    void finishFromCallback(final Request request, final Status status) {
        guard.enter(Operation.FLUSH);
        try {
            finish(request, status);
        } finally {
            guard.exit(Operation.FLUSH);
        }
    }

    /** Whether it could be taken back. */
    boolean cancel(final Request request) {
        guard.enter(Operation.CANCEL);
        try {
            final PendingOperation operation = request.operation();
            return operation != null && operation.connection().waits().cancel(operation);
        } finally {
            guard.exit(Operation.CANCEL);
        }
    }

    /** A request with a handler is done. */
    private record Completion(Request request) implements Deferred {
        @Override
        public void tell() {
            request.handler().onComplete(request, request.status());
        }

        @Override
        public Connection connection() {
            return null;
        }
    }
}
