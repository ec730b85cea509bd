package io.heddle.tools;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.ConnectionRequest;
import io.heddle.endpoints.Listener;
import io.heddle.tests.base.OtherJvm;
import io.heddle.worker.Worker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Another JVM with a context and a listener, until it is killed. */
final class OwnerJvm {
    private OwnerJvm() {
    }

    /** Returns when it listens by {@code name}. */
    static OtherJvm start(final Path directory, final String name) throws IOException {
        return OtherJvm.start(List.of(), OwnerJvm.class, directory.toString(), name);
    }

    public static void main(final String[] arguments) throws IOException {
        try (Context context = Context.create(new ContextConfig().directory(Path.of(arguments[0])));
             Worker worker = Worker.create(context, ThreadMode.MULTI);
             Listener listener = Listener.create(worker, arguments[1], ConnectionRequest::accept)) {
            System.out.println(listener.name());
            OtherJvm.stay();
        }
    }
}
