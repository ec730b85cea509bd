package io.heddle.worker;

import io.heddle.context.HeddleException;
import io.heddle.context.PoolElement;
import io.heddle.context.Status;
import io.heddle.context.internal.DispatchToken;
import io.heddle.context.internal.Guarded;
import io.heddle.context.spi.Lane;
import io.heddle.context.spi.ReceiveBatch;
import io.heddle.context.spi.ReceivedRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Collects a bounded batch of records under the guard, runs the handlers without it, and retires the batch in the next
 * round.
 *
 * <p>Confined to the holder of the dispatcher token; methods marked guarded need the guard as well.
 */
final class Dispatcher {
    private static final int BATCH = 256;
    private static final int PER_LANE = 64;
    /** So many collections that found records, at most, lie between two looks at a lane's control ring. */
    private static final int CONTROL_INTERVAL = 16;
    private static final ActiveMessageHandler[] NO_HANDLERS = new ActiveMessageHandler[0];

    private final WorkerCore core;
    private final DispatchToken token;
    private final KeptPools kept;
    private final LanePoller poller;
    private final WorkerCounts counts;
    private final ActiveMessage message;
    private final ReceiveBatch batch = new ReceiveBatch(BATCH);

    /** Of whom the batch has records: each once, with its run's bounds in itself; null if it was closed since. */
    private Connection[] inBatch = new Connection[8];
    private int runs;
    private boolean retirePending;
    private boolean isAnswerExpected;

    private final List<Connection> paused = new ArrayList<>();
    private Lane[] toSignal = new Lane[8];
    private int toSignalCount;
    private int nextFirst;
    /** Published by registration, under the guard; copied on change. */
    private volatile ActiveMessageHandler[] handlers = NO_HANDLERS;
    /** Ids told of once as having no handler. */
    private final BitSet droppedTold = new BitSet();

    Dispatcher(final WorkerCore core, final KeptPools kept, final LanePoller poller, final WorkerCounts counts) {
        this.core = core;
        this.token = core.token();
        this.kept = kept;
        this.poller = poller;
        this.counts = counts;
        message = new ActiveMessage(core);
    }

    @Guarded
    void register(final int id, final ActiveMessageHandler handler) {
        final ActiveMessageHandler[] now = handlers;
        final ActiveMessageHandler[] more = Arrays.copyOf(now, Math.max(now.length, id + 1));
        more[id] = handler;
        handlers = more;
    }

    boolean isRetirePending() {
        return retirePending;
    }

    // ---- collect and retire: under the guard

    /** Gives back what the last batch delivered; what was not delivered will be collected again. */
    @Guarded
    void retire() {
        if (!retirePending) {
            return;
        }
        retirePending = false;
        for (int r = 0; r < runs; r++) {
            final Connection connection = inBatch[r];
            inBatch[r] = null;
            if (connection != null && !connection.isDisposed()) {
                retireRun(connection.lane(), connection.runFrom, connection.runDelivered, connection.runTo);
            }
        }
        runs = 0;
        batch.clear();
    }

    @Guarded
    private void retireRun(final Lane lane, final int from, final int delivered, final int to) {
        if (delivered < to) {
            lane.rewind(batch, delivered, to);
        }
        if (delivered > from) {
            lane.retire(batch, from, delivered);
            roomMade(lane);
        }
    }

    /**
     * Takes what the lanes have received.
     *
     * @param found a lane that has received something, by the look before; null if it found none.
     */
    @Guarded
    void collect(final Connection found) {
        if (found == null) {
            return;
        }
        if (poller.isOnly(found)) { // not so if it was closed since
            collectFrom(found);
        } else {
            collectFromAll();
        }
        retirePending = runs > 0;
    }

