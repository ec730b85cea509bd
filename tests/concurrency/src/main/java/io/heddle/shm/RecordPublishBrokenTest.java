package io.heddle.shm;

import io.heddle.context.spi.ReceiveBatch;
import org.agrona.UnsafeApi;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** {@link RecordPublishTest} with a sender that publishes before it writes. (A plain store of the word, in the right
 * place, shows nothing on x86, which keeps the order of stores.) */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "The record was not there yet.")
@Outcome(id = "1, 42", expect = Expect.ACCEPTABLE, desc = "The record with its payload.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A record without what was written before it was published.")
@State
public class RecordPublishBrokenTest {
    private final long direction = LaneFixture.direction();
    private final RecordWriter writer = new RecordWriter(direction, LaneFixture.GEOMETRY);
    private final RecordReader reader = new RecordReader(direction, LaneFixture.GEOMETRY, null);
    private final ReceiveBatch batch = new ReceiveBatch(1);

    /** The sender. */
    @Actor
    public void sender() {
        final long slot = writer.slot();
        // The word first, whatever it is to announce after it.
        UnsafeApi.putLongRelease(null, slot, LaneLayout.word(1, LaneLayout.KIND_SLOT, 1, Long.BYTES));
        Thread.onSpinWait(); // All is on one cache line; without this it hardly ever arrives piece by piece.
        UnsafeApi.putLong(slot + LaneLayout.SLOT_META_OFFSET, 2L);
        UnsafeApi.putLong(slot + LaneLayout.SLOT_PAYLOAD_OFFSET, 40L);
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
