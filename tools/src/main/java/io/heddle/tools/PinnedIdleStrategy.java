package io.heddle.tools;

import org.agrona.concurrent.IdleStrategy;

/** Spins; the first time it is called it pins the thread that calls it. Confined to the thread that idles. */
final class PinnedIdleStrategy implements IdleStrategy {
    private final int cpu;
    private boolean pinned;

    PinnedIdleStrategy(final int cpu) {
        this.cpu = cpu;
    }

    @Override
    public void idle(final int workCount) {
        if (workCount <= 0) {
            idle();
        }
    }

    @Override
    public void idle() {
        if (!pinned) {
            pinned = true;
            HotThread.pin(cpu);
        }
        Thread.onSpinWait();
    }

    @Override
    public void reset() {
        // Spinning has no state.
    }

    @Override
    public String alias() {
        return "pinned-spin";
    }
}
