package io.heddle.tools;

/**
 * When to stop waiting for the stream: it is complete, or its connection failed, or nothing has come for long. Tells
 * the parent of progress. Confined.
 */
final class DemoPatience {
    private static final long TELL_NS = 50_000_000L;
    /** The producer's JVM has to start first. */
    private static final long START_NS = 60_000_000_000L;
    private static final long STALL_NS = 30_000_000_000L;

    private final ChildChannel parent;
    private final StreamCheck check;
    private final DemoErrors errors;
    private long toldNs = System.nanoTime();
    private long movedNs = toldNs;
    private long seen;

    DemoPatience(final ChildChannel parent, final StreamCheck check, final DemoErrors errors) {
        this.errors = errors;
        this.parent = parent;
        this.check = check;
    }

    /** To be asked again and again, at least some times a second. */
    boolean isOver() {
        final long now = System.nanoTime();
        final long settled = check.arrived() + check.wrong();
        if (settled != seen) {
            seen = settled;
            movedNs = now;
        }
        if (check.hasBegun() && now - toldNs >= TELL_NS) {
            toldNs = now;
            parent.tell(DemoConsumer.PROGRESS, Long.toString(check.bytes()));
        }
        final boolean stalled = now - movedNs > (check.hasBegun() ? STALL_NS : START_NS);
        if (stalled && !check.isComplete()) {
            System.err.println("demo: nothing has come for long, and nothing will");
        }
        return check.isComplete() || stalled || errors.isCutOff();
    }
}