    @Guarded
    private void collectFromAll() {
        poller.rotate();
        final int count = poller.activeCount();
        nextFirst = nextFirst + 1 < count ? nextFirst + 1 : 0;
        for (int i = 0; i < count && batch.room() > 0; i++) {
            final int index = nextFirst + i;
            final Connection connection = poller.active(index < count ? index : index - count);
            if (!collectFrom(connection)) {
                break; // the list of lanes has changed: the others come in the next round
            }
        }
    }

    /** False if the lane threw, and is no more. */
    @Guarded
    private boolean collectFrom(final Connection connection) {
        try {
            collectRecords(connection);
            return true;
        } catch (final RuntimeException | InternalError ex) {
            core.ending().broken(connection, ex);
            return false;
        }
    }

    @Guarded
    private void collectRecords(final Connection connection) {
        final Lane lane = connection.lane();
        int added = 0;
        if (!connection.isPaused()) {
            final int from = batch.size();
            added = lane.collect(batch, connection.turns.limit(Math.min(PER_LANE, batch.room())));
            if (added > 0) {
                addRun(connection, from, from + added);
                takeTurns(connection, added);
            }
        }
        // Not on the way of a message: when there was none, and now and then while there always is one.
        if ((added == 0 || (++connection.collections & CONTROL_INTERVAL - 1) == 0) && lane.control() > 0) {
            published(lane); // what was asked for has been answered: a sleeping peer is to hear of it
        }
    }

    @Guarded
    private void takeTurns(final Connection connection, final int records) {
        final boolean wasOn = connection.turns.isOn();
        final boolean isOn = connection.turns.received(records);
        if (isOn != wasOn) {
            connection.lane().takingTurns(isOn);
        }
        isAnswerExpected = isOn && poller.isOnly(connection);
    }

    /** Whether looking at the lanes is of no use for a moment: see {@link TurnTaking}. */
    boolean isAnswerExpected() {
        return isAnswerExpected && retirePending;
    }

    private void addRun(final Connection connection, final int from, final int to) {
        if (runs == inBatch.length) {
            inBatch = Arrays.copyOf(inBatch, runs * 2);
        }
        connection.quietRounds = 0;
        connection.runFrom = from;
        connection.runTo = to;
        connection.runDelivered = from;
        inBatch[runs++] = connection;
    }

    /** The lane's memory is about to go: nothing of it may be left in the batch. */
    @Guarded
    void forget(final Connection connection) {
        paused.remove(connection);
        for (int r = 0; r < runs; r++) {
            if (inBatch[r] == connection) {
                inBatch[r] = null;
                retireRun(connection.lane(), connection.runFrom, connection.runTo, connection.runTo);
            }
        }
    }

    /** Connections that asked to go on do. */
    @Guarded
    int resume() {
        int resumed = 0;
        for (int i = paused.size() - 1; i >= 0; i--) {
            final Connection connection = paused.get(i);
            if (connection.resumeIfAsked()) {
                paused.remove(i);
                poller.activate(connection);
                resumed++;
            }
        }
        return resumed;
    }

    /**
     * Whether a message waits for memory, which may be had at some time that nobody tells; whom {@link
     * #messageRoomMade()} concerns.
     */
    boolean hasStalled() {
        for (int i = 0; i < paused.size(); i++) { // by index: on the way of messages, nothing is allocated
            if (paused.get(i).isStalled()) {
                return true;
            }
        }
        return false;
    }

    /** There may be memory for long messages: whoever waits for it tries again. */
    void messageRoomMade() {
        for (int i = 0; i < paused.size(); i++) { // as above
            if (paused.get(i).isStalled()) {
                paused.get(i).resumeAsync();
            }
        }
    }

    /** Room was made on the lane: its peer may wait for it. */
    @Guarded
    void roomMade(final Lane lane) {
        if (lane.signalNeededForRoom()) {
            signalLater(lane);
        }
    }

    /** Something was published on the lane in this step. */
    @Guarded
    void published(final Lane lane) {
        if (lane.signalNeeded()) {
            signalLater(lane);
        }
    }

