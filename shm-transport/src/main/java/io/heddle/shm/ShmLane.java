package io.heddle.shm;

import static io.heddle.shm.LaneLayout.CLASSES;
import static io.heddle.shm.LaneLayout.MAX_DESCRIPTOR_BYTES;
import static io.heddle.shm.LaneLayout.SLOT_PAYLOAD_BYTES;
import static io.heddle.shm.LaneLayout.SLOT_PAYLOAD_OFFSET;

import io.heddle.context.PoolElement;
import io.heddle.context.Status;
import io.heddle.context.spi.Lane;
import io.heddle.context.spi.ReceiveBatch;
import io.heddle.context.spi.WaitState;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;

/**
 * One connection over shared memory: two directions of a segment, of which this side writes one and reads the other.
 *
 * <p>Confined to the worker's guard, with the exceptions that {@link Lane} names. The class is longer than most because
 * it is the whole of the SPI's {@code Lane}; rings, credits and pools are classes of their own.
 */
final class ShmLane implements Lane {
    private static final int REFUSED_NOTHING = 0;
    private static final int REFUSED_NOT_READY = 1;
    private static final int REFUSED_RING = 2;
    private static final int REFUSED_CREDIT = 3;

    private final ShmInterface owner;
    private Object attachment;
    private LaneLink link;
    private MappedSegment segment;
    private Geometry geometry;
    private String peer = "(connecting)";

    private RecordWriter writer;
    private RecordReader reader;
    private ControlRing control;
    private LentPools lent;
    private BorrowedDescriptors borrowed;
    private long peerWaitAddress;
    private long ownWaitAddress;
    private long signalledWord;

    private final LaneReservation reservation = new LaneReservation();
    /** Kept, since making it anew at every poll allocates where the compiler does not see through it. */
    private final ControlRing.Sink controlSink = this::onControl;
    private int inlineMaxBytes;
    private int ringMaxBytes;
    private final boolean[] wanted = new boolean[CLASSES];
    private final boolean[] refusedByPeer = new boolean[CLASSES];
    private int refused;
    private int refusedLeast;
    private int refusedClass;
    /** The peer has refused a class since a send was refused for want of credit: it may go another way now. */
    private boolean isRefusalNews;

    /** Written under the guard; also read by any thread. */
    private volatile boolean ready;
    /** Smaller while the peer can lend no descriptor of the largest class. As {@link #ready}. */
    private volatile int maxFragmentBytes = MAX_DESCRIPTOR_BYTES;
    private boolean finished;
    private boolean finishPending;
    private boolean disposed;
    private boolean drained;
    private Status goneStatus;
    private String goneReason;
    /** Whether the listener knows: it hears of the drained lane afterwards. */
    private boolean goneTold;
    private boolean isMemoryLost;

    ShmLane(final ShmInterface owner) {
        this.owner = owner;
    }

    // ---- told by the interface, within step

    void open(final MappedSegment mapped, final Geometry g, final boolean creator, final LaneLink laneLink,
        final String peerText) {
        link = laneLink;
        segment = mapped;
        geometry = g;
        peer = peerText;
        final long first = mapped.address() + SegmentHeader.HEADER_BYTES;
        final long second = first + g.directionBytes();
        final long out = creator ? first : second;
        final long in = creator ? second : first;
        lent = new LentPools(owner, this, laneLink, new LentDescriptors(in, g));
        reader = new RecordReader(in, g, lent.descriptors());
        writer = new RecordWriter(out, g);
        control = new ControlRing(out, in, g);
        borrowed = new BorrowedDescriptors(out, g);
        peerWaitAddress = out + LaneLayout.WAIT_STATE_OFFSET;
        ownWaitAddress = in + LaneLayout.WAIT_STATE_OFFSET;
        ringMaxBytes = LaneLayout.maxRingRecordBytes(g);
        inlineMaxBytes = Math.min(owner.inlineMaxBytes(), ringMaxBytes);
        ready = goneStatus == null;
        waitState(owner.currentWaitState());
    }

