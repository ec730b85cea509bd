package io.heddle.shm;

import static io.heddle.shm.LaneLayout.KIND_DESCRIPTOR;
import static io.heddle.shm.LaneLayout.KIND_RING;
import static io.heddle.shm.LaneLayout.KIND_SLOT;
import static io.heddle.shm.LaneLayout.SLOT_META_OFFSET;
import static io.heddle.shm.LaneLayout.SLOT_PAYLOAD_BYTES;
import static io.heddle.shm.LaneLayout.SLOT_PAYLOAD_OFFSET;
import static io.heddle.shm.LaneLayout.SLOT_SHIFT;

import io.heddle.context.PoolElement;
import io.heddle.context.spi.ReceiveBatch;
import org.agrona.UnsafeApi;

/**
 * The reading end of a direction's data slots and byte ring. Every word of the peer's is read once, checked, then used.
 *
 * <p>Single reader: the worker, under its guard; {@link #hasRecord()} also without, by the holder of the dispatcher
 * token.
 */
final class RecordReader {
    private final long headAddress;
    private final long slotsAddress;
    private final long ringAddress;
    private final int slotMask;
    private final int lapShift;
    private final int ringBytes;
    private final LentDescriptors descriptors;

    private long next;
    private long head;
    private int elementsCollected;
    private int kept;
    private String violation;

    RecordReader(final long direction, final Geometry g, final LentDescriptors descriptors) {
        headAddress = direction + LaneLayout.HEAD_OFFSET;
        slotsAddress = direction + LaneLayout.slotsOffset(g);
        ringAddress = direction + LaneLayout.ringOffset(g);
        slotMask = g.slots() - 1;
        lapShift = Integer.numberOfTrailingZeros(g.slots());
        ringBytes = g.ringBytes();
        this.descriptors = descriptors;
    }

    boolean hasRecord() {
        final long sequence = next;
        // Opaque: only a hint; collect reads the word again, with acquire.
        final long word = UnsafeApi.getLongOpaque(null, slotsAddress + ((sequence & slotMask) << SLOT_SHIFT));
        return LaneLayout.lapOf(word) == LaneLayout.lap(sequence, lapShift) && violation == null;
    }

    int collect(final ReceiveBatch batch, final int limit) {
        long sequence = next;
        final long end = sequence + limit;
        while (sequence != end) {
            final long slot = slotsAddress + ((sequence & slotMask) << SLOT_SHIFT);
            // Partner: the writer's release store, which publishes payload and meta.
            final long word = UnsafeApi.getLongAcquire(null, slot);
            if (LaneLayout.lapOf(word) != LaneLayout.lap(sequence, lapShift) || !add(batch, slot, word)) {
                break;
            }
            sequence++;
        }
        final int added = (int) (sequence - next);
        next = sequence;
        return added;
    }

    private boolean add(final ReceiveBatch batch, final long slot, final long word) {
        final int length = LaneLayout.lengthOf(word);
        final long meta = UnsafeApi.getLongOpaque(null, slot + SLOT_META_OFFSET);
        if (LaneLayout.kindOf(word) == KIND_SLOT) {
            if (length < 0 || length > SLOT_PAYLOAD_BYTES) {
                return violated("length=" + length + " in slot");
            }
            batch.add(LaneLayout.typeOf(word), meta, slot + SLOT_PAYLOAD_OFFSET, length, null);
            return true;
        }
        return addElsewhere(batch, slot, word, meta, length);
    }

    private boolean addElsewhere(final ReceiveBatch batch, final long slot, final long word, final long meta,
        final int length) {
        final long reference = UnsafeApi.getLongOpaque(null, slot + SLOT_PAYLOAD_OFFSET);
        final int kind = LaneLayout.kindOf(word);
        if (kind == KIND_RING) {
            if (length < 0 || reference < 0 || (reference & 7) != 0 || reference > ringBytes - (long) length) {
                return violated("ring offset=" + reference + " length=" + length + " ringBytes=" + ringBytes);
            }
            batch.add(LaneLayout.typeOf(word), meta, ringAddress + reference, length, null);
            return true;
        }
        if (kind != KIND_DESCRIPTOR) {
            return violated("kind=" + kind);
        }
        final PoolElement element = descriptors.arrived(reference);
        if (element == null) {
            return violated("descriptor=" + reference + " is not lent");
        }
        if (length < 0 || length > element.capacityBytes()) {
            return violated("length=" + length + " descriptorBytes=" + element.capacityBytes());
        }
        elementsCollected++;
        batch.add(LaneLayout.typeOf(word), meta, element.address(), length, element);
        return true;
    }

    private boolean violated(final String field) {
        violation = field;
        return false;
    }

    void retire(final ReceiveBatch batch, final int from, final int to) {
        if (elementsCollected != 0) {
            dropElements(batch, from, to);
        }
        head += to - from;
        // Done with the slots' bytes; partner: the writer's acquire load of the head.
        UnsafeApi.putLongRelease(null, headAddress, head);
    }

    private void dropElements(final ReceiveBatch batch, final int from, final int to) {
        for (int i = from; i < to; i++) {
            final PoolElement element = batch.element[i];
            if (element != null) {
                elementsCollected--;
                batch.element[i] = null;
                if (element.release(element.generation())) {
                    element.reclaim();
                    descriptors.recycle(element);
                } else {
                    kept++;
                }
            }
        }
    }

    /** How many retired records' elements somebody kept, since the last call. */
    int takeKept() {
        final int count = kept;
        kept = 0;
        return count;
    }

    /** Undoes the collection of the newest records, from {@code from} on. */
    void rewind(final ReceiveBatch batch, final int from, final int to) {
        for (int i = to - 1; i >= from; i--) {
            final PoolElement element = batch.element[i];
            if (element != null) {
                elementsCollected--;
                batch.element[i] = null;
                descriptors.unarrived(element);
            }
        }
        next -= to - from;
    }

    /** Records collected so far, rewound ones not counted. */
    long position() {
        return next;
    }

    String violation() {
        return violation;
    }
}
