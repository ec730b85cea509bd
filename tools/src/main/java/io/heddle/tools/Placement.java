package io.heddle.tools;

import java.util.Locale;

/**
 * How far apart the cores of the two hot threads are at a moment. A virtual machine moves them while a run goes on,
 * and every shared-memory figure follows, by a factor of up to eight: so it is measured, and figures of different
 * placements are never mixed.
 */
enum Placement {
    /** Two hardware threads of one core. */
    SMT,
    /** Two cores with one last-level cache between them: what is reported, where it occurs. */
    CCX,
    /** Two cores with different last-level caches. */
    FAR;

    private static final double SMT_BELOW_NS = 70;
    private static final double CCX_BELOW_NS = 200;

    /** Judged from the round trip of one cache line. */
    static Placement of(final double roundTripNs) {
        if (roundTripNs < SMT_BELOW_NS) {
            return SMT;
        }
        return roundTripNs < CCX_BELOW_NS ? CCX : FAR;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
