package io.heddle.tools;

import io.heddle.context.Status;
import io.heddle.endpoints.Endpoint;
import io.heddle.endpoints.EndpointErrorHandler;

/** Remembers that the other side is gone, so that no loop waits for it for ever. Thread safe. */
final class PeerWatch implements EndpointErrorHandler {
    private static final long PATIENCE_NS = 30_000_000_000L;

    private volatile String failure;

    @Override
    public void onError(final Endpoint endpoint, final Status status, final String reason) {
        failure = "the connection failed: status=" + status + " reason=" + reason;
    }

    /** Throws if the connection has failed. */
    void check() {
        final String text = failure;
        if (text != null) {
            throw new ToolException(text);
        }
    }

    /**
     * Throws if the connection has failed, or if nothing has come since {@code startNs} for so long that nothing
     * will.
     */
    void check(final long startNs, final String what) {
        check();
        if (System.nanoTime() - startNs > PATIENCE_NS) {
            throw new ToolException(what + " for 30 s");
        }
    }
}
