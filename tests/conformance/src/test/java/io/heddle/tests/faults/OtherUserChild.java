package io.heddle.tests.faults;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.HeddleException;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * What another user tries, one line of outcome each: to open a context in a directory that is not his, to reach a
 * worker through a closed one and through one that stands open, and to talk to its socket without Heddle.
 */
final class OtherUserChild {
    private OtherUserChild() {
    }

    /** His directory, the closed directory, the address of a worker in it, of one in an open one, and its socket. */
    public static void main(final String[] arguments) throws IOException {
        say("theirs", () -> Context.create(new ContextConfig().directory(Path.of(arguments[1]))).close());
        try (Context context = Context.create(new ContextConfig().directory(Path.of(arguments[0])));
             Worker worker = Worker.create(context, ThreadMode.SINGLE)) {
            say("closed", () -> Endpoint.create(worker, WorkerAddress.ofHex(arguments[2])));
            say("open", () -> Endpoint.create(worker, WorkerAddress.ofHex(arguments[3])));
        }
        try (SocketChannel socket = SocketChannel.open(UnixDomainSocketAddress.of(arguments[4]))) {
            final ByteBuffer answer = ByteBuffer.allocate(4096);
            while (socket.read(answer) >= 0) {
                continue; // until the end of the stream
            }
            System.out.println("raw " + StandardCharsets.UTF_8.decode(answer.flip()).toString()
                .replaceAll("[^ -~]", "?"));
        }
    }

    private static void say(final String what, final Runnable attempt) {
        String outcome = "nothing was refused";
        try {
            attempt.run();
        } catch (final HeddleException ex) {
            outcome = ex.getClass().getSimpleName() + " " + ex.getMessage();
        }
        System.out.println(what + " " + outcome);
    }
}