    private void signalLater(final Lane lane) {
        if (toSignalCount == toSignal.length) {
            toSignal = Arrays.copyOf(toSignal, toSignalCount * 2);
        }
        toSignal[toSignalCount++] = lane;
    }

    // ---- dispatch: no lock held

    /** Runs the handlers of the batch and tells what was deferred. How much was delivered. */
    int dispatch(final int deferredCount) {
        while (toSignalCount > 0) {
            final Lane lane = toSignal[--toSignalCount];
            toSignal[toSignalCount] = null;
            lane.signal();
        }
        if (runs == 0 && deferredCount == 0) {
            return 0;
        }
        int delivered = 0;
        token.enterCallback();
        try {
            for (int r = 0; r < runs; r++) {
                delivered += deliverRun(inBatch[r]);
            }
        } finally {
            try {
                tellAll(deferredCount);
            } finally {
                token.exitCallback();
            }
        }
        return delivered + deferredCount;
    }

    private int deliverRun(final Connection connection) {
        final int from = connection.runFrom;
        final int to = connection.runTo;
        final ActiveMessageHandler[] table = handlers;
        connection.forgetResume();
        int i = from;
        while (i < to && deliver(connection, table, batch.record(i))) {
            i++;
            connection.runDelivered = i;
        }
        if (i < to && !connection.isPaused()) {
            connection.pause();
            paused.add(connection);
        }
        return i - from;
    }

    /**
     * As {@link #deliverChecked}; what is thrown there was not the handler's doing: memory of the lane is gone. Then
     * this connection ends and the others go on.
     */
    private boolean deliver(final Connection connection, final ActiveMessageHandler[] table,
        final ReceivedRecord record) {
        try {
            return deliverChecked(connection, table, record);
        } catch (final RuntimeException | InternalError ex) {
            return violated(connection, "the record cannot be read: " + ex);
        }
    }

    /** False if the record stays: postponed, or no memory for it yet. */
    private boolean deliverChecked(final Connection connection, final ActiveMessageHandler[] table,
        final ReceivedRecord record) {
        if (connection.isClosed() || connection.isSilenced()) {
            counts.dropped++;
            return true;
        }
        final long meta = record.meta;
        final int length = record.length;
        if (record.type == ActiveMessageMeta.TYPE_ONLY) {
            final int headerBytes = ActiveMessageMeta.headerBytes(meta);
            final int dataBytes = ActiveMessageMeta.payloadBytes(meta);
            if (ActiveMessageMeta.recordBytes(dataBytes, headerBytes) != length) {
                return violated(connection, "length=" + length + " headerBytes=" + headerBytes + " payloadBytes="
                    + dataBytes);
            }
            final long address = record.address;
            return handle(connection, table, meta, address, dataBytes, address
                + (headerBytes == 0 ? 0 : length - headerBytes),
                record.element);
        }
        return deliverFragment(connection, table, record, meta, length);
    }

    private boolean handle(final Connection connection, final ActiveMessageHandler[] table, final long meta,
        final long address,
        final int dataBytes, final long headerAddress, final PoolElement element) {
        final int id = ActiveMessageMeta.id(meta);
        final ActiveMessageHandler handler = id < table.length ? table[id] : null;
        if (handler == null) {
            return drop(connection, id);
        }
        final ActiveMessage current = message;
        current.begin(connection, meta, address, dataBytes, headerAddress, element);
        boolean isPostponed = false;
        try {
            handler.onMessage(current);
        } catch (final Throwable ex) {
            counts.callbacksFailed++;
            core.reports().error(connection, Status.CANCELED, ex);
        } finally {
            isPostponed = current.end();
        }
        if (isPostponed) {
            counts.postponed++;
            return false;
        }
        counts.messagesReceived++;
        counts.bytesReceived += dataBytes;
        return true;
    }

    private boolean drop(final Connection connection, final int id) {
        counts.dropped++;
        if (!droppedTold.get(id)) {
            droppedTold.set(id);
            core.reports().error(connection, Status.NO_ELEM,
                new HeddleException(Status.NO_ELEM, "message dropped: no handler for id=" + id + " "
                + connection));
        }
        return true;
    }

