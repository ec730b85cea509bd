package io.heddle.shm;

import io.heddle.context.spi.ReceiveBatch;
import org.agrona.UnsafeApi;

/**
 * A stream of numbered records through a ring: every other one in its slot, the others in the byte ring, each filled
 * with its number. Writing by one thread, reading by another, then {@link #readRest} by one that comes after both.
 */
final class RecordCheck {
    private static final int RECORDS = 10;
    private static final int PATIENCE = 500;
    private static final int RING_LONGS = 9;
    private static final int SLOT_LONGS = LaneLayout.SLOT_PAYLOAD_BYTES / Long.BYTES;

    private final RecordWriter writer;
    private final RecordReader reader;
    private final ReceiveBatch batch = new ReceiveBatch(2);
    private final boolean retiresBeforeReading;
    private int written;
    private int read;
    private int mistakes;

    RecordCheck(final boolean retiresBeforeReading) {
        final long direction = LaneFixture.direction();
        writer = new RecordWriter(direction, LaneFixture.GEOMETRY);
        reader = new RecordReader(direction, LaneFixture.GEOMETRY, null);
        this.retiresBeforeReading = retiresBeforeReading;
    }

    /** Several turns of the ring, or less if the reader is slow. */
    void write() {
        for (int patience = PATIENCE; written < RECORDS && patience > 0; patience--) {
            if (writer.hasSlot()) {
                final int number = written + 1;
                if ((number & 1) == 0) {
                    fill(writer.slot() + LaneLayout.SLOT_PAYLOAD_OFFSET, SLOT_LONGS, number);
                    writer.publishInSlot(1, number, LaneLayout.SLOT_PAYLOAD_BYTES);
                    written = number;
                } else {
                    final int offset = writer.allocate(RING_LONGS * Long.BYTES);
                    if (offset >= 0) {
                        fill(writer.ringAddress(offset), RING_LONGS, number);
                        writer.publishElsewhere(LaneLayout.KIND_RING, 1, number, offset, RING_LONGS * Long.BYTES);
                        written = number;
                    }
                }
            } else {
                Thread.onSpinWait();
            }
        }
    }

    /** Reads while more is to come, up to a limit. */
    void read() {
        for (int patience = PATIENCE; read < RECORDS && patience > 0; patience--) {
            if (readBatch() == 0) {
                Thread.onSpinWait();
            }
        }
    }

    private int readBatch() {
        batch.clear();
        final int count = reader.collect(batch, 2);
        if (count > 0) {
            if (retiresBeforeReading) {
                reader.retire(batch, 0, count);
                check(count);
            } else {
                check(count);
                reader.retire(batch, 0, count);
            }
        }
        return count;
    }

    private void check(final int count) {
        for (int i = 0; i < count; i++) {
            final int number = ++read;
            boolean isRight = batch.record(i).meta == number;
            for (int at = 0; at < batch.record(i).length; at += Long.BYTES) {
                isRight &= UnsafeApi.getLong(batch.record(i).address + at) == number;
            }
            mistakes += isRight ? 0 : 1;
        }
    }

    /** What the reader had no more patience for. */
    void readRest() {
        while (readBatch() > 0) {
            Thread.onSpinWait();
        }
    }

    /** Records whose bytes were not all their number, and impossible values. */
    int mistakes() {
        return mistakes + (reader.violation() == null ? 0 : 1) + (writer.violation() == null ? 0 : 1);
    }

    /** Records written and not read, once {@link #readRest} is through. */
    int lost() {
        return written - read;
    }

    private static void fill(final long address, final int longs, final long value) {
        for (int i = 0; i < longs; i++) {
            UnsafeApi.putLong(address + (long) i * Long.BYTES, value);
        }
    }
}
