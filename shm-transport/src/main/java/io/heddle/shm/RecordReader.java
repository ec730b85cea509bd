package io.heddle.shm;

import static io.heddle.shm.LaneLayout.KIND_DESCRIPTOR;
import static io.heddle.shm.LaneLayout.KIND_RING;
import static io.heddle.shm.LaneLayout.KIND_SLOT;
import static io.heddle.shm.LaneLayout.SLOT_META_OFFSET;
import static io.heddle.shm.LaneLayout.SLOT_PAYLOAD_BYTES;
import static io.heddle.shm.LaneLayout.SLOT_PAYLOAD_OFFSET;
import static io.heddle.shm.LaneLayout.SLOT_SHIFT;

import io.heddle.context.PoolElement;
import io.heddle.context.internal.FailPoints;
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
    /** Nothing from here on is read. */
    private long end = Long.MAX_VALUE;
    private long head;
    /** Records before this one were collected once already; the elements of those to be collected again are parked. */
    private long arrivedEnd;
    private final PoolElement[] parked;
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
        parked = new PoolElement[g.slots()];
    }

    boolean hasRecord() {
        final long sequence = next;
        // Opaque: only a hint; collect reads the word again, with acquire.
        final long word = UnsafeApi.getLongOpaque(null, slotsAddress + ((sequence & slotMask) << SLOT_SHIFT));
        return LaneLayout.lapOf(word) == LaneLayout.lap(sequence, lapShift) && violation == null && sequence < end;
    }

    /** Takes what has arrived, at most {@code limit} records, the first by itself: often there is but one. */
    int collect(final ReceiveBatch batch, final int limit) {
        final int before = batch.size();
        if (collectOne(batch, limit) && limit > 1 && collectOne(batch, limit - 1)) {
            collectMore(batch, limit - 2);
        }
        return batch.size() - before;
    }

    private boolean collectOne(final ReceiveBatch batch, final int limit) {
        final long sequence = next;
        final long slot = slotsAddress + ((sequence & slotMask) << SLOT_SHIFT);
        // Partner: the writer's release store, which publishes payload and meta.
        final long word = UnsafeApi.getLongAcquire(null, slot);
        if (LaneLayout.lapOf(word) != LaneLayout.lap(sequence, lapShift) || sequence >= end || limit <= 0
            || !add(batch, sequence, slot, word)) {
            return false;
        }
        next = sequence + 1;
        return true;
    }

    private void collectMore(final ReceiveBatch batch, final int limit) {
        long sequence = next;
        final long stop = Math.min(sequence + limit, end);
        try {
            while (sequence < stop) {
                final long slot = slotsAddress + ((sequence & slotMask) << SLOT_SHIFT);
                // Partner: the writer's release store, which publishes payload and meta.
                final long word = UnsafeApi.getLongAcquire(null, slot);
                if (LaneLayout.lapOf(word) != LaneLayout.lap(sequence, lapShift)
                    || !add(batch, sequence, slot, word)) {
                    break;
                }
                sequence++;
            }
        } finally {
            next = sequence; // also if the memory was lost meanwhile: what is in the batch will be retired
        }
    }

    private boolean add(final ReceiveBatch batch, final long sequence, final long slot, final long word) {
        final int length = LaneLayout.lengthOf(word);
        final long meta = UnsafeApi.getLongOpaque(null, slot + SLOT_META_OFFSET);
        if (LaneLayout.kindOf(word) == KIND_SLOT) {
            if (length < 0 || length > SLOT_PAYLOAD_BYTES) {
                return violated("length=" + length + " in slot");
            }
            batch.add(LaneLayout.typeOf(word), meta, slot + SLOT_PAYLOAD_OFFSET, length, null);
            return true;
        }
        return addElsewhere(batch, sequence, slot, word, meta, length);
    }

    private boolean addElsewhere(final ReceiveBatch batch, final long sequence, final long slot, final long word,
        final long meta, final int length) {
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
        final PoolElement element = sequence < arrivedEnd ? parked(sequence, reference)
            : descriptors.arrived(reference);
        if (element == null) {
            return violated("descriptor=" + reference + " is not lent");
        }
        if (length < 0 || length > element.capacityBytes()) {
            if (sequence >= arrivedEnd) {
                descriptors.unarrived(element); // nobody has seen it: taken back with what is lent
            }
            return violated("length=" + length + " descriptorBytes=" + element.capacityBytes());
        }
        if (sequence < arrivedEnd) {
            parked[(int) sequence & slotMask] = null;
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
        FailPoints.at("shm.record.before-head");
        // Done with the slots' bytes; partner: the writer's acquire load of the head.
        UnsafeApi.putLongRelease(null, headAddress, head);
    }

    /** Gives back the batch's reference on the records' elements, each once. */
    void dropElements(final ReceiveBatch batch, final int from, final int to) {
        for (int i = from; i < to; i++) {
            final PoolElement element = batch.record(i).element;
            if (element != null) {
                elementsCollected--;
                batch.record(i).element = null;
                drop(element);
            }
        }
    }

    private void drop(final PoolElement element) {
        if (element.release(element.generation())) {
            element.reclaim();
            descriptors.recycle(element);
        } else {
            descriptors.kept(element);
            kept++;
        }
    }

    /** How many retired records' elements somebody kept, since the last call. */
    int takeKept() {
        final int count = kept;
        kept = 0;
        return count;
    }

    /** The element that the record brought when it was collected before; null if the peer names another one now. */
    private PoolElement parked(final long sequence, final long reference) {
        final PoolElement element = parked[(int) sequence & slotMask];
        return element != null && element.userId() == reference ? element : null;
    }

    /**
     * Undoes the collection of the newest records, from {@code from} on. Their elements stay held, with the batch's
     * reference: whoever saw such a record may have kept its data.
     */
    void rewind(final ReceiveBatch batch, final int from, final int to) {
        arrivedEnd = Math.max(arrivedEnd, next);
        for (int i = to - 1; i >= from; i--) {
            next--;
            final PoolElement element = batch.record(i).element;
            if (element != null) {
                elementsCollected--;
                batch.record(i).element = null;
                final int index = (int) next & slotMask;
                if (parked[index] != null) {
                    drop(parked[index]); // the peer has changed what that record was
                }
                parked[index] = element;
            }
        }
    }

    /** The lane is disposed of: gives back what was collected, rewound, and not collected again. */
    void dropParked() {
        for (int i = 0; i < parked.length; i++) {
            final PoolElement element = parked[i];
            parked[i] = null;
            if (element != null) {
                drop(element);
            }
        }
    }

    /** The peer may write no more: at most a ring's worth is still read, whatever it goes on writing. */
    void endWithin(final int records) {
        end = Math.min(end, next + records);
    }

    /** Records collected so far, rewound ones not counted. */
    long position() {
        return next;
    }

    String violation() {
        return violation;
    }
}
