package io.heddle.tests.base;

/**
 * How long tests run that could run for ever: {@code -Dtests.scale=full} asks for the counts that scenarios name, a
 * number multiplies the quick counts. Immutable.
 */
public final class TestScale {
    /** Name of the system property. */
    public static final String PROPERTY = "tests.scale";

    private static final String VALUE = System.getProperty(PROPERTY, "1");

    private TestScale() {
    }

    /** Whether the full counts are wanted. */
    public static boolean isFull() {
        return "full".equals(VALUE);
    }

    /**
     * @param quick what a test does in about two seconds.
     * @param full  what the scenario names.
     */
    public static int count(final int quick, final int full) {
        return isFull() ? full : (int) Math.min(full, (long) quick * Integer.parseInt(VALUE));
    }
}
