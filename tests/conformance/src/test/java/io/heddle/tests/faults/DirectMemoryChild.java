package io.heddle.tests.faults;

import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.worker.Request;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.UnsafeApi;

/** A JVM whose direct memory the application uses up, and lets go of when a long message waits for some. */
public final class DirectMemoryChild {
    private static final int MIB = 1 << 20;

    private DirectMemoryChild() {
    }

    public static void main(final String[] arguments) {
        final ContextConfig config = new ContextConfig().directory(Path.of(arguments[0]).resolve("heddle"));
        try (Rig rig = Rig.open(ThreadMode.valueOf(arguments[1]), config)) {
            final AtomicInteger received = new AtomicInteger();
            rig.receiver.onActiveMessage(Rig.ID, message -> {
                Rig.assertRight(message);
                received.incrementAndGet();
            });
            final ByteBuffer hog = ByteBuffer.allocateDirect(20 * MIB);
            final Request sent = rig.send(8 * MIB);
            rig.until("stalled", () -> rig.receiver.statistics().poolExhausted() > 0);
            UnsafeApi.invokeCleaner(hog);
            rig.until("received", () -> received.get() == 1 && sent.status() == Status.OK);
            System.out.println("received=" + received);
        }
    }
}