    /** The peer is gone, or never came. Told on once. Within step, collect or control only. */
    void failed(final Status status, final String reason) {
        if (goneStatus == null) {
            gone(status, reason);
            tellGone();
        }
    }

    /**
     * As {@link #failed}, found out by a call that the listener must not be told from: a sender's, which has the guard
     * but not the dispatcher's token. Told by the next step.
     */
    private Status failedOutsideStep(final Status status, final String reason) {
        if (goneStatus == null) {
            gone(status, reason);
            owner.post(this::tellGone, () -> { });
        }
        return goneStatus;
    }

    private void gone(final Status status, final String reason) {
        goneStatus = status;
        goneReason = reason;
        ready = false;
        if (reader != null) {
            reader.endWithin(geometry.slots());
        }
    }

    private void tellGone() {
        goneTold = true;
        if (!disposed) {
            owner.listener().onPeerGone(this, goneStatus, goneReason);
        }
    }

    void growthMapped(final int firstId, final int count, final long elementBytes, final MappedSegment chunk) {
        if (disposed) {
            link.unmap(chunk);
        } else {
            lent.mapped(firstId, count, (int) elementBytes, chunk);
            if (signalNeededForRoom()) {
                owner.signalSoon(link); // the peer was woken for the chunk before the credits were written
            }
        }
    }

    void peerGrowthMapped(final int firstId, final int count, final long elementBytes, final MappedSegment chunk) {
        final boolean sane = elementBytes >= LaneLayout.classBytes(0) && elementBytes <= MAX_DESCRIPTOR_BYTES
            && Long.bitCount(elementBytes) == 1 && count * elementBytes <= chunk.bytes();
        if (!sane || disposed || !borrowed.add(firstId, count, LaneLayout.classOf((int) elementBytes),
            chunk.address())) {
            link.unmap(chunk);
            if (!disposed) {
                violated("growth firstId=" + firstId + " count=" + count + " elementBytes=" + elementBytes);
            }
            return;
        }
        refusedByPeer(LaneLayout.classOf((int) elementBytes), false);
        wanted[LaneLayout.classOf((int) elementBytes)] = false;
        reservation.chunks().add(chunk);
    }

    private void refusedByPeer(final int sizeClass, final boolean isRefused) {
        refusedByPeer[sizeClass] = isRefused;
        isRefusalNews |= isRefused;
        if (sizeClass == CLASSES - 1) {
            maxFragmentBytes = isRefused && borrowed.mapped(sizeClass) == 0 ? ringMaxBytes : MAX_DESCRIPTOR_BYTES;
        }
    }

    void growthRefused(final long elementBytes, final String reason) {
        lent.refused((int) elementBytes, reason);
    }

    void growthDue() {
        if (ready) {
            lent.growthDue();
        }
    }

    /** What the receive pools of the interface may take has become more. */
    void budgetFreed() {
        if (ready) {
            lent.budgetFreed();
        }
    }

    void peerGrowthRefused(final long elementBytes) {
        if (elementBytes >= LaneLayout.classBytes(0) && elementBytes <= MAX_DESCRIPTOR_BYTES) {
            refusedByPeer(LaneLayout.classOf((int) elementBytes), true);
        }
    }

    void waitState(final long state) {
        if (ready || goneStatus != null && ownWaitAddress != 0 && !disposed && !isMemoryLost) {
            try {
                // Partner: the peer's look in signalNeeded.
                UnsafeApi.putLongRelease(null, ownWaitAddress, state);
            } catch (final InternalError ex) {
                fault(ex);
            }
        }
    }

    boolean isDisposed() {
        return disposed;
    }

    /** Within step, collect or control. */
    private void violated(final String field) {
        failed(Status.PROTOCOL_VIOLATION, broken(field));
        link.close();
    }

