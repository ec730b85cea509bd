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

/** {@link WakeUpTest} with a poster whose store of the work is a release and no more. */
@JCStressTest
@Outcome(id = {"0, 0", "1, 0", "1, 1"}, expect = Expect.ACCEPTABLE, desc = "Woken, or the work was seen.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Armed and asleep with work to do: a lost wake-up.")
@State
public class WakeUpBrokenTest {
    private static final VarHandle WORK = handle();

    private final WakeUp wakeUp = new WakeUp(() -> { });
    private volatile int work;

    /** Posts work, as {@code WorkerCore.post} does. */
    @Actor
    public void poster() {
        WORK.setRelease(this, 1); // No fence: the store may still be under way when the armed word is read.
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
            return MethodHandles.lookup().findVarHandle(WakeUpBrokenTest.class, "work", int.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }
}
