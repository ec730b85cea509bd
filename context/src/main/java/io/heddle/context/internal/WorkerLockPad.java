package io.heddle.context.internal;

/**
 * Keeps the one word that all users of a {@link WorkerLock} write 128 bytes away from whatever lies before and behind
 * it: a class's fields are laid out after those of its superclass. Thread safe as {@link WorkerLock} uses it; the
 * padding is never read.
 */
final class WorkerLockPad {
    private WorkerLockPad() {
    }

    /** In front of the state. */
    abstract static class Left {
        long l00, l01, l02, l03, l04, l05, l06, l07, l08, l09, l10, l11, l12, l13, l14, l15;
    }

    /** Layout and pairings of the state are told at {@link WorkerLock}. */
    abstract static class State extends Left {
        volatile long state;
    }

    /** Behind the state. */
    abstract static class Right extends State {
        long r00, r01, r02, r03, r04, r05, r06, r07, r08, r09, r10, r11, r12, r13, r14, r15;
    }
}
