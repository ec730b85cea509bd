package io.heddle.shm;

import java.util.ArrayList;
import java.util.List;

/**
 * The place taken for the next record, between reserve and publish; and the peer's chunks that places may lie in.
 * Confined to its lane.
 */
final class LaneReservation {
    private final List<MappedSegment> chunks = new ArrayList<>();
    private boolean isOpen;
    private int kind;
    private long address;
    private long reference;
    private long mark;

    void open(final int newKind, final long newAddress, final long newReference, final long newMark) {
        isOpen = true;
        kind = newKind;
        address = newAddress;
        reference = newReference;
        mark = newMark;
    }

    void close() {
        isOpen = false;
    }

    boolean isOpen() {
        return isOpen;
    }

    int kind() {
        return kind;
    }

    long address() {
        return address;
    }

    /** Offset in the byte ring or number of the descriptor. */
    long reference() {
        return reference;
    }

    /** Where the byte ring's tail stood before. */
    long mark() {
        return mark;
    }

    /** Mapped chunks of the peer's descriptors. */
    List<MappedSegment> chunks() {
        return chunks;
    }
}
