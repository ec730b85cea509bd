package io.heddle.worker;

import io.heddle.context.internal.Guarded;

/**
 * Whether a connection's two sides take turns: one message, then the other's answer.
 *
 * <p>Then, where to look for the next message is known, and that it is not there yet. A look at its empty slot brings
 * the slot's cache line here, and the peer has to take it back before it can write: two transfers between processors
 * on the message's way instead of one. So who takes turns collects one record and looks no further, has its lane take
 * the next slot for writing ahead of time, and rests a moment before it looks again.
 *
 * <p>Under the guard, by the holder of the dispatcher token; {@link #sent()} under the guard alone.
 */
final class TurnTaking {
    /** So many single messages, each after one of ours, make it a habit. */
    private static final int HABIT = 16;
    /** Now and then all there is gets collected, to see whether it still is one at a time. */
    private static final int LOOK_AROUND = 16;

    private boolean hasSent;
    private int turns;

    @Guarded
    void sent() {
        hasSent = true;
    }

    /** Whether turns are taken. */
    @Guarded
    boolean isOn() {
        return turns >= HABIT;
    }

    /** How many records to collect at most. */
    @Guarded
    int limit(final int most) {
        return isOn() && (turns & LOOK_AROUND - 1) != 0 ? 1 : most;
    }

    /** So many records came, at least one. Whether turns are taken, from now on. */
    @Guarded
    boolean received(final int records) {
        if (records > 1 || !hasSent) {
            turns = 0;
        } else if (++turns == 2 * HABIT) {
            turns = HABIT;
        }
        hasSent = false;
        return isOn();
    }
}
