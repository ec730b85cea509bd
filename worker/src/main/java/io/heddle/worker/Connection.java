package io.heddle.worker;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.ClosedException;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.internal.Guarded;
import io.heddle.context.internal.Operation;
import io.heddle.context.internal.ThreadGuard;
import io.heddle.context.internal.TokenHolder;
import io.heddle.context.spi.Lane;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;

/**
 * The worker's view of one peer: a lane, the sends that wait for room on it, and its end. Applications use it through
 * {@code Endpoint}.
 *
 * <p>Every call is a use of the worker, by the rules of its mode, except the accessors of state, which any thread may
 * call.
 */
public final class Connection {
    private final WorkerCore core;
    private final ThreadGuard guard;
    private final Lane lane;
    private final int number;
    private final ArrayDeque<PendingOperation> pending = new ArrayDeque<>();
    private final WritableAskings askings = new WritableAskings(this);
    private final Reassembly reassembly = new Reassembly();
    private volatile Object userData;
    private volatile Object owner;
    private volatile ConnectionErrorHandler errorHandler;
    /** The end came when there was no handler. */
    private volatile boolean endUntold;
    /** Confined to the holder of the dispatcher token. */
    private boolean isEndTold;
    /** By a transport's name why it was not taken, for {@link #describe()}. */
    private final Map<String, String> rejected;
    private String peer = "(connecting)";
    /** Written before it is seen by anybody. */
    private boolean accepted;
    /** Written within the step. */
    private boolean opened;

    /** OK while sends are accepted; else why not. Written under the guard, read by any thread. */
    private volatile Status sendStatus = Status.OK;
    /** Written under the guard; the dispatcher re-reads it before each callback. */
    private volatile boolean closed;
    private volatile boolean failed;
    private volatile boolean silenced;
    private volatile String failure;
    private volatile boolean resumeRequested;

    // Confined to the holder of the dispatcher token.
    int pollIndex = -1;
    int activeIndex = -1;
    int quietRounds;
    int collections;
    int runFrom;
    int runTo;
    int runDelivered;
    private boolean paused;
    private boolean stalled;
    private int skipBytes;

    // Under the guard.
    /** Volatile so that a thread that waits for a flush may look. */
    private volatile boolean waiting;
    /** Known to the core as one that waits for room: with sends, or with askings alone. */
    private boolean listed;
    final TurnTaking turns = new TurnTaking();
    /** The lane refused the last record for want of room. Plain: the look without the guard takes it for a hint. */
    private boolean starved;
    /** Since when, roughly. Read by whoever describes it. */
    private volatile long starvedSinceNs;
    /** Memory of long messages that arrive here, or of which the application keeps something. */
    private long messageMemoryBytes;
    /** Volatile so that a closing thread may look. */
    private volatile boolean disposed;
    /** A close has begun. Volatile as {@link #closed}. */
    private volatile boolean closing;
    /** Closed inside a callback, and flushed by later rounds. */
    private boolean lingering;
    private long lingerEndNs;
    /** What the close has cut off and nobody has reported yet. */
    private CloseReport cut = CloseReport.CLEAN;
    private boolean tryAnyhow;
    /** Volatile so that the dispatcher may look: while a claim is open, room is of no use to those who wait. */
    private volatile Claim claim;

    @Guarded
    Connection(final WorkerCore core, final Lane lane, final Map<String, String> rejected) {
        this.core = core;
        this.guard = core.guard();
        this.number = core.nextNumber();
        this.lane = lane;
        this.rejected = Map.copyOf(rejected);
        lane.attachment(this);
    }

    /** Counts the worker's connections: spreads them over handler threads. */
    int number() {
        return number;
    }

    WorkerCore core() {
        return core;
    }

    Lane lane() {
        return lane;
    }

    Reassembly reassembly() {
        return reassembly;
    }

    @Guarded
    long messageMemoryBytes() {
        return messageMemoryBytes;
    }

    @Guarded
    void addMessageMemory(final long bytes) {
        messageMemoryBytes += bytes;
    }

    // ---- sending

