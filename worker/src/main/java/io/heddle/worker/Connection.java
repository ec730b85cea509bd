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
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;

/**
 * The worker's view of one peer: a lane, the sends that wait for room on it, and its end. Applications use it through
 * {@code Endpoint}.
 *
 * <p>Every call is a use of the worker, by the rules of its mode, except the accessors of state, which any thread may
 * call. Longer than most: half of it is the contract of what an application calls, and the state is in one object
 * because the ways of a send and of a receipt pass it.
 */
public final class Connection {
    private final WorkerCore core;
    private final ThreadGuard guard;
    private final Lane lane;
    private final int number;
    private final WaitingSends waits;
    private final EndNotice endNotice = new EndNotice(this);
    private final Reassembly reassembly = new Reassembly();
    private volatile Object userData;
    private volatile Object owner;
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
    /** Volatile so that the dispatcher may look: while a claim is open, room is of no use to those who wait. */
    private volatile Claim claim;

    @Guarded
    Connection(final WorkerCore core, final Lane lane, final Map<String, String> rejected) {
        this.core = core;
        this.guard = core.guard();
        this.number = core.connecting().nextNumber();
        this.lane = lane;
        waits = new WaitingSends(core, this);
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
        SendChecks.check(id, flags, headerBytes, data, dataOffset, dataBytes);
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
        SendChecks.check(id, flags, headerBytes, null, 0, 0);
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
        SendChecks.check(id, flags, headerBytes, data, dataOffset, dataBytes);
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

    @Guarded
    void countSent(final int dataBytes) {
        core.counts().sent(dataBytes);
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
        if (waits.isWaiting() || ActiveMessageMeta.recordBytes(dataBytes, headerBytes) > lane.maxFragmentBytes()) {
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
        if (waits.count() >= core.sendPendingMax()) {
            core.counts().sendsRefused++;
            return Request.failed(Status.NO_RESOURCE);
        }
        if (!waits.isWaiting() && claim == null) {
            final Status status = first(send);
            if (status != Status.NO_RESOURCE) {
                send.request.complete(status); // at once, so no handler is told
                return send.request;
            }
        }
        send.queued();
        core.counts().sendsQueued++;
        waits.add(send);
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
                core.ending().midway(this, "a message broke off midway");
            }
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
            if (waits.count() >= 2 * core.sendPendingMax()) {
                return Request.failed(Status.NO_RESOURCE);
            }
            return waits.isWaiting() ? queueFlush(null) : Request.DONE;
        } finally {
            guard.exit(Operation.FLUSH);
        }
    }

    @Guarded
    Request queueFlush(final CompletionHandler onDone) {
        final Request request = new Request(core.worker(), onDone, null);
        waits.add(new PendingFlush(request, this));
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
        SendChecks.checkClaim(id, flags, dataBytes, maxClaimBytes());
        guard.enter(Operation.CLAIM);
        try {
            mine.requireIdle();
            if (sendStatus != Status.OK) {
                return sendStatus;
            }
            if (claim != null || waits.isWaiting()) {
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
            if (waits.askingCount() >= core.sendPendingMax()) {
                return Status.NO_RESOURCE;
            }
            waits.ask(callback, isRoomy());
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
            waits.goOnAnyhow();
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
                waits.goOnAnyhow();
            }
        } finally {
            guard.exit(Operation.ABORT);
        }
    }

    // ---- what the core does, under the guard

    WaitingSends waits() {
        return waits;
    }

    /** Whether sending may go on now; a hint. */
    @TokenHolder
    boolean mayGoOn() {
        return claim == null
            && (waits.isToBeTried() || (waits.isWaiting() || starved ? lane.hasRoom() : lane.isReady()));
    }

    /**
     * Whether a record would probably be taken: nothing is before it, and the lane has refused none since it had room.
     */
    @Guarded
    boolean isRoomy() {
        return sendStatus == Status.OK && !waits.isWaiting() && claim == null && lane.isReady()
            && (!starved || lane.hasRoom());
    }

    /** No more sends; those that wait are finished with the status, and counted as cut off if a close has begun. */
    @Guarded
    void refuseSends(final Status status) {
        if (sendStatus == Status.OK) {
            sendStatus = status;
        }
        final CloseReport refused = waits.refuse(status);
        loseClaim();
        if (closing && refused.cutRequests() > 0) {
            cut = cut.plus(refused);
        }
    }

    /** What the close has cut off since the last taking: it is reported once. */
    @Guarded
    CloseReport takeCut() {
        final CloseReport taken = cut;
        cut = CloseReport.CLEAN;
        return taken;
    }

    /** Whether a claim is open: then room is of no use to those who wait. */
    boolean isClaimed() {
        return claim != null;
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
        waits.forgetAskings();
        if (claim != null) {
            loseClaim();
            waits.goOnAnyhow();
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
        return closed && !disposed && (!waits.isWaiting() || !lingering || isLingerOver(nowNs));
    }

    boolean isDisposed() {
        return disposed;
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
        endNotice.handler(handler);
    }

    EndNotice endNotice() {
        return endNotice;
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
        return "endpoint peer=[" + peer + "] status=" + sendStatus + " pending=" + waits.count() + " paused=" + paused
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
