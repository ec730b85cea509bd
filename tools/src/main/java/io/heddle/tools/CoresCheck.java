package io.heddle.tools;

/** Whether two sides that spin have a processor each. Stateless. */
final class CoresCheck {
    private static final String NAME = "cores";

    private CoresCheck() {
    }

    /** @param processors what the JVM may use, by affinity and cgroup. */
    static Finding finding(final int processors) {
        final String seen = "processors=" + processors + " by affinity and cgroup";
        return processors > 1 ? Finding.ok(NAME, seen + ", room for as many spinning threads of all processes together")
            : Finding.warn(NAME, seen + ", and a thread that spins keeps its peer from running",
                "leave the idle strategy at its default, which sleeps, or give more processors (docker --cpus)");
    }
}
