package io.heddle.tests.conformance;

import io.heddle.worker.ActiveMessage;
import io.heddle.worker.ActiveMessageHandler;
import io.heddle.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** Takes copies of the messages it handles, in order. Thread safe. */
final class Inbox implements ActiveMessageHandler {
    /** One message. */
    record Received(int id, byte[] header, byte[] data, boolean isReplyWanted) {
        UnsafeBuffer dataBuffer() {
            return new UnsafeBuffer(data);
        }

        UnsafeBuffer headerBuffer() {
            return new UnsafeBuffer(header);
        }
    }

    private final List<Received> received = new ArrayList<>();

    /** An inbox for messages of the ids. */
    static Inbox on(final Worker worker, final int... ids) {
        final Inbox inbox = new Inbox();
        for (final int id : ids) {
            worker.onActiveMessage(id, inbox);
        }
        return inbox;
    }

    @Override
    public void onMessage(final ActiveMessage message) {
        final Received copy = new Received(message.id(), Payload.copyOf(message.header()),
            Payload.copyOf(message.data()), message.isReplyWanted());
        synchronized (received) {
            received.add(copy);
        }
    }

    int size() {
        synchronized (received) {
            return received.size();
        }
    }

    Received get(final int index) {
        synchronized (received) {
            return received.get(index);
        }
    }

    Received last() {
        return get(size() - 1);
    }
}