    /**
     * Sends an active message: copied into the lane before this returns if there is room, else queued in order.
     *
     * @param id         0 to 65535.
     * @param flags      {@link SendFlags}.
     * @param header     its whole capacity, at most {@link Worker#maxHeaderBytes()}, is sent; may be null. Free for
     *     reuse when this returns.
     * @param data       may be null if dataBytes is 0. Free for reuse when the request is done, not before.
     * @param onDone     told if the request was not done at once; may be null.
     * @param userData   for {@link Request#userData()}.
     * @return never null. {@link Status#NO_RESOURCE} if {@code heddle.send.pending.max} sends wait already; {@link
     *     Status#EXCEEDS_LIMIT} over {@code heddle.message.max}.
     */
    public Request send(final int id, final int flags, final DirectBuffer header, final DirectBuffer data,
        final int dataOffset,
        final int dataBytes, final CompletionHandler onDone, final Object userData) {
        final int headerBytes = header == null ? 0 : header.capacity();
        checkSend(id, flags, headerBytes, data, dataOffset, dataBytes);
        guard.enter(Operation.SEND);
        try {
            final Status status = offer(id, flags, header, headerBytes, data, dataOffset, dataBytes);
            return status == Status.OK ? Request.DONE
                : status != Status.NO_RESOURCE ? Request.failed(status)
                : queueSend(id, flags, header, data, dataOffset, dataBytes, onDone, userData);
        } finally {
            exitAndSignal(Operation.SEND);
        }
    }

    /**
     * As the other, gathering the payload from several stretches. Without a copy in between; the stretches and the
     * vector belong to the send until the request is done.
     */
    public Request send(final int id, final int flags, final DirectBuffer header, final BufferVector data,
        final CompletionHandler onDone,
        final Object userData) {
        final int headerBytes = header == null ? 0 : header.capacity();
        checkSend(id, flags, headerBytes, null, 0, 0);
        guard.enter(Operation.SEND);
        try {
            if (sendStatus != Status.OK) {
                return Request.failed(sendStatus);
            }
            return data.lengthBytes() > core.messageMaxBytes() ? Request.failed(Status.EXCEEDS_LIMIT)
                : sendOrQueue(new PendingSend(new Request(core.worker(), onDone, userData), this, id, flags, header,
                    data));
        } finally {
            exitAndSignal(Operation.SEND);
        }
    }

    /**
     * Sends at once or not at all; never queues and allocates nothing.
     *
     * @return {@link Status#OK}; {@link Status#NO_RESOURCE} if there is no room now or earlier sends wait; {@link
     *     Status#UNSUPPORTED} if the message is longer than one record can be, which only a queued send carries; or the
     *     error that ended the connection.
     */
    public Status trySend(final int id, final int flags, final DirectBuffer header, final DirectBuffer data,
        final int dataOffset,
        final int dataBytes) {
        final int headerBytes = header == null ? 0 : header.capacity();
        checkSend(id, flags, headerBytes, data, dataOffset, dataBytes);
        final Status status;
        guard.enter(Operation.TRY_SEND);
        try {
            status = offer(id, flags, header, headerBytes, data, dataOffset, dataBytes);
        } finally {
            exitAndSignal(Operation.TRY_SEND);
        }
        if (status == Status.NO_RESOURCE && ActiveMessageMeta.recordBytes(dataBytes,
            headerBytes) > lane.maxFragmentBytes()) {
            return Status.UNSUPPORTED;
        }
        return status;
    }

    /** Ends every call that may have published: out of the guard, and only then the signal for a peer that sleeps. */
    @Guarded
    private void exitAndSignal(final Operation operation) {
        boolean isSignalNeeded = false;
        try {
            isSignalNeeded = lane.signalNeeded();
        } finally {
            guard.exit(operation);
        }
        if (isSignalNeeded) {
            lane.signal();
        }
    }

    private void checkSend(final int id, final int flags, final int headerBytes, final DirectBuffer data,
        final int offset,
        final int bytes) {
        if ((id & ~ActiveMessageMeta.MAX_ID) != 0 || (flags & ~SendFlags.ALL) != 0
            || headerBytes > ActiveMessageMeta.MAX_HEADER_BYTES
            || (offset | bytes) < 0 || bytes > 0 && (data == null || bytes > data.capacity() - offset)) {
            throw invalidSend(id, flags, headerBytes, data, offset, bytes);
        }
    }