    /** By a sender. */
    private Status violatedOutsideStep(final String field) {
        failedOutsideStep(Status.PROTOCOL_VIOLATION, broken(field));
        link.close();
        return goneStatus;
    }

    private String broken(final String field) {
        return "the peer broke the layout's rules: " + field + " peer=" + peer;
    }

    /**
     * The segment's memory is not there any more: nothing of it is touched again. Told by the next step, wherever it
     * was found out.
     */
    private Status fault(final InternalError error) {
        isMemoryLost = true;
        if (lent != null) {
            lent.descriptors().stop();
        }
        return failedOutsideStep(Status.SHMEM_SEGMENT, "memory of the segment is gone: " + error.getMessage()
            + " peer=" + peer);
    }

    // ---- Lane

    @Override
    public Object attachment() {
        return attachment;
    }

    @Override
    public void attachment(final Object object) {
        attachment = object;
    }

    @Override
    public boolean isReady() {
        return ready;
    }

    @Override
    public boolean hasReceived() {
        if (reader == null || disposed || isMemoryLost) {
            return goneStatus != null && !drained && !disposed;
        }
        try {
            return reader.hasRecord() || control.hasRecord() || goneStatus != null && !drained;
        } catch (final InternalError ex) {
            return true; // control() meets it again, and ends the lane
        }
    }

    @Override
    public boolean hasControl() {
        if (control == null || disposed || isMemoryLost) {
            return goneTold && !drained && !disposed; // nothing can be collected any more
        }
        try {
            return control.hasRecord();
        } catch (final InternalError ex) {
            return true; // as in hasReceived
        }
    }

    @Override
    public boolean hasRoom() {
        if (!ready) {
            return goneStatus != null;
        }
        try {
            if (refused == REFUSED_CREDIT) {
                return isRefusalNews || hasCredit();
            }
            return refused != REFUSED_RING || writer.headMoved();
        } catch (final InternalError ex) {
            return true; // the send that is tried then meets it again, and ends the lane
        }
    }

    /** Of the class that was wanted, or of a smaller one that was asked for first. */
    private boolean hasCredit() {
        boolean found = false;
        for (int i = refusedLeast; i <= refusedClass && !found; i++) {
            found = borrowed.hasCredit(i);
        }
        return found;
    }

    @Override
    public int control() {
        int handled = 0;
        boolean isEmpty = true;
        if (control != null && !disposed && !isMemoryLost) {
            try {
                if (finishPending) {
                    finish();
                }
                handled = control.poll(controlSink);
                if (control.violation() != null && goneStatus == null) {
                    violated(control.violation());
                }
                isEmpty = !reader.hasRecord();
            } catch (final InternalError ex) {
                fault(ex);
            }
        }
        if (goneTold && !drained && isEmpty) {
            drained = true;
            if (lent != null) {
                reader.endWithin(0);
                lent.descriptors().reclaimLent();
            }
            owner.listener().onDrained(this);
            handled++;
        }
        return handled;
    }

    private void onControl(final int kind, final long meta) {
        if (kind == LaneLayout.CONTROL_WANT) {
            if (meta < 0 || meta >= CLASSES) {
                violated("wanted class=" + meta);
            } else if (!lent.wanted((int) meta)) {
                control.offer(LaneLayout.CONTROL_REFUSED, meta);
            }
        } else if (kind == LaneLayout.CONTROL_REFUSED) {
            if (meta >= 0 && meta < CLASSES) {
                refusedByPeer((int) meta, true);
            } else {
                violated("refused class=" + meta);
            }
        } else if (kind == LaneLayout.CONTROL_FIN) {
            final long left = meta - reader.position();
            if (left < 0 || left > geometry.slots()) {
                violated("final tail=" + meta + " position=" + reader.position());
            } else {
                reader.endWithin((int) left);
                failed(Status.CONNECTION_RESET, "the peer closed the connection peer=" + peer);
            }
        } else {
            violated("control kind=" + kind);
        }
    }

