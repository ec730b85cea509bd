package io.heddle.shm;

import static io.heddle.shm.LaneLayout.SLOT_META_OFFSET;
import static io.heddle.shm.LaneLayout.SLOT_PAYLOAD_OFFSET;
import static io.heddle.shm.LaneLayout.SLOT_SHIFT;

import io.heddle.context.internal.FailPoints;
import org.agrona.UnsafeApi;

/**
 * The writing end of a direction's data slots and byte ring. What it writes it never reads back from shared memory; the
 * reader's head is read, checked and cached.
 *
 * <p>Single writer: the worker, under its guard.
 */
final class RecordWriter {
    private final long headAddress;
    private final long slotsAddress;
    private final long ringAddress;
    private final int slots;
    private final int slotMask;
    private final int lapShift;
    private final int ringBytes;
    /** By slot: where the byte ring's tail stood after the slot's record. */
    private final long[] ringEnd;

    private long tail;
    private long cachedHead;
    private long ringTail;
    private long ringHead;
    private String violation;
    private boolean isTakingTurns;

    RecordWriter(final long direction, final Geometry g) {
        headAddress = direction + LaneLayout.HEAD_OFFSET;
        slotsAddress = direction + LaneLayout.slotsOffset(g);
        ringAddress = direction + LaneLayout.ringOffset(g);
        slots = g.slots();
        slotMask = slots - 1;
        lapShift = Integer.numberOfTrailingZeros(slots);
        ringBytes = g.ringBytes();
        ringEnd = new long[slots];
    }

    /** Whether a slot is free, having looked at the reader's head if none seemed to be. */
    boolean hasSlot() {
        return tail - cachedHead < slots || refresh() && tail - cachedHead < slots;
    }

    /** Address of the next slot; it is free. */
    long slot() {
        return slotsAddress + ((tail & slotMask) << SLOT_SHIFT);
    }

    /**
     * Takes {@code bytes} (a multiple of 8) of the byte ring for the next slot; the offset, or -1 if there is no room.
     */
    int allocate(final int bytes) {
        long start = ringTail;
        final int offset = (int) start & ringBytes - 1;
        if (offset + bytes > ringBytes) {
            start += ringBytes - offset;
        }
        if (start + bytes - ringHead > ringBytes && !(refresh() && start + bytes - ringHead <= ringBytes)) {
            return -1;
        }
        ringTail = start + bytes;
        return (int) start & ringBytes - 1;
    }

    long ringAddress(final int offset) {
        return ringAddress + offset;
    }

    /** The byte ring's tail, to go back to by {@link #restore} when a reservation is abandoned. */
    long mark() {
        return ringTail;
    }

    void restore(final long mark) {
        ringTail = mark;
    }

    void publishInSlot(final int type, final long meta, final int length) {
        final long slot = slot();
        UnsafeApi.putLong(slot + SLOT_META_OFFSET, meta);
        publish(slot, LaneLayout.KIND_SLOT, type, length);
    }

    void publishElsewhere(final int kind, final int type, final long meta, final long reference, final int length) {
        final long slot = slot();
        UnsafeApi.putLong(slot + SLOT_META_OFFSET, meta);
        UnsafeApi.putLong(slot + SLOT_PAYLOAD_OFFSET, reference);
        publish(slot, kind, type, length);
    }

    private void publish(final long slot, final int kind, final int type, final int length) {
        FailPoints.at("shm.record.before-publish");
        final long sequence = tail;
        ringEnd[(int) sequence & slotMask] = ringTail;
        // Publishes payload and meta; partner: the reader's acquire load of the slot's word.
        UnsafeApi.putLongRelease(null, slot, LaneLayout.word(LaneLayout.lap(sequence, lapShift), kind, type, length));
        tail = sequence + 1;
        if (isTakingTurns && sequence + 1 - cachedHead < slots) {
            UnsafeApi.putLong(slot() + SLOT_META_OFFSET, 0L); // the line is ours then when the next record comes
        }
    }

    /** Whether the peer answers before the next record, and looks for none meanwhile: its slot is taken in advance. */
    void takingTurns(final boolean isOn) {
        isTakingTurns = isOn;
    }

    /** Looks at the reader's head. Whether it had moved. */
    private boolean refresh() {
        // Partner: the reader's release store after it is done with a slot's bytes.
        final long head = UnsafeApi.getLongAcquire(null, headAddress);
        if (head == cachedHead) {
            return false;
        }
        if (head < cachedHead || head > tail) {
            violation = "head=" + head + " expected=" + cachedHead + ".." + tail;
            return false;
        }
        cachedHead = head;
        ringHead = ringEnd[(int) (head - 1) & slotMask];
        return true;
    }

    /** A look without the guard: whether the reader's head has moved since it was last read. */
    boolean headMoved() {
        // Opaque: only a hint, confirmed by refresh.
        return UnsafeApi.getLongOpaque(null, headAddress) != cachedHead;
    }

    /** Records the reader has not retired, as far as it has said. */
    int unretired() {
        refresh();
        return (int) (tail - cachedHead);
    }

    /** As {@link #unretired()}, when it was looked at last. Any thread; a little wrong if the writer is at work. */
    int lastUnretired() {
        return (int) (tail - cachedHead);
    }

    long tail() {
        return tail;
    }

    /** What impossible value was read, or null. */
    String violation() {
        return violation;
    }
}
