package io.heddle.context.spi;

import io.heddle.context.PoolElement;

/**
 * A bounded batch of received records, written by {@link Lane#collect}, read by the dispatcher. Confined to the holder
 * of the dispatcher token.
 */
public final class ReceiveBatch {
    private final ReceivedRecord[] records;
    private int size;

    /** @param capacity the most records it holds. */
    public ReceiveBatch(final int capacity) {
        records = new ReceivedRecord[capacity];
        for (int i = 0; i < capacity; i++) {
            records[i] = new ReceivedRecord();
        }
    }

    /** Adds one record. The caller has seen that there is room. */
    public void add(final int recordType, final long recordMeta, final long recordAddress, final int recordLength,
        final PoolElement recordElement) {
        final int i = size;
        final ReceivedRecord record = records[i];
        record.type = recordType;
        record.meta = recordMeta;
        record.address = recordAddress;
        record.length = recordLength;
        record.element = recordElement;
        size = i + 1;
    }

    /** A record, by its place in the batch. */
    public ReceivedRecord record(final int index) {
        return records[index];
    }

    /** How many records it holds. */
    public int size() {
        return size;
    }

    /** How many more it can take. */
    public int room() {
        return records.length - size;
    }

    /** Empties it. */
    public void clear() {
        size = 0;
    }
}
