package io.heddle.tests.faults;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.Worker;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Truncates a live segment to nothing, in a JVM of its own since the JVM itself may be the victim. Prints one line per
 * outcome. Arguments: directory, mode, bytes per message.
 */
final class LostSegmentChild {
    private static final int ID = 7;
    private static final int TRIES = 200;

    private LostSegmentChild() {
    }

    public static void main(final String[] arguments) throws IOException {
        final Path directory = Path.of(arguments[0]).resolve("heddle");
        final ThreadMode mode = ThreadMode.valueOf(arguments[1]);
        final int bytes = Integer.parseInt(arguments[2]);
        try (Context context = Context.create(new ContextConfig().directory(directory))) {
            final Worker sender = Worker.create(context, mode, "sender");
            final Worker receiver = Worker.create(context, mode, "receiver");
            final AtomicInteger good = new AtomicInteger();
            final AtomicInteger wrong = new AtomicInteger();
            receiver.onActiveMessage(ID, message -> {
                (Stamp.isRight(message.header(), message.data()) ? good : wrong).incrementAndGet();
            });
            // What a handler meets in lost memory is told here, and is no news.
            final AtomicInteger told = new AtomicInteger();
            receiver.onError((worker, connection, status, error) -> told.incrementAndGet());
            final Endpoint healthy = Endpoint.create(sender, receiver.address());
            step(sender, receiver, healthy::isConnected);
            for (int i = 0; i < TRIES; i++) {
                final Path link = Path.of(arguments[0]).resolve("kept-" + i);
                final Endpoint doomed = linked(directory, link, sender, receiver);
                if (Files.exists(link)) {
                    lose(link, doomed, sender, receiver, bytes);
                    break;
                }
                doomed.close(CloseMode.FORCE, Duration.ofSeconds(1));
            }
            final int before = good.get();
            for (int i = 0; i < 1000; i++) {
                send(healthy, i, 100);
                sender.progress();
                receiver.progress();
            }
            step(sender, receiver, () -> good.get() >= before + 1000);
            System.out.println("healthy=" + healthy.status() + " wrong=" + wrong);
            sender.close(CloseMode.FORCE, Duration.ofSeconds(5));
            receiver.close(CloseMode.FORCE, Duration.ofSeconds(5));
            System.out.println("in_use=" + (sender.statistics().poolInUse() + receiver.statistics().poolInUse()));
        }
    }

    /** A new endpoint, and a second name for its segment if we were quick enough to give it one. */
    private static Endpoint linked(final Path directory, final Path link, final Worker sender, final Worker receiver)
        throws IOException {
        final Endpoint doomed = Endpoint.create(sender, receiver.address());
        while (!doomed.isConnected()) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.seg")) {
                for (final Path file : files) {
                    Files.createLink(link, file);
                }
            } catch (final IOException ex) {
                // gone already, or linked already
                Thread.onSpinWait();
            }
            sender.progress();
            receiver.progress();
        }
        return doomed;
    }

    private static void lose(final Path link, final Endpoint doomed, final Worker sender, final Worker receiver,
        final int bytes) throws IOException {
        for (int i = 0; i < 20; i++) {
            send(doomed, i, bytes);
            sender.progress();
            receiver.progress();
        }
        final StringBuilder reason = new StringBuilder();
        doomed.onError((endpoint, status, text) -> reason.append(status).append(' ').append(text));
        try (FileChannel file = FileChannel.open(link, StandardOpenOption.WRITE)) {
            file.truncate(0);
        }
        Files.delete(link);
        int surfaced = 0;
        for (int i = 0; i < 2000 && doomed.status() == Status.OK; i++) {
            final int sequence = i;
            surfaced += surfacing(() -> send(doomed, sequence, bytes)) + surfacing(sender::progress)
                + surfacing(receiver::progress);
        }
        for (int i = 0; i < 1000 && reason.length() == 0; i++) {
            surfaced += surfacing(() -> step(sender, receiver, () -> reason.length() > 0));
        }
        System.out.println("lost=" + reason + " surfaced=" + surfaced);
        surfacing(() -> System.out.println("flushed=" + doomed.flush().status()));
        surfacing(() -> doomed.close(CloseMode.FLUSH, Duration.ofSeconds(1)));
        doomed.close(CloseMode.FORCE, Duration.ofSeconds(1));
        System.out.println("closed=" + doomed.isClosed());
    }

    /** Compiled code throws a fault a little later than it happens: it may come out in any frame of ours. */
    private static int surfacing(final Runnable step) {
        try {
            step.run();
            return 0;
        } catch (final InternalError ex) {
            return 1;
        }
    }

    private static void send(final Endpoint endpoint, final int sequence, final int bytes) {
        final byte[] payload = Stamp.payload(sequence, bytes);
        endpoint.sendActiveMessage(ID, Stamp.of(1, sequence, payload, bytes), new UnsafeBuffer(payload), 0, bytes);
    }

    private static void step(final Worker sender, final Worker receiver,
        final java.util.function.BooleanSupplier condition) {
        final long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            sender.progress();
            receiver.progress();
            if (System.nanoTime() - start > Rig.LIMIT.toNanos()) {
                throw new IllegalStateException(sender.describe() + receiver.describe());
            }
        }
    }
}