    @Override
    public int collect(final ReceiveBatch batch, final int limit) {
        if (reader == null || disposed || isMemoryLost) {
            return 0;
        }
        final int before = batch.size();
        try {
            reader.collect(batch, Math.min(limit, batch.room()));
        } catch (final InternalError ex) {
            fault(ex);
        }
        if (reader.violation() != null && goneStatus != Status.PROTOCOL_VIOLATION) {
            violated(reader.violation());
        }
        return batch.size() - before;
    }

    @Override
    public void retire(final ReceiveBatch batch, final int from, final int to) {
        try {
            reader.retire(batch, from, to);
        } catch (final InternalError ex) {
            fault(ex);
            reader.dropElements(batch, from, to); // the others of the batch
        }
        final int kept = reader.takeKept();
        if (kept != 0) {
            owner.held(kept);
            lendMoreInstead();
        }
    }

    private void lendMoreInstead() {
        if (ready) {
            try {
                lent.kept();
            } catch (final InternalError ex) {
                fault(ex);
            }
        }
    }

    @Override
    public void rewind(final ReceiveBatch batch, final int from, final int to) {
        reader.rewind(batch, from, to);
    }

    @Override
    public void recycle(final PoolElement element) {
        owner.held(-1);
        lent.descriptors().cameBack(element);
        if (disposed || goneStatus != null) {
            lent.putBack(element);
        } else {
            try {
                lent.descriptors().recycle(element);
            } catch (final InternalError ex) {
                fault(ex); // the element is lent all the same, and taken back with the others
            }
        }
    }

    @Override
    public boolean keepsInPlace(final PoolElement element) {
        return lent.mayKeep(element);
    }

    @Override
    public void takingTurns(final boolean isOn) {
        writer.takingTurns(isOn);
    }

    @Override
    public int maxFragmentBytes() {
        return maxFragmentBytes;
    }

    @Override
    public int maxInlineBytes() {
        return ringMaxBytes;
    }

    @Override
    public Status send(final int type, final long meta, final DirectBuffer data, final int dataOffset,
        final int dataLength,
        final DirectBuffer header, final int headerLength) {
        LaneMemory.check(data, dataOffset, dataLength);
        LaneMemory.check(header, 0, headerLength);
        final int headerAt = headerLength == 0 ? dataLength : LaneMemory.align8(dataLength);
        final int length = headerAt + headerLength;
        final RecordWriter out = writer;
        if (!ready || reservation.isOpen() || !out.hasSlot()) {
            return refuse();
        }
        try {
            if (length <= SLOT_PAYLOAD_BYTES) {
                copy(out.slot() + SLOT_PAYLOAD_OFFSET, data, dataOffset, dataLength, header, headerAt, headerLength);
                out.publishInSlot(type, meta, length);
                return Status.OK;
            }
            return sendElsewhere(type, meta, data, dataOffset, dataLength, header, headerAt, headerLength);
        } catch (final InternalError ex) {
            return fault(ex);
        }
    }

    private Status sendElsewhere(final int type, final long meta, final DirectBuffer data, final int dataOffset,
        final int dataLength,
        final DirectBuffer header, final int headerAt, final int headerLength) {
        final int length = headerAt + headerLength;
        final Status status = place(length);
        if (status == Status.OK) {
            boolean copied = false;
            try {
                copy(reservation.address(), data, dataOffset, dataLength, header, headerAt, headerLength);
                copied = true;
            } finally {
                if (!copied) {
                    abandon();
                }
            }
            reservation.close();
            writer.publishElsewhere(reservation.kind(), type, meta, reservation.reference(), length);
        }
        return status;
    }

