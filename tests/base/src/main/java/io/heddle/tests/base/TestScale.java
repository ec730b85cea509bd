package io.heddle.tests.base;

import java.util.Locale;

/**
 * How long tests run that could run for ever: {@code -Dtests.scale=full} asks for the counts that scenarios name, a
 * number multiplies the quick counts. Immutable.
 */
public final class TestScale {
    /** Name of the system property. */
    public static final String PROPERTY = "tests.scale";

    /** What one test may take of the slow suite. */
    private static final long SHARE_NS = 60_000_000_000L;
    private static final String VALUE = System.getProperty(PROPERTY, "1");

    private TestScale() {
    }

    /** Whether the full counts are wanted. */
    public static boolean isFull() {
        return "full".equals(VALUE);
    }

    /**
     * Whether a test at full scale has had its minute, so that a count which this machine does not reach in reasonable
     * time ends there; {@link #report} says how far it came. Never at a quick scale.
     *
     * @param startNs {@code System.nanoTime()} at its beginning.
     */
    public static boolean isOver(final long startNs) {
        return isFull() && System.nanoTime() - startNs > SHARE_NS;
    }

    /** At full scale, a line on stdout: figures that are measured and never asserted. */
    public static void report(final String format, final Object... values) {
        if (isFull()) {
            System.out.println("measured: " + String.format(Locale.ROOT, format, values));
        }
    }

    /**
     * @param quick what a test does in about two seconds.
     * @param full  what the scenario names.
     */
    public static int count(final int quick, final int full) {
        return isFull() ? full : (int) Math.min(full, (long) quick * Integer.parseInt(VALUE));
    }
}
