package io.heddle.tests.loop;

import io.heddle.context.PoolElement;
import io.heddle.context.Status;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * One direction of a connection: a bounded ring of records in private direct memory, and the descriptors that the
 * reader has lent.
 *
 * <pre>
 *   freed &lt;= retired &lt;= collected &lt;= visible &lt;= published, each a count of records since the start
 * </pre>
 *
 * <p>Thread safe: one monitor, a leaf. Nothing of the worker is called while it is held.
 */
final class Wire {
    /** What retired slots are filled with, so that a late reader is found out. */
    private static final byte POISON = (byte) 0xDD;

    private final SteeredSettings settings;
    private final Steering writer;
    private final Steering reader;
    private final Slot[] slots;
    private final ByteBuffer memory;
    /** Run, with the monitor held, when a reservation ends that outlived the reader. */
    private final Runnable strayBack;
    private final ArrayDeque<PoolElement> credits = new ArrayDeque<>();
    private final ArrayDeque<PoolElement> heldCredits = new ArrayDeque<>();
    private long freed;
    private long retired;
    private long collected;
    private long visible;
    private long published;
    private Slot reserved;
    private PoolElement reservedElement;
    private int reservedLength;
    private boolean wantsRoom;
    private boolean wantsCredit;
    private boolean readerDisposed;
    /** What the writer is answered from now on, or null while it may write. */
    private Status closed;

    Wire(final SteeredSettings settings, final Steering writer, final Steering reader, final Runnable strayBack) {
        this.strayBack = strayBack;
        this.settings = settings;
        this.writer = writer;
        this.reader = reader;
        final int stride = (int) BitUtil.align((long) settings.maxInlineBytes() + Long.BYTES, 64L);
        memory = BufferUtil.allocateDirectAligned(stride * settings.ringRecords(), 64);
        slots = new Slot[settings.ringRecords()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new Slot(BufferUtil.address(memory) + (long) i * stride, stride);
        }
    }

    // ---- the writer's side

    /** Copies and publishes one record, or refuses it for want of room. */
    synchronized Status send(final int type, final long meta, final DirectBuffer data, final int dataOffset,
        final int dataLength, final DirectBuffer header, final int headerLength) {
        final int length = headerLength == 0 ? dataLength : BitUtil.align(dataLength, Long.BYTES) + headerLength;
        final Status status = reserve(length);
        if (status != Status.OK) {
            return status;
        }
        final UnsafeBuffer target = new UnsafeBuffer(reservedAddress(), length);
        if (dataLength > 0) {
            target.putBytes(0, data, dataOffset, dataLength);
        }
        if (headerLength > 0) {
            target.setMemory(dataLength, BitUtil.align(dataLength, Long.BYTES) - dataLength, (byte) 0);
            target.putBytes(BitUtil.align(dataLength, Long.BYTES), header, 0, headerLength);
        }
        return publish(type, meta, length);
    }

    /** Fixes the place of the next record. */
    synchronized Status reserve(final int length) {
        if (length < 0 || length > settings.maxFragmentBytes()) {
            throw new IllegalArgumentException(
                "length=" + length + " must be >= 0 and <= maxFragmentBytes=" + settings.maxFragmentBytes());
        }
        if (closed != null) {
            return closed;
        }
        if (reserved != null || published - freed == slots.length) {
            return refuse(length);
        }
        PoolElement element = null;
        if (length > settings.inlineBytes()) {
            element = credits.poll();
            if (element == null && length > settings.maxInlineBytes()) {
                return refuse(length);
            }
        }
        wantsRoom = false;
        wantsCredit &= length <= settings.maxInlineBytes();
        reserved = slot(published);
        reservedElement = element;
        reservedLength = length;
        return Status.OK;
    }

    /** Notes that a record of this length was refused for want of room. */
    synchronized Status refuse(final int length) {
        wantsRoom = true;
        wantsCredit |= length > settings.maxInlineBytes();
        return Status.NO_RESOURCE;
    }

    synchronized long reservedAddress() {
        requireReservation();
        return reservedElement == null ? reserved.address : reservedElement.address();
    }

    /** Publishes the open reservation, or gives it up if the wire was closed meanwhile. */
    synchronized Status publish(final int type, final long meta, final int length) {
        requireReservation();
        if (closed != null) {
            abandon();
            return closed;
        }
        if (length < 0 || length > reservedLength) {
            throw new IllegalArgumentException("length=" + length + " must be >= 0 and <= reserved=" + reservedLength);
        }
        reserved.fill(type, meta, length, reservedElement, SteeredNetwork.nextSequence());
        reserved = null;
        reservedElement = null;
        published++;
        reconsider();
        return Status.OK;
    }

    /** Nothing more is published, and the writer is answered this; first one wins. */
    synchronized void close(final Status answer) {
        closed = closed == null ? answer : closed;
    }

    /** Gives the open reservation up; its descriptor is used for the next record. */
    synchronized void abandon() {
        requireReservation();
        if (reservedElement != null) {
            if (readerDisposed) {
                strayBack.run();
            } else {
                credits.addFirst(reservedElement);
            }
        }
        reserved = null;
        reservedElement = null;
    }

    synchronized boolean isReserved() {
        return reserved != null;
    }

    synchronized int unretired() {
        return (int) (published - retired);
    }

