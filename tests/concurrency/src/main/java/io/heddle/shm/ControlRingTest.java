package io.heddle.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Six notices through a control ring of two slots. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Every notice was read once, whole and in its turn.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A notice without its bits, or lost, or out of its turn.")
@State
public class ControlRingTest {
    private static final int NOTICES = 6;
    private static final int PATIENCE = 500;

    private final long direction = LaneFixture.direction();
    private final long unused = LaneFixture.direction();
    private final ControlRing out = new ControlRing(direction, unused, LaneFixture.GEOMETRY);
    private final ControlRing in = new ControlRing(unused, direction, LaneFixture.GEOMETRY);
    private int sent;
    private int read;
    private int mistakes;

    /** Three turns of the ring. */
    @Actor
    public void sender() {
        for (int patience = PATIENCE; sent < NOTICES && patience > 0; patience--) {
            if (offer(sent + 1)) {
                sent++;
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private boolean offer(final int number) {
        return out.offer(LaneLayout.CONTROL_WANT, number);
    }

    /** Reads along. */
    @Actor
    public void receiver() {
        for (int patience = PATIENCE; read < NOTICES && patience > 0; patience--) {
            in.poll(this::check);
        }
    }

    private void check(final int kind, final long meta) {
        read++;
        mistakes += kind == LaneLayout.CONTROL_WANT && meta == read ? 0 : 1;
    }

    /** Reads what is left, and the score. */
    @Arbiter
    public void arbiter(final II_Result result) {
        while (in.poll(this::check) > 0) {
            Thread.onSpinWait();
        }
        result.r1 = mistakes;
        result.r2 = sent - read;
    }
}
