package io.heddle.shm;

import static io.heddle.shm.LaneLayout.SLOT_META_OFFSET;
import static io.heddle.shm.LaneLayout.SLOT_SHIFT;

import io.heddle.context.internal.FailPoints;
import org.agrona.UnsafeApi;

/**
 * Both ends of the control rings of a lane: out to the peer, and in from it. Slots as in the data ring, payload never
 * used.
 *
 * <p>Single writer of the outgoing and single reader of the incoming ring: the worker, under its guard; {@link
 * #hasRecord()} also without, by the holder of the dispatcher token.
 */
final class ControlRing {
    /** Receives control records. */
    @FunctionalInterface
    interface Sink {
        /** One record: its kind and its 64 bits, both unchecked. */
        void onControl(int kind, long meta);
    }

    private final long outSlots;
    private final long outHead;
    private final long inSlots;
    private final long inHead;
    private final int slots;
    private final int shift;
    private long tail;
    private long next;
    private String violation;

    ControlRing(final long outDirection, final long inDirection, final Geometry g) {
        outSlots = outDirection + LaneLayout.controlOffset(g);
        outHead = outDirection + LaneLayout.CONTROL_HEAD_OFFSET;
        inSlots = inDirection + LaneLayout.controlOffset(g);
        inHead = inDirection + LaneLayout.CONTROL_HEAD_OFFSET;
        slots = g.controlSlots();
        shift = Integer.numberOfTrailingZeros(slots);
    }

    /** False if the ring is full, or if the peer's head is impossible: then {@link #violation()} says so. */
    boolean offer(final int kind, final long meta) {
        // Partner: the peer's release store in poll.
        final long head = UnsafeApi.getLongAcquire(null, outHead);
        if (head < 0 || head > tail || tail - head > slots) {
            violation = "control head=" + head + " expected=" + Math.max(0, tail - slots) + ".." + tail;
            return false;
        }
        if (tail - head == slots) {
            return false;
        }
        final long slot = outSlots + ((tail & slots - 1) << SLOT_SHIFT);
        UnsafeApi.putLong(slot + SLOT_META_OFFSET, meta);
        FailPoints.at("shm.control.before-publish");
        // Publishes meta; partner: the acquire load in poll.
        UnsafeApi.putLongRelease(null, slot, LaneLayout.word(LaneLayout.lap(tail, shift), kind, 0, 0));
        tail++;
        return true;
    }

    /** What impossible value was read, or null. */
    String violation() {
        return violation;
    }

    boolean hasRecord() {
        // Opaque: only a hint; poll reads the word again, with acquire.
        return LaneLayout.lapOf(UnsafeApi.getLongOpaque(null, inSlot())) == LaneLayout.lap(next, shift);
    }

    int poll(final Sink sink) {
        int handled = 0;
        while (handled < slots) {
            final long slot = inSlot();
            // Partner: the peer's release store in offer.
            final long word = UnsafeApi.getLongAcquire(null, slot);
            if (LaneLayout.lapOf(word) != LaneLayout.lap(next, shift)) {
                break;
            }
            next++;
            handled++;
            sink.onControl(LaneLayout.kindOf(word), UnsafeApi.getLongOpaque(null, slot + SLOT_META_OFFSET));
        }
        if (handled > 0) {
            FailPoints.at("shm.control.before-head");
            // Partner: the peer's acquire load in offer.
            UnsafeApi.putLongRelease(null, inHead, next);
        }
        return handled;
    }

    private long inSlot() {
        return inSlots + ((next & slots - 1) << SLOT_SHIFT);
    }
}
