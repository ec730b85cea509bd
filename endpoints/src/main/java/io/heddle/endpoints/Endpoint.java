package io.heddle.endpoints;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Status;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.BufferVector;
import io.heddle.worker.Claim;
import io.heddle.worker.CompletionHandler;
import io.heddle.worker.Connection;
import io.heddle.worker.Request;
import io.heddle.worker.SendFlags;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import java.time.Duration;
import org.agrona.DirectBuffer;

/**
 * One peer, as an application sees it: where messages are sent to.
 *
 * <p>Every operation is a use of the worker, by the rules of its {@link io.heddle.context.ThreadMode}; accessors of
 * state are for any thread. One endpoint per connection: whoever asks for it twice gets the same object.
 */
public final class Endpoint implements AutoCloseable {
    private final Connection connection;

    private Endpoint(final Connection connection) {
        this.connection = connection;
    }

    /**
     * An endpoint to the worker of that address. Never blocks: sends queue until the connection stands, or fail with
     * its {@link #failure()}.
     *
     * @throws io.heddle.context.UnreachableException if no transport can reach it; says why each cannot.
     */
    public static Endpoint create(final Worker worker, final WorkerAddress address) {
        return of(worker.connect(address));
    }

    /** As {@link #create(Worker, String, ConnectOptions)}, with the defaults: nobody is waited for. */
    public static Endpoint create(final Worker worker, final String name) {
        return create(worker, name, new ConnectOptions());
    }

    /**
     * An endpoint to whoever listens by that name. Never blocks: sends queue until the connection stands. It fails, as
     * its requests' status, {@link #onError} and {@link #failure()} tell, with UNREACHABLE if nobody listens,
     * REJECTED and the listener's reason if the peer said no, TIMED_OUT if it said nothing for five seconds.
     *
     * @throws io.heddle.context.HeddleException INVALID_PARAM if it is no name; UNSUPPORTED if no transport has
     *     listeners.
     */
    public static Endpoint create(final Worker worker, final String name, final ConnectOptions options) {
        return of(worker.connect(name, options.applicationData(), nanos(options.waitForListener())));
    }

    private static long nanos(final Duration duration) {
        try {
            return duration.toNanos();
        } catch (final ArithmeticException ex) {
            return Long.MAX_VALUE; // 292 years
        }
    }

    /** The way back to a message's sender; null if the sender asked for no reply. Valid as long as the connection. */
    public static Endpoint replyTo(final ActiveMessage message) {
        return message.isReplyWanted() ? of(message.connection()) : null;
    }

    /** The endpoint of a connection. */
    public static Endpoint of(final Connection connection) {
        final Object known = connection.wrapper();
        if (known != null) {
            return (Endpoint) known;
        }
        synchronized (connection) {
            if (connection.wrapper() == null) {
                connection.wrapper(new Endpoint(connection));
            }
            return (Endpoint) connection.wrapper();
        }
    }

    /** As the longest form, without completion handler and flags. */
    public Request sendActiveMessage(final int id, final DirectBuffer header, final DirectBuffer data, final int offset,
        final int lengthBytes) {
        return connection.send(id, SendFlags.NONE, header, data, offset, lengthBytes, null, null);
    }

    /** As the longest form, without flags. */
    public Request sendActiveMessage(final int id, final DirectBuffer header, final DirectBuffer data, final int offset,
        final int lengthBytes, final CompletionHandler onDone) {
        return connection.send(id, SendFlags.NONE, header, data, offset, lengthBytes, onDone, null);
    }

    /**
     * Sends an active message; it queues if it must. Messages of one endpoint are delivered in the order they were
     * sent.
     *
     * @param id          0 to 65535.
     * @param flags       {@link SendFlags}.
     * @param header      its whole capacity is sent, at most {@link Worker#maxHeaderBytes()}; null for none. Free for
     *     reuse when this returns.
     * @param data        may be null for no payload. Free for reuse when the request is done.
     * @param onDone      told, by the progressing thread, if the request was not done at once; may be null.
     * @param userData    for {@link Request#userData()}.
     * @return never null. Done at once, without allocation, if there was room; {@link Status#NO_RESOURCE} if {@code
     *     heddle.send.pending.max} sends wait already.
     */
    public Request sendActiveMessage(final int id, final int flags, final DirectBuffer header, final DirectBuffer data,
        final int offset,
        final int lengthBytes, final CompletionHandler onDone, final Object userData) {
        return connection.send(id, flags, header, data, offset, lengthBytes, onDone, userData);
    }