    private boolean deliverFragment(final Connection connection, final ActiveMessageHandler[] table,
        final ReceivedRecord record,
        final long meta,
        final int length) {
        final Reassembly reassembly = connection.reassembly();
        if (record.type == ActiveMessageMeta.TYPE_FIRST) {
            if (reassembly.isOpen() || connection.isSkipping()) {
                return violated(connection, "a first fragment within a message");
            }
            return begin(connection, record, meta, length) || connection.isSkipping();
        }
        if (record.type != ActiveMessageMeta.TYPE_MORE) {
            return violated(connection, "type=" + record.type);
        }
        if (connection.isSkipping()) {
            connection.skip(length);
            return true;
        }
        if (!reassembly.isOpen()) {
            return violated(connection, "fragment without a first one");
        }
        if (!reassembly.isComplete() && !reassembly.add(ActiveMessageMeta.payloadBytes(meta), record.address,
            length)) {
            return violated(connection, "fragment offset=" + ActiveMessageMeta.payloadBytes(meta) + " length="
                + length);
        }
        return !reassembly.isComplete() || complete(connection, table, reassembly);
    }

    /**
     * The first fragment of a long message: takes memory for the whole of it. False if there is none now or the
     * message is refused.
     */
    private boolean begin(final Connection connection, final ReceivedRecord record, final long meta, final int length) {
        final int headerBytes = ActiveMessageMeta.headerBytes(meta);
        final int total = ActiveMessageMeta.payloadBytes(meta);
        final int here = headerBytes == 0 ? length : length - headerBytes & -8;
        if (headerBytes > ActiveMessageMeta.MAX_HEADER_BYTES || here < 0 || here >= total
            || ActiveMessageMeta.recordBytes(here, headerBytes) != length) {
            return violated(connection, "first fragment length=" + length + " headerBytes=" + headerBytes
                + " payloadBytes=" + total);
        }
        if (total > kept.messageMaxBytes()) {
            counts.dropped++;
            connection.skipping(total - here);
            core.reports().error(connection, Status.EXCEEDS_LIMIT, new HeddleException(Status.EXCEEDS_LIMIT,
                "message dropped: lengthBytes=" + total + " must be <= heddle.message.max="
                + kept.messageMaxBytes()));
            return false;
        }
        final PoolElement element = core.keeping().takeMessage(connection, total);
        if (element == null) {
            connection.stalled(true);
            return false;
        }
        connection.stalled(false);
        final Reassembly reassembly = connection.reassembly();
        reassembly.open(element, meta, record.address + length - headerBytes);
        return here == 0 || reassembly.add(0, record.address, here);
    }

    private boolean complete(final Connection connection, final ActiveMessageHandler[] table,
        final Reassembly reassembly) {
        final PoolElement element = reassembly.element();
        if (!handle(connection, table, reassembly.meta(), element.address(), reassembly.totalBytes(),
            reassembly.headerAddress(), element)) {
            return false;
        }
        reassembly.close();
        core.keeping().dropMessage(element);
        return true;
    }

    private boolean violated(final Connection connection, final String field) {
        counts.protocolViolations++;
        core.ending().violated(connection, field);
        return true;
    }

    // ---- telling

    /** As the second half of {@link #dispatch}: for a closing worker. */
    void tell(final int deferredCount) {
        token.enterCallback();
        try {
            tellAll(deferredCount);
        } finally {
            token.exitCallback();
        }
    }

    private void tellAll(final int deferredCount) {
        for (int i = 0; i < deferredCount; i++) {
            final Deferred each = core.deferredTaken(i);
            try {
                each.tell();
            } catch (final Throwable ex) {
                counts.callbacksFailed++;
                core.reports().error(each.connection(), Status.CANCELED, ex);
            }
        }
    }
}
