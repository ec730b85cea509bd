package io.heddle.context.spi;

import io.heddle.context.PoolElement;

/**
 * A bounded batch of received records: private, checked copies of their descriptions. The bytes themselves stay in the
 * lane's memory, at {@link #address}, until the records are retired.
 *
 * <p>Parallel arrays, written by {@link Lane#collect}, read by the dispatcher. Confined to the holder of the dispatcher
 * token.
 */
public final class ReceiveBatch {
    /** The worker's record type, 0 to 127. */
    public final byte[] type;
    /** The worker's 64 bits, as the sender gave them; unchecked. */
    public final long[] meta;
    /** Where the bytes lie: native, aligned to 8, in descriptors to 64; checked to lie in the lane's memory. */
    public final long[] address;
    /** How many bytes; checked against the room at {@link #address}. */
    public final int[] length;
    /** The element that holds the bytes, with one reference for the batch, or null if they cannot be kept in place. */
    public final PoolElement[] element;

    private int size;

    /** @param capacity the most records it holds. */
    public ReceiveBatch(final int capacity) {
        type = new byte[capacity];
        meta = new long[capacity];
        address = new long[capacity];
        length = new int[capacity];
        element = new PoolElement[capacity];
    }

    /** Adds one record. The caller has seen that there is room. */
    public void add(final int recordType, final long recordMeta, final long recordAddress, final int recordLength,
        final PoolElement recordElement) {
        final int i = size;
        type[i] = (byte) recordType;
        meta[i] = recordMeta;
        address[i] = recordAddress;
        length[i] = recordLength;
        element[i] = recordElement;
        size = i + 1;
    }

    /** How many records it holds. */
    public int size() {
        return size;
    }

    /** How many more it can take. */
    public int room() {
        return type.length - size;
    }

    /** Empties it. */
    public void clear() {
        size = 0;
    }
}