    private static HeddleException invalidSend(final int id, final int flags, final int headerBytes,
        final DirectBuffer data,
        final int offset, final int bytes) {
        final String text;
        if ((id & ~ActiveMessageMeta.MAX_ID) != 0) {
            text = "id=" + id + " must be >= 0 and <= " + ActiveMessageMeta.MAX_ID;
        } else if ((flags & ~SendFlags.ALL) != 0) {
            text = "flags=" + flags + " contains unknown bits";
        } else if (headerBytes > ActiveMessageMeta.MAX_HEADER_BYTES) {
            text = "headerBytes=" + headerBytes + " must be <= maxHeaderBytes=" + ActiveMessageMeta.MAX_HEADER_BYTES;
        } else {
            text = "offset=" + offset + " lengthBytes=" + bytes + " must lie within the buffer: capacityBytes="
                + (data == null ? "none (null)" : Integer.toString(data.capacity()));
        }
        return new HeddleException(Status.INVALID_PARAM, text);
    }

    @Guarded
    void countSent(final int dataBytes) {
        core.countSent(dataBytes);
        turns.sent();
    }

    @Guarded
    private Status offer(final int id, final int flags, final DirectBuffer header, final int headerBytes,
        final DirectBuffer data,
        final int dataOffset, final int dataBytes) {
        final Status status = sendStatus;
        if (status != Status.OK) {
            return status;
        }
        if (dataBytes > core.messageMaxBytes()) {
            return Status.EXCEEDS_LIMIT; // first: the sum below cannot overflow then
        }
        if (!pending.isEmpty() || ActiveMessageMeta.recordBytes(dataBytes, headerBytes) > lane.maxFragmentBytes()) {
            return Status.NO_RESOURCE;
        }
        final Status sent = lane.send(ActiveMessageMeta.TYPE_ONLY,
            ActiveMessageMeta.of(id, headerBytes, dataBytes, flags), data,
            dataOffset, dataBytes, header, headerBytes);
        if (sent == Status.OK) {
            countSent(dataBytes);
        }
        starved(sent == Status.NO_RESOURCE);
        return sent;
    }

    @Guarded
    private Request queueSend(final int id, final int flags, final DirectBuffer header, final DirectBuffer data,
        final int dataOffset,
        final int dataBytes, final CompletionHandler onDone, final Object user) {
        return sendOrQueue(new PendingSend(new Request(core.worker(), onDone, user), this, id, flags, header, data,
            dataOffset, dataBytes));
    }

    @Guarded
    private Request sendOrQueue(final PendingSend send) {
        if (pending.size() >= core.sendPendingMax()) {
            core.countRefusedSend();
            return Request.failed(Status.NO_RESOURCE);
        }
        if (pending.isEmpty() && claim == null) {
            final Status status = first(send);
            if (status != Status.NO_RESOURCE) {
                send.request.complete(status); // at once, so no handler is told
                return send.request;
            }
        }
        send.queued();
        core.counts().sendsQueued++;
        queue(send);
        return send.request;
    }

    /** The first try, in the sender's call: what is thrown is thrown at the sender. */
    @Guarded
    private Status first(final PendingSend send) {
        boolean isWhole = false;
        try {
            final Status status = send.advance(this);
            isWhole = true;
            return status;
        } finally {
            if (!isWhole && send.isBegun()) {
                core.endMidway(this, "a message broke off midway");
            }
        }
    }

    @Guarded
    private void queue(final PendingOperation operation) {
        pending.addLast(operation);
        waiting = true;
        list();
    }

    @Guarded
    private void list() {
        if (!listed) {
            listed = true;
            core.addWaiting(this);
        }
    }

    /** Nothing waits for room any more, or not from now on. */
    @Guarded
    private void unlist() {
        if (listed) {
            listed = false;
            core.removeWaiting(this);
        }
    }

    /** Whether the lane refused the last record that it was offered for want of room. */
    @Guarded
    void starved(final boolean isStarved) {
        if (isStarved && !starved) {
            starvedSinceNs = core.coarseNs();
        }
        starved = isStarved;
    }

