package io.heddle.tests.concurrency;

import io.heddle.context.MemoryPool;
import io.heddle.context.PoolElement;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

import java.util.concurrent.atomic.AtomicInteger;

/** The last element of a chunk comes home late while its pool is closed. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "Freed once.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Never freed, or twice.")
@State
public class PoolLateReturnTest {
    private final AtomicInteger freed = new AtomicInteger();
    private final MemoryPool pool = PoolFixture.pool(freed::incrementAndGet);
    private final PoolElement element = PoolFixture.held(pool);

    /** The last reference was let go. */
    public PoolLateReturnTest() {
        element.release(element.generation());
    }

    /** A thread that found the return stack closed. */
    @Actor
    public void releaser() {
        pool.lateReturn(element);
    }

    /** The owner. */
    @Actor
    public void owner() {
        pool.closeAndReport();
    }

    /** Looks when both are done. */
    @Arbiter
    public void arbiter(final I_Result result) {
        result.r1 = freed.get();
    }
}
