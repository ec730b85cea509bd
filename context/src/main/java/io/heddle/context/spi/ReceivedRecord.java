package io.heddle.context.spi;

import io.heddle.context.PoolElement;

/**
 * A private, checked copy of what a received record says of itself. The bytes lie in the lane's memory, or in the
 * element, until the record is retired.
 *
 * <p>Made with its batch and used again. Confined to the holder of the dispatcher token; written by the lane.
 */
public final class ReceivedRecord {
    /** The worker's record type, 0 to 127. */
    public int type;
    /** How many bytes; checked against the room at {@link #address}. */
    public int length;
    /** The worker's 64 bits, as the sender gave them; unchecked. */
    public long meta;
    /** Where the bytes lie: native, aligned to 8, in descriptors to 64; checked to lie in the lane's memory. */
    public long address;
    /** The element that holds the bytes, with one reference for the batch, or null if they cannot be kept in place. */
    public PoolElement element;

    ReceivedRecord() {
    }
}
