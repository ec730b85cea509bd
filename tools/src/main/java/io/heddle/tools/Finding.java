package io.heddle.tools;

import java.util.Locale;

/**
 * What one check of this machine found. Immutable.
 *
 * @param level how bad it is
 * @param check the check's name, one word
 * @param seen  what is there
 * @param cure  what to do about it; empty if nothing is wrong
 */
record Finding(Level level, String check, String seen, String cure) {
    /** How bad it is. */
    enum Level {
        /** As it should be. */
        OK,
        /** Heddle runs, and somebody may wonder. */
        WARN,
        /** Heddle does not run, or not to any use. */
        FAIL
    }

    static Finding ok(final String check, final String seen) {
        return new Finding(Level.OK, check, seen, "");
    }

    static Finding warn(final String check, final String seen, final String cure) {
        return new Finding(Level.WARN, check, seen, cure);
    }

    static Finding fail(final String check, final String seen, final String cure) {
        return new Finding(Level.FAIL, check, seen, cure);
    }

    /** One line. */
    @Override
    public String toString() {
        final String line = level.name().toLowerCase(Locale.ROOT) + " " + check + ": " + seen;
        return cure.isEmpty() ? line : line + "; cure: " + cure;
    }
}
