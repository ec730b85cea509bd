package io.heddle.worker;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Work, then the look at the armed word, against the armed word, then the look at the work. */
@JCStressTest
@Outcome(id = {"0, 0", "1, 0", "1, 1"}, expect = Expect.ACCEPTABLE, desc = "Woken, or the work was seen.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Armed and asleep with work to do: a lost wake-up.")
@State
public class WakeUpTest {
    private static final VarHandle WORK = handle();

    private final WakeUp wakeUp = new WakeUp(() -> { });
    private volatile int work;

    /** Posts work, as {@code WorkerCore.post} does. */
    @Actor
    public void poster() {
        if ((work & 1) == 0) {
            WORK.getAndBitwiseOr(this, 1); // Full fence; partner: the look after arm().
        }
        wakeUp.wake();
    }

    /** Arms and looks once more, as {@code Sleeper} does. */
    @Actor
    public void sleeper(final II_Result result) {
        wakeUp.arm();
        result.r1 = work != 0 ? 1 : 0; // Partner: the poster's store.
    }

    /** Whether a sleeper would still sleep. */
    @Arbiter
    public void arbiter(final II_Result result) {
        result.r2 = wakeUp.isArmed() ? 1 : 0;
    }

    private static VarHandle handle() {
        try {
            return MethodHandles.lookup().findVarHandle(WakeUpTest.class, "work", int.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }
}
