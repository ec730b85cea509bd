package io.heddle.shm;

import io.heddle.context.MemoryPool;
import io.heddle.context.PoolElement;
import org.agrona.UnsafeApi;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * {@link CreditRoundTest} with an owner that does not count what is lent: it lends a third descriptor by means of two
 * credit words, whether the first of them has been read or not.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "The first credit had been read, and every descriptor came.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A credit was overwritten unread, or an honest owner was taken for hostile.")
@State
public class CreditRoundBrokenTest {
    private static final int SLOTS = LaneFixture.GEOMETRY.creditSlots();
    private static final int PATIENCE = 50;

    private final long direction = LaneFixture.direction();
    private final LentDescriptors lent = new LentDescriptors(direction, LaneFixture.GEOMETRY);
    private final BorrowedDescriptors borrowed = new BorrowedDescriptors(direction, LaneFixture.GEOMETRY);
    private int taken;

    /** As many are lent as there are credit words. */
    public CreditRoundBrokenTest() {
        final MemoryPool pool = LaneFixture.pool(SLOTS);
        lent.pool(0, pool);
        lent.reserveIds(SLOTS);
        final PoolElement[] elements = LaneFixture.elements(pool, SLOTS);
        borrowed.add(0, SLOTS + 1, 0, elements[0].address());
        lent.add(0, 0, elements);
    }

    /** The sender: each credit is used at once. */
    @Actor
    public void sender() {
        for (int patience = PATIENCE; patience > 0; patience--) {
            taken += borrowed.take(0) >= 0 ? 1 : 0;
        }
    }

    /** The receiver. */
    @Actor
    public void receiver() {
        // In the word of the first credit, with its lap, as LentDescriptors would once that has come back.
        UnsafeApi.putLongRelease(null, direction + LaneLayout.CREDITS_OFFSET,
            LaneLayout.creditWord(LaneLayout.lap(SLOTS, Integer.numberOfTrailingZeros(SLOTS)), SLOTS));
    }

    /** Takes what is left, when all is quiet. */
    @Arbiter
    public void arbiter(final II_Result result) {
        while (taken <= SLOTS && borrowed.take(0) >= 0) {
            taken++;
        }
        result.r1 = SLOTS + 1 - taken;
        result.r2 = borrowed.violation() == null ? 0 : 1;
    }
}