    /**
     * A request that is done when everything sent before it has been handed over to the lane. Two-sided operations are
     * complete then, at this side. {@link Status#NO_RESOURCE} if twice {@code heddle.send.pending.max} operations wait.
     */
    public Request flush() {
        guard.enter(Operation.FLUSH);
        try {
            if (claim != null) {
                throw new HeddleException(Status.BUSY,
                    "flush refused: a claim is open on this endpoint; commit or abort it first");
            }
            if (sendStatus != Status.OK) {
                return Request.failed(sendStatus);
            }
            if (pending.size() >= 2 * core.sendPendingMax()) {
                return Request.failed(Status.NO_RESOURCE);
            }
            return pending.isEmpty() ? Request.DONE : queueFlush(null);
        } finally {
            guard.exit(Operation.FLUSH);
        }
    }

    @Guarded
    Request queueFlush(final CompletionHandler onDone) {
        final Request request = new Request(core.worker(), onDone, null);
        queue(new PendingFlush(request, this));
        return request;
    }

    /**
     * Reserves the place of the next message, to be written by the caller in the peer's memory. One claim at a time per
     * connection; later sends wait behind it; the caller commits or aborts it.
     *
     * @param dataBytes at most what one record carries, {@link #maxClaimBytes()}.
     * @return {@link Status#OK}; {@link Status#NO_RESOURCE}; {@link Status#BUSY} while sends are pending or another
     *     claim is open; or the error that ended the connection.
     */
    public Status tryClaim(final int id, final int flags, final int dataBytes, final Claim mine) {
        if ((id & ~ActiveMessageMeta.MAX_ID) != 0 || dataBytes < 0 || dataBytes > maxClaimBytes()
            || (flags & ~SendFlags.ALL) != 0) {
            throw new HeddleException(Status.INVALID_PARAM, "id=" + id + " flags=" + flags + " lengthBytes=" + dataBytes
                + " must be within maxId=" + ActiveMessageMeta.MAX_ID + " maxClaimBytes=" + maxClaimBytes());
        }
        guard.enter(Operation.CLAIM);
        try {
            mine.requireIdle();
            if (sendStatus != Status.OK) {
                return sendStatus;
            }
            if (claim != null || !pending.isEmpty()) {
                return Status.BUSY;
            }
            final Status status = lane.reserve(dataBytes);
            starved(status == Status.NO_RESOURCE);
            if (status == Status.OK) {
                claim = mine;
                mine.open(this, id, flags, lane.reservedAddress(), dataBytes);
            }
            return status;
        } finally {
            guard.exit(Operation.CLAIM);
        }
    }

    /**
     * Whether a send would probably go out at once: connected, nothing waits, no claim is open, and there is room as
     * far as can be seen. A use of the worker, since it looks at the lane.
     */
    public boolean isWritable() {
        guard.enter(Operation.IS_WRITABLE);
        try {
            return isRoomy();
        } finally {
            guard.exit(Operation.IS_WRITABLE);
        }
    }

    /**
     * Asks to be told once, as soon as {@link #isWritable()}; at the next progress if it is already. Each asking is
     * told once at most, those of one connection in their order; who wants to hear again asks again, which a callback
     * may. It wakes a worker that sleeps when there is room. It is told nothing after the close or the peer's end,
     * which the error handler hears of.
     *
     * @param callback run by the progressing thread with no lock held. It may find that others were quicker, and ask
     *     again.
     * @return {@link Status#OK} if it was noted; {@link Status#NO_RESOURCE} if {@code heddle.send.pending.max} askings
     *     wait already; or the error that ended the connection.
     */
    public Status onWritable(final Runnable callback) {
        Objects.requireNonNull(callback, "callback");
        guard.enter(Operation.ON_WRITABLE);
        try {
            if (sendStatus != Status.OK) {
                return sendStatus;
            }
            if (askings.count() >= core.sendPendingMax()) {
                return Status.NO_RESOURCE;
            }
            askings.add(callback);
            if (isRoomy()) {
                askings.tellAll();
            } else {
                list();
            }
            return Status.OK;
        } finally {
            guard.exit(Operation.ON_WRITABLE);
        }
    }

    /** The longest message that can be claimed now. */
    public int maxClaimBytes() {
        return (int) Math.min(lane.maxFragmentBytes(), core.messageMaxBytes());
    }

