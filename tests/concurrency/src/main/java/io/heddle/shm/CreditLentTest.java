package io.heddle.shm;

import io.heddle.context.MemoryPool;
import io.heddle.context.PoolElement;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A descriptor is in the state LENT before its credit can be seen. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "The credit was not there yet.")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "A credit, and its descriptor is lent.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A peer that uses its credit at once would pass for hostile.")
@State
public class CreditLentTest {
    private final long direction = LaneFixture.direction();
    private final MemoryPool pool = LaneFixture.pool(1);
    private final PoolElement[] elements = LaneFixture.elements(pool, 1);
    private final LentDescriptors lent = new LentDescriptors(direction, LaneFixture.GEOMETRY);
    private final BorrowedDescriptors borrowed = new BorrowedDescriptors(direction, LaneFixture.GEOMETRY);

    /** One descriptor, mapped on both sides, not lent yet. */
    public CreditLentTest() {
        lent.pool(0, pool);
        lent.reserveIds(1);
        borrowed.add(0, 1, 0, elements[0].address());
    }

    /** The receiver lends it. */
    @Actor
    public void owner() {
        lent.add(0, 0, elements);
    }

    /** The sender takes the credit. */
    @Actor
    public void borrower(final II_Result result) {
        if (borrowed.take(0) >= 0) {
            result.r1 = 1;
            result.r2 = elements[0].isLent() ? 1 : 0;
        }
    }
}
