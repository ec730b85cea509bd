package io.heddle.tests.faults;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.ConnectionRequest;
import io.heddle.endpoints.Endpoint;
import io.heddle.endpoints.Listener;
import io.heddle.tests.pair.PairChild;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.Worker;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Makes everything that has a file: a context, a listener's name, a connection; killed on its way by a fail point.
 * Speaks as {@link PairChild}; waits for the end of its stdin when it has all.
 */
public final class CreationChild {
    /** The listener of this. */
    static final String OWN = "prices";
    /** The listener that it connects to. */
    static final String HOST = "host";

    private CreationChild() {
    }

    public static void main(final String[] arguments) throws IOException {
        PairChild.say("ok ready");
        final Context context = Context.create(new ContextConfig().directory(Path.of(arguments[0])));
        final Worker worker = Worker.create(context, ThreadMode.MULTI, "doomed");
        ProgressThread.start(worker);
        Listener.create(worker, OWN, ConnectionRequest::accept);
        final Endpoint endpoint = Endpoint.create(worker, HOST);
        while (!endpoint.isConnected()) {
            Thread.onSpinWait();
        }
        PairChild.say("event complete");
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
        Runtime.getRuntime().halt(0);
    }
}
