package io.heddle.worker;

import io.heddle.context.internal.Guarded;
import io.heddle.context.internal.TokenHolder;
import java.util.concurrent.TimeUnit;

/**
 * What becomes due by time alone, so that nobody posts it: the end of a close inside a callback that is flushed still,
 * and another try of messages that wait for memory which the system did not have. {@link #isLingerOver()} and {@link
 * #isDue} only ask; {@link #post} makes work of what is due.
 *
 * <p>With the token, but where a method says otherwise. Closes have deadlines by the system's clock, as whoever waits
 * for them; tries go by the worker's.
 */
final class TimedWork {
    /** Memory that the system did not have may be there now, though nothing came back to this worker. */
    static final long RETRY_NS = TimeUnit.SECONDS.toNanos(1);

    private final WorkerCore core;
    private final Dispatcher dispatcher;
    /** Connections that linger. Written under the guard; volatile for the holder of the token, who looks without it. */
    private volatile int lingering;
    private long retriedNs;

    TimedWork(final WorkerCore core, final Dispatcher dispatcher, final long nowNs) {
        this.core = core;
        this.dispatcher = dispatcher;
        retriedNs = nowNs;
    }

    /** One connection more is flushed by later rounds before it is disposed of. */
    @Guarded
    void lingers() {
        lingering++;
    }

    /** It was disposed of. */
    @Guarded
    void lingersNoMore() {
        lingering--;
    }

    /** Whether any connection lingers: then every idle round has a look at the time. */
    boolean hasLingering() {
        return lingering != 0;
    }

    /** Whether there is anything that becomes due. */
    @TokenHolder
    boolean isPending() {
        return lingering != 0 || dispatcher.hasStalled();
    }

    /** Whether something is due. @param nowNs by the worker's clock. */
    @TokenHolder
    boolean isDue(final long nowNs) {
        return isLingerOver() || isRetryDue(nowNs);
    }

    /** Whether a connection that was closed inside a callback has been flushed for long enough. */
    @TokenHolder
    boolean isLingerOver() {
        if (lingering == 0) {
            return false;
        }
        final long nowNs = System.nanoTime();
        for (final Connection connection : core.connections()) {
            if (connection.isLingerOver(nowNs)) {
                return true;
            }
        }
        return false;
    }

    private boolean isRetryDue(final long nowNs) {
        return dispatcher.hasStalled() && nowNs - retriedNs >= RETRY_NS;
    }

    /** Posts what is due. @param nowNs by the worker's clock. */
    @TokenHolder
    void post(final long nowNs) {
        if (isRetryDue(nowNs)) {
            retriedNs = nowNs;
            dispatcher.messageRoomMade();
        }
        if (isLingerOver()) {
            core.post(WorkerCore.WORK_CLOSE);
        }
    }
}
