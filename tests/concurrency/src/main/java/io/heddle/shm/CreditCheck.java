package io.heddle.shm;

import io.heddle.context.MemoryPool;
import io.heddle.context.PoolElement;
import io.heddle.context.spi.ReceiveBatch;

/**
 * Descriptors that go round: lent by credit, sent back filled, lent again; more turns than there are credit words. One
 * thread sends, one receives; {@link #finish} by one that comes after both.
 */
final class CreditCheck {
    private static final int ROUNDS = 8;
    private static final int PATIENCE = 500;
    private static final int CREDIT_SLOTS = LaneFixture.GEOMETRY.creditSlots();

    private final LentDescriptors lent;
    private final BorrowedDescriptors borrowed;
    private final RecordWriter writer;
    private final RecordReader reader;
    private final ReceiveBatch batch = new ReceiveBatch(1);
    private int sent;
    private int received;
    private int mistakes;

    CreditCheck() {
        final long direction = LaneFixture.direction();
        final MemoryPool pool = LaneFixture.pool(CREDIT_SLOTS);
        final PoolElement[] elements = LaneFixture.elements(pool, CREDIT_SLOTS);
        lent = new LentDescriptors(direction, LaneFixture.GEOMETRY);
        borrowed = new BorrowedDescriptors(direction, LaneFixture.GEOMETRY);
        reader = new RecordReader(direction, LaneFixture.GEOMETRY, lent);
        writer = new RecordWriter(direction, LaneFixture.GEOMETRY);
        lent.pool(0, pool);
        lent.reserveIds(CREDIT_SLOTS);
        borrowed.add(0, CREDIT_SLOTS, 0, elements[0].address());
        lent.add(0, 0, elements);
    }

    /** The sender: each credit is used at once. */
    void send() {
        for (int patience = PATIENCE; sent < ROUNDS && patience > 0; patience--) {
            if (writer.hasSlot()) {
                final int id = borrowed.take(0);
                if (id >= 0) {
                    writer.publishElsewhere(LaneLayout.KIND_DESCRIPTOR, 1, 0, id, 1);
                    sent++;
                }
            }
        }
    }

    /** The receiver: each descriptor is lent again at once. */
    void receive() {
        for (int patience = PATIENCE; received < ROUNDS && patience > 0; patience--) {
            if (!receiveOne()) {
                Thread.onSpinWait();
            }
        }
    }

    private boolean receiveOne() {
        batch.clear();
        final int count = reader.collect(batch, 1);
        if (count > 0) {
            reader.retire(batch, 0, count);
            received += count;
        }
        return count > 0;
    }

    /** Receives what is on its way. */
    void finish() {
        while (receiveOne()) {
            Thread.onSpinWait();
        }
        mistakes = (reader.violation() == null ? 0 : 1) + (borrowed.violation() == null ? 0 : 1)
            + Math.abs(sent - received);
    }

    /** Credits the sender does not find any more, or finds twice; then what the receiver refused. */
    int missing() {
        int found = 0;
        int seen = 0;
        for (int id = borrowed.take(0); id >= 0 && found <= CREDIT_SLOTS; id = borrowed.take(0)) {
            mistakes += (seen & 1 << id) == 0 ? 0 : 1;
            seen |= 1 << id;
            found++;
        }
        return CREDIT_SLOTS - found;
    }

    int mistakes() {
        return mistakes;
    }
}