    Status commit(final Claim mine, final long meta, final int dataBytes) {
        guard.enter(Operation.COMMIT);
        try {
            mine.end("commit");
            if (claim != mine) {
                return sendStatus == Status.OK ? Status.CANCELED : sendStatus;
            }
            claim = null;
            goOnAnyhow();
            final Status status = lane.publish(ActiveMessageMeta.TYPE_ONLY, meta, dataBytes);
            if (status == Status.OK) {
                countSent(dataBytes);
            }
            return status;
        } finally {
            exitAndSignal(Operation.COMMIT);
        }
    }

    void abort(final Claim mine) {
        guard.enter(Operation.ABORT);
        try {
            mine.end("abort");
            if (claim == mine) {
                claim = null;
                lane.abandon();
                goOnAnyhow();
            }
        } finally {
            guard.exit(Operation.ABORT);
        }
    }

    // ---- what the core does, under the guard

    /**
     * Sends what waits, in order, as far as there is room; then tells those who asked for it that there is some.
     * Whether nothing waits any more.
     */
    @Guarded
    boolean advance() {
        tryAnyhow = false;
        PendingOperation first = pending.peekFirst();
        while (first != null && claim == null) {
            final Status status = first.request.isDone() ? Status.OK : attempt(first);
            if (status == Status.NO_RESOURCE) {
                return false;
            }
            if (pending.peekFirst() == first) { // else the connection ended, and has finished it
                finishFirst(first, status);
            }
            first = pending.peekFirst();
        }
        if (first != null) {
            return false;
        }
        waiting = false;
        if (isRoomy()) {
            askings.tellAll();
        }
        listed = !askings.isEmpty();
        return !listed;
    }

    /**
     * The outcome comes first, and then the operation leaves the queue: a fault in lost memory, of this lane or
     * another, is thrown late and maybe here, and must not make a request that nobody finishes.
     */
    @Guarded
    private void finishFirst(final PendingOperation first, final Status status) {
        if (!first.request.isDone()) {
            core.finish(first.request, status);
        }
        pending.pollFirst();
    }

