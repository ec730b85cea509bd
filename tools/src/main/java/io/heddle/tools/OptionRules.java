package io.heddle.tools;

import java.util.Locale;

/** What the commands' options have in common. Static. */
final class OptionRules {
    private OptionRules() {
    }

    /** Throws {@link IllegalArgumentException}, which becomes the one line of a bad argument. */
    static void require(final boolean holds, final String rule) {
        if (!holds) {
            throw new IllegalArgumentException(rule);
        }
    }

    /** An option's value as it is written. */
    static String lower(final Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