    /**
     * As the others, the payload gathered from several stretches, which belong to the send until the request is done.
     */
    public Request sendActiveMessage(final int id, final DirectBuffer header, final BufferVector data,
        final CompletionHandler onDone) {
        return connection.send(id, SendFlags.NONE, header, data, onDone, null);
    }

    /**
     * Sends at once or not at all; never queues, allocates nothing.
     *
     * @return OK; NO_RESOURCE if there is no room now; UNSUPPORTED if the message is longer than one record; or the
     *     error that ended the endpoint.
     */
    public Status trySendActiveMessage(final int id, final DirectBuffer header, final DirectBuffer data,
        final int offset,
        final int lengthBytes) {
        return connection.trySend(id, SendFlags.NONE, header, data, offset, lengthBytes);
    }

    /**
     * Reserves the place of the next message in the peer's memory: write into the claim, then commit or abort it. Later
     * sends wait behind it.
     *
     * @param lengthBytes at most {@link #maxClaimBytes()}.
     * @return OK; NO_RESOURCE; BUSY while sends are pending or a claim is open; or the error that ended the endpoint.
     */
    public Status tryClaim(final int id, final int lengthBytes, final Claim claim) {
        return connection.tryClaim(id, SendFlags.NONE, lengthBytes, claim);
    }

    /** The longest message that can be claimed. */
    public int maxClaimBytes() {
        return connection.maxClaimBytes();
    }

    /** A request that is done when every send made before has been handed over. */
    public Request flush() {
        return connection.flush();
    }

    /** After {@link ActiveMessage#postpone()}: goes on with the postponed message at the next progress. */
    public void resume() {
        connection.resume();
    }

    /** Who is told once when the peer has gone; by the next progress if it has already. */
    public void onError(final EndpointErrorHandler handler) {
        connection.onError(handler == null ? null : (ended, status, reason) -> handler.onError(this, status, reason));
    }

    /** Whether the connection stands. */
    public boolean isConnected() {
        return connection.isConnected();
    }

    /** Whether it was closed here. */
    public boolean isClosed() {
        return connection.isClosed();
    }

    /**
     * Whether a send would probably go out at once: connected, nothing waits, no claim is open, and there is room as
     * far as can be seen. A use of the worker, unlike the other questions.
     */
    public boolean isWritable() {
        return connection.isWritable();
    }

    /**
     * Asks to be told once when {@link #isWritable()}: after NO_RESOURCE, be it for want of room or because {@code
     * heddle.send.pending.max} sends wait. At the next progress if it is so already. Each asking is told once at most;
     * the callback may send, and ask again. A sleeping worker wakes for it. Nothing is told after the close or the
     * peer's end.
     *
     * @param callback run by the progressing thread with no lock held.
     * @return OK if it was noted; NO_RESOURCE if {@code heddle.send.pending.max} askings wait already; or the error
     *     that ended the endpoint.
     */
    public Status onWritable(final Runnable callback) {
        return connection.onWritable(callback);
    }

    /** OK, or why nothing can be sent any more. */
    public Status status() {
        return connection.status();
    }

    /** In words, why the peer's side ended; null if it has not. */
    public String failure() {
        return connection.failure();
    }

    /** The worker. */
    public Worker worker() {
        return connection.worker();
    }

    /** The application's own object. */
    public Object userData() {
        return connection.userData();
    }

    /** Sets {@link #userData()}. */
    public void userData(final Object object) {
        connection.userData(object);
    }

    /** Transport, peer, state, credits and pools, in one line. */
    public String describe() {
        return connection.describe();
    }

    /**
     * Closes: FLUSH waits until what was accepted is handed over, FORCE cuts it off. Idempotent, safe against every
     * other call. From outside a callback it returns when no callback of this endpoint runs any more; inside one it
     * takes effect after the batch at hand.
     *
     * @return what was cut off.
     */
    public CloseReport close(final CloseMode mode, final Duration deadline) {
        return connection.close(mode, deadline);
    }

    /** {@link #close(CloseMode, Duration)} with FLUSH and {@code heddle.close.timeout}. */
    @Override
    public void close() {
        connection.close(CloseMode.FLUSH, Duration.ofNanos(connection.worker().context().config().closeTimeoutNs()));
    }

    @Override
    public String toString() {
        return connection.toString();
    }
}