    private static void copy(final long target, final DirectBuffer data, final int dataOffset, final int dataLength,
        final DirectBuffer header, final int headerAt, final int headerLength) {
        if (dataLength != 0) {
            LaneMemory.copy(data, dataOffset, target, dataLength);
        }
        if (headerLength != 0) {
            LaneMemory.copy(header, 0, target + headerAt, headerLength);
        }
    }

    @Override
    public Status reserve(final int length) {
        if (!ready || reservation.isOpen() || !writer.hasSlot()) {
            return refuse();
        }
        try {
            if (length <= SLOT_PAYLOAD_BYTES) {
                reservation.open(LaneLayout.KIND_SLOT, writer.slot() + SLOT_PAYLOAD_OFFSET, 0, writer.mark());
                return Status.OK;
            }
            return place(length);
        } catch (final InternalError ex) {
            return fault(ex);
        }
    }

    /** Opens a reservation in the byte ring or in a descriptor. */
    private Status place(final int length) {
        if (length <= inlineMaxBytes) {
            return placeInRing(length);
        }
        if (length > MAX_DESCRIPTOR_BYTES) {
            throw new IllegalArgumentException("lengthBytes=" + length + " must be <= maxFragmentBytes="
                + maxFragmentBytes());
        }
        final int least = LaneLayout.classOf(length);
        int sizeClass = least;
        int id = borrowed.take(sizeClass);
        while (id < 0 && refusedByPeer[sizeClass] && sizeClass < CLASSES - 1) {
            sizeClass++;
            id = borrowed.take(sizeClass);
        }
        if (id >= 0) {
            wanted[sizeClass] = false;
            reservation.open(LaneLayout.KIND_DESCRIPTOR, borrowed.address(id), id, writer.mark());
            return Status.OK;
        }
        if (borrowed.violation() != null) {
            return violatedOutsideStep(borrowed.violation());
        }
        if (refusedByPeer[least] && length <= ringMaxBytes) {
            return placeInRing(length);
        }
        want(sizeClass);
        if (control.violation() != null) {
            return violatedOutsideStep(control.violation());
        }
        refused = REFUSED_CREDIT;
        refusedLeast = least;
        refusedClass = sizeClass;
        isRefusalNews = false;
        return Status.NO_RESOURCE;
    }

    private Status placeInRing(final int length) {
        final long mark = writer.mark();
        final int offset = writer.allocate(LaneMemory.align8(length));
        if (offset < 0) {
            return refuse();
        }
        reservation.open(LaneLayout.KIND_RING, writer.ringAddress(offset), offset, mark);
        return Status.OK;
    }

    private void want(final int sizeClass) {
        if (!wanted[sizeClass]) {
            wanted[sizeClass] = control.offer(LaneLayout.CONTROL_WANT, sizeClass);
        }
    }

    private Status refuse() {
        if (goneStatus != null) {
            return goneStatus;
        }
        if (!ready) {
            refused = REFUSED_NOT_READY;
            return Status.NO_RESOURCE;
        }
        if (writer.violation() != null) {
            return violatedOutsideStep(writer.violation());
        }
        refused = reservation.isOpen() ? REFUSED_NOTHING : REFUSED_RING;
        return Status.NO_RESOURCE;
    }

    @Override
    public long reservedAddress() {
        return reservation.address();
    }

    @Override
    public Status publish(final int type, final long meta, final int length) {
        reservation.close();
        if (!ready) {
            return goneStatus;
        }
        try {
            if (reservation.kind() == LaneLayout.KIND_SLOT) {
                writer.publishInSlot(type, meta, length);
            } else {
                writer.publishElsewhere(reservation.kind(), type, meta, reservation.reference(), length);
            }
            return Status.OK;
        } catch (final InternalError ex) {
            return fault(ex);
        }
    }

    @Override
    public void abandon() {
        if (reservation.isOpen()) {
            reservation.close();
            writer.restore(reservation.mark());
            if (reservation.kind() == LaneLayout.KIND_DESCRIPTOR) {
                borrowed.putBack((int) reservation.reference());
            }
        }
    }

