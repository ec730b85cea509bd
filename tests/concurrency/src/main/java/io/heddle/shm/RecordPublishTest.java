package io.heddle.shm;

import io.heddle.context.spi.ReceiveBatch;
import org.agrona.UnsafeApi;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A record and its payload, published by one release store of the slot's word. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "The record was not there yet.")
@Outcome(id = "1, 42", expect = Expect.ACCEPTABLE, desc = "The record with its payload.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A record without what was written before it was published.")
@State
public class RecordPublishTest {
    private final long direction = LaneFixture.direction();
    private final RecordWriter writer = new RecordWriter(direction, LaneFixture.GEOMETRY);
    private final RecordReader reader = new RecordReader(direction, LaneFixture.GEOMETRY, null);
    private final ReceiveBatch batch = new ReceiveBatch(1);

    /** The sender. */
    @Actor
    public void sender() {
        UnsafeApi.putLong(writer.slot() + LaneLayout.SLOT_PAYLOAD_OFFSET, 40L);
        writer.publishInSlot(1, 2L, Long.BYTES);
    }

    /** The receiver, which reads what lies where the record says. */
    @Actor
    public void receiver(final II_Result result) {
        result.r1 = reader.collect(batch, 1);
        if (result.r1 != 0) {
            result.r2 = (int) (UnsafeApi.getLong(batch.record(0).address) + batch.record(0).meta);
        }
    }
}
