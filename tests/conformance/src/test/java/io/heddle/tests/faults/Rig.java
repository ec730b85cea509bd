package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One context with a sending and a receiving worker of one mode, and an endpoint between them; moved on by the test's
 * thread, which is the owner in SINGLE. Confined, but for what its workers allow.
 */
final class Rig implements AutoCloseable {
    /** The id of stamped messages. */
    static final int ID = 7;
    /** How long anything may take. */
    static final Duration LIMIT = Duration.ofSeconds(10);

    private static final long STEP_NS = 1_000_000_000L;
    private static final Pattern SHARED_BYTES = Pattern.compile("shm\\.used\\.bytes=([0-9]+)");

    final Context context;
    final Worker sender;
    final Worker receiver;
    final Endpoint endpoint;
    private long sequence;

    private Rig(final ThreadMode mode, final ContextConfig config) {
        context = Context.create(config);
        sender = Worker.create(context, mode, "sender");
        receiver = Worker.create(context, mode, "receiver");
        endpoint = Endpoint.create(sender, receiver.address());
    }

    static Rig open(final ThreadMode mode) {
        return open(mode, new ContextConfig());
    }

    /** Connected. */
    static Rig open(final ThreadMode mode, final ContextConfig config) {
        final Rig rig = new Rig(mode, config);
        rig.until("connected", rig.endpoint::isConnected);
        return rig;
    }

    /** Another endpoint to the same receiver, connected. */
    Endpoint another() {
        final Endpoint other = Endpoint.create(sender, receiver.address());
        until("another connected", other::isConnected);
        return other;
    }

    int progress() {
        return (sender.isClosed() ? 0 : sender.progress()) + (receiver.isClosed() ? 0 : receiver.progress());
    }

    /** Progresses both until the condition holds. */
    void until(final String what, final BooleanSupplier condition) {
        long last = System.nanoTime();
        long spent = 0;
        while (!condition.getAsBoolean()) {
            if (progress() == 0) {
                Thread.yield();
            }
            final long now = System.nanoTime();
            spent += Math.min(now - last, STEP_NS); // a process that was stopped meanwhile did not hang
            last = now;
            assertTrue(spent < LIMIT.toNanos(),
                () -> "still not " + what + "\n" + sender.describe() + receiver.describe());
        }
    }

    /** Sends a stamped message; the caller progresses. */
    Request send(final int bytes) {
        return send(endpoint, bytes);
    }

    Request send(final Endpoint to, final int bytes) {
        return send(to, Stamp.BYTES, bytes);
    }

    /** With a header that is longer than the stamp. */
    Request send(final Endpoint to, final int headerBytes, final int bytes) {
        final long number = sequence++;
        final byte[] payload = Stamp.payload(number, bytes);
        final UnsafeBuffer header = new UnsafeBuffer(new byte[headerBytes]);
        Stamp.write(header, 1, number, payload, bytes);
        return to.sendActiveMessage(ID, header, new UnsafeBuffer(payload), 0, bytes);
    }

    /** Sends and progresses until the message is handed over. */
    void sendNow(final int bytes) {
        final Request request = send(bytes);
        until("sent", request::isDone);
        assertEquals(Status.OK, request.status());
    }

    static void assertRight(final ActiveMessage message) {
        assertTrue(Stamp.isRight(message.header(), message.data()), () -> "wrong bytes: sequence="
            + Stamp.sequence(message.header()) + " lengthBytes=" + message.lengthBytes());
    }

    /** Of both workers: shared memory, and private memory of their pools, cached or not. */
    long memoryBytes() {
        return sharedBytes() + sender.statistics().poolMemoryBytes() + receiver.statistics().poolMemoryBytes();
    }

    long sharedBytes() {
        final Matcher shared = SHARED_BYTES.matcher(context.transports().get(0).describe());
        assertTrue(shared.find());
        return Long.parseLong(shared.group(1));
    }

    void assertBalance() {
        until("balanced", () -> sender.statistics().poolInUse() == 0 && receiver.statistics().poolInUse() == 0);
    }

    @Override
    public void close() {
        if (!sender.isClosed()) {
            sender.close(CloseMode.FORCE, LIMIT);
        }
        if (!receiver.isClosed()) {
            receiver.close(CloseMode.FORCE, LIMIT);
        }
        context.close();
    }
}
