package io.heddle.shm;

import io.heddle.context.spi.WaitState;
import org.agrona.UnsafeApi;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** {@link WaitStateTest} without the fence of the sender. */
@JCStressTest
@Outcome(id = {"0, 1", "1, 0", "1, 1"}, expect = Expect.ACCEPTABLE, desc = "The sender signals, or the worker sees.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The worker sleeps on a record, and the sender does not signal.")
@State
public class WaitStateBrokenTest {
    private final long direction = LaneFixture.direction();
    private final long waitState = direction + LaneLayout.WAIT_STATE_OFFSET;
    private final RecordWriter writer = new RecordWriter(direction, LaneFixture.GEOMETRY);
    private final RecordReader reader = new RecordReader(direction, LaneFixture.GEOMETRY, null);

    /** The worker has said MAY_SLEEP some time ago. */
    public WaitStateBrokenTest() {
        UnsafeApi.putLongRelease(null, waitState, WaitState.MAY_SLEEP);
    }

    /** Publishes and looks whether a signal is needed, as {@code ShmLane.signalNow} does. */
    @Actor
    public void sender(final II_Result result) {
        writer.publishInSlot(1, 0, 0);
        // Partner: the worker's release store.
        result.r1 = UnsafeApi.getLongAcquire(null, waitState) >= WaitState.ARMED ? 1 : 0;
    }

    /** Arms and looks once more, as {@code Sleeper} does. */
    @Actor
    public void worker(final II_Result result) {
        UnsafeApi.putLongRelease(null, waitState, WaitState.ARMED); // Partner: the sender's acquire load.
        UnsafeApi.fullFence(); // Partner: the sender's fence.
        result.r2 = reader.hasRecord() ? 1 : 0;
    }
}