    @Override
    public int unretired() {
        return writer == null || disposed || isMemoryLost ? 0 : writer.unretired();
    }

    @Override
    public boolean signalNeeded() {
        if (!ready) {
            return false;
        }
        try {
            // Opaque: POLLING needs no fence, since a reader leaves it well before it sleeps.
            return UnsafeApi.getLongOpaque(null, peerWaitAddress) != WaitState.POLLING && signalNow(false);
        } catch (final InternalError ex) {
            fault(ex);
            return false;
        }
    }

    @Override
    public boolean signalNeededForRoom() {
        if (!ready) {
            return false;
        }
        try {
            // Opaque: as in signalNeeded.
            return UnsafeApi.getLongOpaque(null, peerWaitAddress) != WaitState.POLLING && signalNow(true);
        } catch (final InternalError ex) {
            fault(ex);
            return false;
        }
    }

    private boolean signalNow(final boolean forRoom) {
        // Orders our publication before the look; the reader fences between its word and its last look at the lane.
        UnsafeApi.fullFence();
        final long word = UnsafeApi.getLongAcquire(null, peerWaitAddress);
        if (word < WaitState.ARMED || word == signalledWord || forRoom && (word & 1) == 0) {
            return false;
        }
        signalledWord = word;
        return true;
    }

    @Override
    public void signal() {
        link.signal();
    }

    @Override
    public boolean endIfMemoryLost() {
        if (segment == null || disposed || isMemoryLost) {
            return false;
        }
        if (segment.isBacked() && reservation.chunks().stream().allMatch(MappedSegment::isBacked)) {
            return false;
        }
        fault(new InternalError("a page of the segment has no memory"));
        return true;
    }

    @Override
    public void finish() {
        if (finished && !finishPending) {
            return;
        }
        finished = true;
        try {
            finishPending = ready && !control.offer(LaneLayout.CONTROL_FIN, writer.tail());
        } catch (final InternalError ex) {
            finishPending = false;
            fault(ex);
        }
        if (link != null && !finishPending) {
            link.finish();
        }
    }

    @Override
    public void dispose() {
        if (disposed) {
            return;
        }
        disposed = true;
        ready = false;
        if (link != null) {
            lent.descriptors().stop();
            reader.dropParked();
            owner.held(reader.takeKept());
            lent.dispose();
            for (final MappedSegment chunk : reservation.chunks()) {
                link.unmap(chunk);
            }
            link.unmap(segment);
            link.close();
        }
        owner.disposed(this);
    }

    @Override
    public String describe() {
        final LentPools pools = lent; // any thread may ask, also while it opens
        final RecordWriter out = writer;
        if (geometry == null || pools == null || out == null) {
            return "transport=shm state=" + (goneStatus == null ? "connecting" : goneStatus + " reason=" + goneReason);
        }
        return "transport=shm peer=" + peer + " state=" + (disposed ? "disposed" : goneStatus == null ? "open"
            : goneStatus.toString())
            + (goneReason == null ? "" : " reason=" + goneReason) + " slots=" + geometry.slots() + " ringBytes="
            + geometry.ringBytes()
            + " inlineMaxBytes=" + inlineMaxBytes + " unretired=" + out.lastUnretired()
            + " segmentBytes=" + geometry.segmentBytes() + waiting()
            + pools.describe();
    }

    private String waiting() {
        return switch (refused) {
            case REFUSED_RING -> " lastRefusal=ring";
            case REFUSED_CREDIT -> " lastRefusal=credit classBytes=" + LaneLayout.classBytes(refusedClass);
            case REFUSED_NOT_READY -> " lastRefusal=connecting";
            default -> "";
        };
    }

    /** Names the peer: the holder in a leak report. */
    @Override
    public String toString() {
        return "shm-lane[" + peer + ']';
    }
}
