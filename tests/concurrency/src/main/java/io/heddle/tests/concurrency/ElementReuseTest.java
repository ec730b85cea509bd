package io.heddle.tests.concurrency;

import io.heddle.context.PoolElement;
import io.heddle.context.internal.ReturnStack;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A holder reads and releases; the owner takes the element home and has it written anew. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The owner looked too early.")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE,
    desc = "The owner used the memory again after the holder had read it.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The holder, before its release, read what was written for the next one.")
@State
public class ElementReuseTest {
    private final PoolElement element = PoolFixture.held();
    private final int generation = element.generation();
    private final ReturnStack stack = new ReturnStack(late -> { });
    /** Stands for the element's memory. */
    private int data = 1;

    /** The holder. */
    @Actor
    public void holder(final II_Result result) {
        result.r1 = data;
        if (element.release(generation)) {
            stack.push(element);
        }
    }

    /** The owner, and the next writer. */
    @Actor
    public void owner(final II_Result result) {
        final PoolElement home = stack.drain();
        if (home != null) {
            home.unlink();
            home.reclaim();
            data = 2;
            result.r2 = 1;
        }
    }
}
