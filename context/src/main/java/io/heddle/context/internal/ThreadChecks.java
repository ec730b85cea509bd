package io.heddle.context.internal;

import io.heddle.context.Context;

/** Decides once per JVM whether thread modes are checked. Immutable. */
final class ThreadChecks {
    static final String PROPERTY = "heddle.thread.checks";
    static final String VARIABLE = "HEDDLE_THREAD_CHECKS";

    private ThreadChecks() {
    }

    static boolean isEnabled() {
        return isEnabled(
            System.getProperty(PROPERTY), System.getenv(VARIABLE), Context.class.desiredAssertionStatus());
    }

    /** A value that is neither of the two is left to the configuration to refuse; here it decides nothing. */
    static boolean isEnabled(final String property, final String variable, final boolean hasAssertions) {
        final String value = property != null ? property : variable;
        if ("assert".equals(value)) {
            return true;
        }
        return !"off".equals(value) && hasAssertions;
    }
}
