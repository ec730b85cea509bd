package io.heddle.tools;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.Worker;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The proof: two workers of this JVM, one endpoint, messages through the real transport in the real directory and back.
 * Confined.
 */
final class EndToEndCheck {
    private static final String NAME = "end_to_end";
    private static final int ID = 1;
    private static final int[] SIZES = {8, 64 << 10};
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    private final Worker near;
    private final Worker far;
    private byte[] answer;

    private EndToEndCheck(final Worker near, final Worker far) {
        this.near = near;
        this.far = far;
        near.onActiveMessage(ID, message -> answer = bytes(message));
        far.onActiveMessage(ID, message -> Endpoint.replyTo(message)
            .sendActiveMessage(ID, null, new UnsafeBuffer(bytes(message)), 0, (int) message.lengthBytes()));
    }

    static Finding finding(final ContextConfig config) {
        final long begunNs = System.nanoTime();
        try (Context context = Context.create(config);
             Worker near = Worker.create(context, ThreadMode.SINGLE, "doctor-near");
             Worker far = Worker.create(context, ThreadMode.SINGLE, "doctor-far")) {
            final EndToEndCheck check = new EndToEndCheck(near, far);
            final Endpoint endpoint = Endpoint.create(near, far.address());
            for (final int size : SIZES) {
                check.exchange(endpoint, size);
            }
            return Finding.ok(NAME, Arrays.toString(SIZES) + " bytes went to another worker and came back; connected "
                + "and closed in ms=" + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNs));
        } catch (final HeddleException | ToolException ex) {
            return Finding.fail(NAME, OneLineErrors.oneLine(ex), "see the lines above");
        }
    }

    private static byte[] bytes(final ActiveMessage message) {
        final byte[] copy = new byte[(int) message.lengthBytes()];
        message.data().getBytes(0, copy);
        return copy;
    }

    private void exchange(final Endpoint endpoint, final int size) {
        final byte[] question = new byte[size];
        for (int i = 0; i < size; i++) {
            question[i] = (byte) (i * 31 + size);
        }
        answer = null;
        endpoint.sendActiveMessage(ID, null, new UnsafeBuffer(question), 0, size);
        final long startNs = System.nanoTime();
        while (answer == null) {
            near.progress();
            far.progress();
            if (endpoint.status() != Status.OK) {
                throw new ToolException("status=" + endpoint.status() + " " + endpoint.failure());
            }
            if (System.nanoTime() - startNs > PATIENCE_NS) {
                throw new ToolException("no answer after s=" + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NS) + ": "
                    + endpoint.describe());
            }
        }
        if (!Arrays.equals(question, answer)) {
            throw new ToolException("wrong bytes came back: size=" + size);
        }
    }
}
