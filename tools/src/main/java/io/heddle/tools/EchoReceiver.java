package io.heddle.tools;

import io.heddle.context.Status;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.ActiveMessageHandler;
import io.heddle.worker.Connection;
import io.heddle.worker.Request;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Replies from within the handler with the bytes received. */
final class EchoReceiver implements Receiver, ActiveMessageHandler {
    private final UnsafeBuffer spare;
    private Connection connection;
    private Endpoint back;

    EchoReceiver(final int sizeBytes) {
        spare = new UnsafeBuffer(ByteBuffer.allocateDirect(Math.max(sizeBytes, Long.BYTES)));
    }

    @Override
    public ActiveMessageHandler handler() {
        return this;
    }

    @Override
    public void onMessage(final ActiveMessage message) {
        if (back == null || message.connection() != connection) {
            connection = message.connection();
            back = Endpoint.replyTo(message);
        }
        final int length = (int) message.lengthBytes();
        if (back.trySendActiveMessage(PerfServer.PONG, null, message.data(), 0, length) != Status.OK) {
            // A queued send refers to its buffer, and the message's ends with this call. One round trip is under way:
            // one spare will do.
            message.copyTo(spare, 0);
            final Request sent = back.sendActiveMessage(PerfServer.PONG, null, spare, 0, length);
            if (sent.isDone() && sent.status().isError()) {
                throw new ToolException("the reply failed: status=" + sent.status());
            }
        }
    }

    @Override
    public void progressed() {
        // Round trips are counted by the client.
    }

    @Override
    public void close() {
        // Nothing of its own.
    }
}
