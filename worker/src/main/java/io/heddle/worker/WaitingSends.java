package io.heddle.worker;

import io.heddle.context.CloseReport;
import io.heddle.context.Status;
import io.heddle.context.internal.Guarded;
import java.util.ArrayDeque;
import java.util.List;

/**
 * What waits for room on one connection: sends and flushes in their order, and then those who asked to be told when
 * there is room. Keeps the connection on the worker's list of those that wait, as long as there is any of these.
 *
 * <p>Confined to the worker's guard, but for the hints.
 */
final class WaitingSends {
    private final WorkerCore core;
    private final Connection connection;
    private final ArrayDeque<PendingOperation> pending = new ArrayDeque<>();
    private final WritableAskings askings;
    /** Whether any operation is pending. Volatile so that a thread that waits for a flush may look. */
    private volatile boolean waiting;
    /** Known to the core as one that waits for room: with operations, or with askings alone. */
    private boolean listed;
    /** What waits now may need other room than the lane was last asked for. Plain: the look takes it for a hint. */
    private boolean tryAnyhow;

    WaitingSends(final WorkerCore core, final Connection connection) {
        this.core = core;
        this.connection = connection;
        askings = new WritableAskings(connection);
    }

    /** Whether a send or a flush is pending; a hint to a thread that is not under the guard. */
    boolean isWaiting() {
        return waiting;
    }

    /** Whether to go on though the lane may have no room; a hint. */
    boolean isToBeTried() {
        return tryAnyhow;
    }

    /** Nobody waits for room, neither an operation nor who asked to be told. */
    boolean isContent() {
        return !waiting && askings.isEmpty();
    }

    /** How many operations are pending; by any thread roughly. */
    int count() {
        return pending.size();
    }

    /** How many have asked to be told. */
    int askingCount() {
        return askings.count();
    }

    @Guarded
    void add(final PendingOperation operation) {
        pending.addLast(operation);
        waiting = true;
        list();
    }

    /** Somebody wants to be told when there is room: by the next dispatch if there is. */
    @Guarded
    void ask(final Runnable callback, final boolean isRoomy) {
        askings.add(callback);
        if (isRoomy) {
            askings.tellAll();
        } else {
            list();
        }
    }

    @Guarded
    private void list() {
        if (!listed) {
            listed = true;
            core.addWaiting(connection);
        }
    }

    /** Nothing waits for room any more, or not from now on. */
    @Guarded
    private void unlist() {
        if (listed) {
            listed = false;
            core.removeWaiting(connection);
        }
    }

    /**
     * Sends what waits, in order, as far as there is room; then tells those who asked for it that there is some.
     * Whether nothing waits any more, and the caller takes the connection from the list.
     */
    @Guarded
    boolean advance() {
        tryAnyhow = false;
        PendingOperation first = pending.peekFirst();
        while (first != null && !connection.isClaimed()) {
            final Status status = attempt(first);
            if (status == Status.NO_RESOURCE) {
                return false;
            }
            if (pending.pollFirst() != null) { // else the connection ended, and has finished it
                core.outcomes().finish(first.request, status);
            }
            first = pending.peekFirst();
        }
        if (first != null) {
            return false;
        }
        waiting = false;
        if (connection.isRoomy()) {
            askings.tellAll();
        }
        listed = !askings.isEmpty();
        return !listed;
    }

    /**
     * Goes on with an operation. If its buffer cannot be read any more, that is told to the error handler and ends this
     * operation, not the round; and the connection, if the peer has part of the message already.
     */
    @Guarded
    private Status attempt(final PendingOperation operation) {
        try {
            return operation.advance(connection);
        } catch (final RuntimeException | InternalError ex) {
            core.reports().errorLater(connection, Status.INVALID_PARAM, ex);
            if (operation.isBegun()) {
                core.ending().midway(connection, "a message broke off midway: " + ex);
            }
            return Status.INVALID_PARAM;
        }
    }

    /** Whether it could be taken back. */
    @Guarded
    boolean cancel(final PendingOperation operation) {
        if (operation.isBegun() || !pending.remove(operation)) {
            return false;
        }
        if (pending.isEmpty()) {
            waiting = false;
            if (askings.isEmpty()) {
                unlist();
            }
        }
        core.outcomes().finish(operation.request, Status.CANCELED);
        goOnAnyhow();
        return true;
    }

    /**
     * What stood at the head of the queue, or before it, is gone: what comes next may need other room than the lane was
     * last asked for, or nothing waits any more.
     */
    @Guarded
    void goOnAnyhow() {
        if (listed) {
            tryAnyhow = true;
            core.post(WorkerCore.WORK_DEFERRED);
        }
    }

    /** Nobody is told of room any more; what is pending goes on. */
    @Guarded
    void forgetAskings() {
        askings.clear();
        if (pending.isEmpty()) {
            unlist();
        }
    }

    /** Ends everything that waits. What it was. */
    @Guarded
    CloseReport refuse(final Status status) {
        int requests = 0;
        long bytes = 0;
        for (PendingOperation left = pending.pollFirst(); left != null; left = pending.pollFirst()) {
            requests++;
            bytes += left.leftBytes();
            core.outcomes().finish(left.request, status);
        }
        waiting = false; // whoever waits for a flush need not wait any more
        forgetAskings();
        return requests == 0 ? CloseReport.CLEAN : new CloseReport(requests, bytes, List.of(), false);
    }
}
