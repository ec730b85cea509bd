package io.heddle.shm;

import io.heddle.context.ContextConfig;

/**
 * Sizes of a segment's rings: chosen by the creator, written into the header, checked by the other side. Immutable.
 *
 * @param slots        data slots per direction; a power of two.
 * @param ringBytes    bytes of the byte ring per direction; a power of two.
 * @param controlSlots control slots per direction; a power of two.
 * @param creditSlots  credits per size class and direction; a power of two.
 */
record Geometry(int slots, int ringBytes, int controlSlots, int creditSlots) {
    static final int MIN_SLOTS = 2;
    static final int MAX_SLOTS = 4096;
    static final int MIN_RING_BYTES = 4 * 1024;
    static final int MAX_RING_BYTES = 1024 * 1024;
    private static final int CONTROL_SLOTS = 32;
    private static final int CREDIT_SLOTS = 64;
    private static final int MIN_CONTROL_SLOTS = 2;
    private static final int MAX_SMALL_SLOTS = 1024;

    /** What this process uses for the segments it creates. */
    static Geometry of(final ContextConfig config) {
        return new Geometry(config.ringSlots(), config.ringBytes(), CONTROL_SLOTS, CREDIT_SLOTS);
    }

    /** Null if every size is one this code can work with, else a text naming the field. */
    String fault() {
        if (!powerOfTwoWithin(slots, MIN_SLOTS, MAX_SLOTS)) {
            return "slots=" + slots;
        }
        if (!powerOfTwoWithin(ringBytes, MIN_RING_BYTES, MAX_RING_BYTES)) {
            return "ringBytes=" + ringBytes;
        }
        if (!powerOfTwoWithin(controlSlots, MIN_CONTROL_SLOTS, MAX_SMALL_SLOTS)) {
            return "controlSlots=" + controlSlots;
        }
        return powerOfTwoWithin(creditSlots, MIN_CONTROL_SLOTS, MAX_SMALL_SLOTS) ? null : "creditSlots=" + creditSlots;
    }

    private static boolean powerOfTwoWithin(final int value, final int least, final int most) {
        return value >= least && value <= most && Integer.bitCount(value) == 1;
    }

    /** Bytes of one direction: reader's words, credits, control ring, data slots, byte ring. */
    long directionBytes() {
        return LaneLayout.ringOffset(this) + ringBytes;
    }

    /** Bytes of a whole segment: header and two directions. */
    long segmentBytes() {
        return SegmentHeader.HEADER_BYTES + 2 * directionBytes();
    }
}