    /** Whether something was refused that would be accepted now. */
    synchronized boolean hasRoom() {
        return (wantsRoom || wantsCredit) && closed == null && reserved == null && published - freed < slots.length &&
            (!wantsCredit || !credits.isEmpty());
    }

    // ---- the reader's side

    synchronized boolean hasVisible() {
        return collected < visible;
    }

    /** Whether every record that was published has been collected. */
    synchronized boolean isDrained() {
        return collected == published;
    }

    /** The next visible record, whose place is the reader's until it is retired, or null. */
    synchronized Slot collect() {
        return collected == visible ? null : slot(collected++);
    }

    /** Takes the newest collected record back: it will be collected again. */
    synchronized void rewind(final long address) {
        if (collected == retired || slot(collected - 1).payload() != address) {
            throw new IllegalStateException("rewind out of order: collected=" + collected + " retired=" + retired);
        }
        collected--;
    }

    /** The oldest collected record, which is about to be retired. */
    synchronized Slot oldest(final long address) {
        if (collected == retired || slot(retired).payload() != address) {
            throw new IllegalStateException("retire out of order: collected=" + collected + " retired=" + retired);
        }
        return slot(retired);
    }

    /** Gives the room of the oldest collected record back. */
    synchronized void retire() {
        slot(retired).clear();
        retired++;
        reconsider();
    }

    /** Adds a LENT element to those the writer may use. */
    synchronized void lend(final PoolElement element) {
        heldCredits.add(element);
        reconsider();
    }

    /** Forgets what was published and not collected, and takes its descriptors, and all unused ones, out. */
    synchronized void cut(final ArrayDeque<PoolElement> lent) {
        close(Status.CONNECTION_RESET);
        for (long i = collected; i < published; i++) {
            final Slot slot = slot(i);
            if (slot.element != null) {
                lent.add(slot.element);
            }
            slot.clear();
        }
        published = collected;
        visible = collected;
        lent.addAll(credits);
        lent.addAll(heldCredits);
        credits.clear();
        heldCredits.clear();
    }

    /**
     * The reader will never look again.
     *
     * @return the element of the writer's open reservation, or null; the wire tells when the writer has let go of it.
     */
    synchronized PoolElement disposeReader(final ArrayDeque<PoolElement> lent) {
        cut(lent);
        for (long i = retired; i < collected; i++) {
            final Slot slot = slot(i);
            if (slot.element != null) {
                lent.add(slot.element);
            }
            slot.clear();
        }
        retired = collected;
        readerDisposed = true;
        return reservedElement;
    }

    // ---- the test's side

    /** The global sequence of the oldest record that is published and not visible. */
    synchronized long nextHidden() {
        return visible == published ? Long.MAX_VALUE : slot(visible).sequence;
    }

    /** Makes the oldest hidden record visible; false if there is none. */
    synchronized boolean deliver() {
        if (visible == published) {
            return false;
        }
        visible++;
        return true;
    }

    /** Moves up to so many held descriptors to the writer. */
    synchronized int giveCredits(final int most) {
        int given = 0;
        while (given < most && !heldCredits.isEmpty()) {
            credits.add(heldCredits.poll());
            given++;
        }
        return given;
    }

    /** Gives up to so much retired room to the writer. */
    synchronized int giveRoom(final int most) {
        final int given = (int) Math.max(0L, Math.min(most, retired - freed));
        freed += given;
        return given;
    }

    /** Lets through whatever no handle holds. */
    synchronized void reconsider() {
        if (!reader.isDeliveryHeld()) {
            visible = published;
        }
        if (!writer.areCreditsHeld()) {
            giveCredits(Integer.MAX_VALUE);
        }
        if (!writer.isRoomHeld()) {
            freed = retired;
        }
    }

    @Override
    public synchronized String toString() {
        return "unretired=" + (published - retired) + '/' + slots.length + " uncollected=" + (published - collected) +
            " hidden=" + (published - visible) + " credits=" + credits.size() + " credits_held=" + heldCredits.size() +
            " room_held=" + (retired - freed) + " reserved=" + (reserved != null) + " wants_room=" + wantsRoom +
            " wants_credit=" + wantsCredit;
    }

    private Slot slot(final long sequence) {
        return slots[(int) (sequence % slots.length)];
    }

    private void requireReservation() {
        if (reserved == null) {
            throw new IllegalStateException("no reservation is open");
        }
    }

    /** The place of one record. Guarded by the wire, and the reader's own between collect and retire. */
    static final class Slot {
        private final long address;
        private final int bytes;
        int type;
        long meta;
        int length;
        PoolElement element;
        /** Whether the element has been marked as arrived, and any corruption done: a rewound record comes by twice. */
        boolean seen;
        private long sequence;

        private Slot(final long address, final int bytes) {
            this.address = address;
            this.bytes = bytes;
        }

        /** Where the record's bytes lie. */
        long payload() {
            return element == null ? address : element.address();
        }

        /** How many bytes there is room for. */
        int room(final SteeredSettings settings) {
            return element == null ? settings.maxInlineBytes() : settings.maxFragmentBytes();
        }

        private void fill(final int recordType, final long recordMeta, final int recordLength,
            final PoolElement recordElement, final long recordSequence) {
            type = recordType;
            meta = recordMeta;
            length = recordLength;
            element = recordElement;
            sequence = recordSequence;
            seen = false;
        }

        private void clear() {
            element = null;
            UnsafeApi.setMemory(address, bytes, POISON);
        }
    }
}