    /**
     * Goes on with an operation. If its buffer cannot be read any more, that is told to the error handler and ends this
     * operation, not the round; and the connection, if the peer has part of the message already.
     */
    @Guarded
    private Status attempt(final PendingOperation operation) {
        try {
            return operation.advance(this);
        } catch (final RuntimeException | InternalError ex) {
            core.tellErrorLater(this, Status.INVALID_PARAM, ex);
            if (operation.isBegun()) {
                core.endMidway(this, "a message broke off midway: " + ex);
            }
            return Status.INVALID_PARAM;
        }
    }

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
        core.finish(operation.request, Status.CANCELED);
        goOnAnyhow();
        return true;
    }

    /**
     * What stood at the head of the queue, or before it, is gone: what comes next may need other room than the lane was
     * last asked for, or nothing waits any more.
     */
    @Guarded
    private void goOnAnyhow() {
        if (listed) {
            tryAnyhow = true;
            core.post(WorkerCore.WORK_DEFERRED);
        }
    }

    /** Whether sending may go on now; a hint. */
    @TokenHolder
    boolean mayGoOn() {
        return claim == null && (tryAnyhow || (waiting || starved ? lane.hasRoom() : lane.isReady()));
    }

    /**
     * Whether a record would probably be taken: nothing is before it, and the lane has refused none since it had room.
     */
    @Guarded
    private boolean isRoomy() {
        return sendStatus == Status.OK && pending.isEmpty() && claim == null && lane.isReady()
            && (!starved || lane.hasRoom());
    }

    /** No more sends; those that wait are finished with the status, and counted as cut off if a close has begun. */
    @Guarded
    void refuseSends(final Status status) {
        if (sendStatus == Status.OK) {
            sendStatus = status;
        }
        int requests = 0;
        long bytes = 0;
        for (PendingOperation left = pending.peekFirst(); left != null; left = pending.peekFirst()) {
            requests++;
            bytes += left.leftBytes();
            finishFirst(left, status);
        }
        waiting = false; // whoever waits for a flush need not wait any more
        askings.clear();
        unlist();
        loseClaim();
        if (closing && requests > 0) {
            cut = cut.plus(new CloseReport(requests, bytes, List.of(), false));
        }
    }

    /** What the close has cut off since the last taking: it is reported once. */
    @Guarded
    CloseReport takeCut() {
        final CloseReport taken = cut;
        cut = CloseReport.CLEAN;
        return taken;
    }

    @Guarded
    private void loseClaim() {
        if (claim != null) {
            claim.lost();
            claim = null;
            lane.abandon();
        }
    }

    /** The first step of closing: an open claim is aborted, so that the sends behind it can be flushed. */
    @Guarded
    void stopAccepting() {
        closing = true;
        if (sendStatus == Status.OK) {
            sendStatus = Status.CANCELED;
        }
        askings.clear();
        if (pending.isEmpty()) {
            unlist();
        }
        if (claim != null) {
            loseClaim();
            goOnAnyhow();
        }
    }

    /** As {@link #opened}, by the peer's doing. */
    @Guarded
    void accepted(final String peerText) {
        accepted = true;
        opened(peerText);
    }

    boolean isAccepted() {
        return accepted;
    }

    @Guarded
    void opened(final String peerText) {
        peer = peerText;
        opened = true;
        starved = false;
    }

    /** Whether it ever stood. By the dispatcher, after the step that may have opened it. */
    boolean wasOpened() {
        return opened;
    }

    @Guarded
    void gone(final Status status, final String reason) {
        failure = reason;
        failed = true;
        refuseSends(status);
    }

    /** Nothing more is delivered or told: it has been, or the peer broke the protocol. */
    void silence() {
        silenced = true;
    }

    boolean isSilenced() {
        return silenced;
    }

    /** No callback of it begins any more. */
    @Guarded
    void markClosed() {
        closed = true;
    }

    /** False if it was already. */
    @Guarded
    boolean markDisposed() {
        if (disposed) {
            return false;
        }
        disposed = true;
        return true;
    }

    /** Closed inside a callback: what it has accepted is flushed by later rounds, until then. */
    @Guarded
    void linger(final long endNs) {
        lingerEndNs = lingering && lingerEndNs - endNs < 0 ? lingerEndNs : endNs;
        lingering = true;
    }

    /** Whether a close has begun, here. */
    boolean isClosing() {
        return closing;
    }

    boolean isLingering() {
        return lingering;
    }

    /** Whether it was closed inside a callback and the deadline of that has passed. */
    boolean isLingerOver(final long nowNs) {
        return lingering && nowNs - lingerEndNs >= 0;
    }

    /** Closed, and nothing is to be flushed any more. */
    boolean isToBeDisposed(final long nowNs) {
        return closed && !disposed && (pending.isEmpty() || !lingering || isLingerOver(nowNs));
    }

    boolean isDisposed() {
        return disposed;
    }

    boolean hasPending() {
        return !pending.isEmpty();
    }

    /** Nobody waits for room, neither a send nor who asked to be told. */
    boolean isContent() {
        return pending.isEmpty() && askings.isEmpty();
    }

    /** As {@link #hasPending()}, by a thread that is not under the guard: a hint. */
    boolean isWaiting() {
        return waiting;
    }

    // ---- pausing, by the holder of the token

    boolean isPaused() {
        return paused;
    }

    void pause() {
        paused = true;
    }

    /** Paused for want of memory, for a long message or for a copy. */
    boolean isStalled() {
        return stalled;
    }

    void stalled(final boolean isStalled) {
        stalled = isStalled;
    }

    /** The rest of a message that was refused is passed over. */
    boolean isSkipping() {
        return skipBytes > 0;
    }

    void skipping(final int bytes) {
        skipBytes = bytes;
    }

    void skip(final int bytes) {
        skipBytes = Math.max(0, skipBytes - bytes);
    }

    /** What was asked before the pause that may follow concerns nothing. */
    void forgetResume() {
        if (resumeRequested) {
            resumeRequested = false;
        }
    }

    /** Whether it was asked to go on, and does: not if nothing is to be delivered any more. */
    boolean resumeIfAsked() {
        if (resumeRequested && !silenced) {
            resumeRequested = false;
            paused = false;
            stalled = false;
            return true;
        }
        return false;
    }

    /**
     * Asks for going on after {@link ActiveMessage#postpone()}: takes effect at the next progress. Nothing if it is
     * not paused.
     */
    public void resume() {
        guard.enter(Operation.RESUME);
        try {
            resumeAsync();
        } finally {
            guard.exit(Operation.RESUME);
        }
    }

    /** As {@link #resume()}, from any thread: touches neither lane nor worker state. */
    void resumeAsync() {
        // Volatile store before the post; partner: resumeIfAsked, after the dispatcher has seen the post.
        resumeRequested = true;
        core.post(WorkerCore.WORK_RESUME);
    }

    // ---- state, any thread

    /** Whether records can be sent and received now. */
    public boolean isConnected() {
        return lane.isReady() && sendStatus == Status.OK;
    }

    /** Whether it was closed here. */
    public boolean isClosed() {
        return closed;
    }


    /** OK, or why nothing can be sent any more. */
    public Status status() {
        return sendStatus;
    }

    /** Whether the peer ended it, as opposed to {@link #isClosed()}. */
    public boolean isFailed() {
        return failed;
    }

    /** In words, why the peer's side ended; null if it has not. */
    public String failure() {
        return failure;
    }

    /** The worker. */
    public Worker worker() {
        return core.worker();
    }

    /** Who is at the other end, for people. */
    public String peer() {
        return peer;
    }

    /** The application's own object. */
    public Object userData() {
        return userData;
    }

    /** Sets {@link #userData()}. */
    public void userData(final Object object) {
        userData = object;
    }

    /** The object that wraps this for the application, for the {@code endpoints} module. */
    public Object wrapper() {
        return owner;
    }

    /** Sets {@link #wrapper()}. */
    public void wrapper(final Object object) {
        owner = object;
    }

    /**
     * Told once when the peer has gone and everything it had sent was delivered; by the next progress if that was
     * before. Any thread.
     */
    public void onError(final ConnectionErrorHandler handler) {
        errorHandler = handler;
        if (handler != null && endUntold) { // Volatile, after the handler; partner: tellEnd().
            core.tellEndLater(this);
        }
    }

    ConnectionErrorHandler errorHandler() {
        return errorHandler;
    }

    /** Dispatching thread. Tells the handler of the end, once; without one it is remembered for who comes later. */
    void tellEnd() {
        if (errorHandler == null) {
            endUntold = true;
        }
        final ConnectionErrorHandler handler = errorHandler; // Volatile, after the mark; partner: onError().
        if (handler != null && !isEndTold && !closing) { // whoever closes it is told by the close
            isEndTold = true;
            endUntold = false;
            handler.onError(this, status(), failure());
        }
    }

    void requireOpen(final String operation) {
        if (closed) {
            throw new ClosedException("endpoint to " + peer, operation);
        }
    }

    /**
     * Peer, state, how much waits, transport, credits and pools, and why other transports were not taken, in one line;
     * with {@code stalledForMs} the time since the lane refused a message and has taken none. Any thread.
     */
    public String describe() {
        return "endpoint peer=[" + peer + "] status=" + sendStatus + " pending=" + pending.size() + " paused=" + paused
            + (starved ? " stalledForMs=" + TimeUnit.NANOSECONDS.toMillis(core.nanoTime() - starvedSinceNs) : "")
            + " [" + lane.describe() + "] rejected=" + allRejected();
    }

    private Map<String, String> allRejected() {
        final Map<String, String> all = new LinkedHashMap<>(rejected);
        all.putAll(worker().context().unusedTransports());
        return all;
    }

    @Override
    public String toString() {
        return "connection to " + peer;
    }

    /**
     * Closes: see {@link CloseMode}. Idempotent; safe against every other call, and each of several closes keeps its
     * own mode and deadline: a FORCE cuts short what another flushes.
     *
     * <p>From outside a callback it returns when no message of this connection is being handled and its error handler
     * does not run any more, or the deadline has passed; inside a callback it takes effect after the batch at hand, and
     * the deadline is kept by later progress. Requests that were cut off are told of by the next progress.
     *
     * @return what this call has cut off; inside a callback, what it has cut off at once.
     */
    public CloseReport close(final CloseMode mode, final Duration deadline) {
        return core.close(this, mode, deadline);
    }
}
