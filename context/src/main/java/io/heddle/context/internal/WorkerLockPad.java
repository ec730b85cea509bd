package io.heddle.context.internal;

/** Keeps what lies before a {@link WorkerLock}'s state 128 bytes away from it. Confined: never read. */
abstract class WorkerLockLeftPad {
    long l00, l01, l02, l03, l04, l05, l06, l07, l08, l09, l10, l11, l12, l13, l14, l15;
}

/** The one word of a {@link WorkerLock} that all its users write. Layout and pairings are told there. */
abstract class WorkerLockState extends WorkerLockLeftPad {
    volatile long state;
}

/** Keeps what lies behind a {@link WorkerLock}'s state 128 bytes away from it. Confined: never read. */
abstract class WorkerLockPad extends WorkerLockState {
    long r00, r01, r02, r03, r04, r05, r06, r07, r08, r09, r10, r11, r12, r13, r14, r15;
}
