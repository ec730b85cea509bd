package io.heddle.context;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Finds names that look like settings and are none, such as misspelled ones. Stateless. */
final class ConfigNames {
    private static final String PROPERTY_PREFIX = "heddle.";
    private static final String PROPERTY_TEST_PREFIX = "heddle.test.";
    private static final String ENVIRONMENT_PREFIX = "HEDDLE_";
    private static final String ENVIRONMENT_TEST_PREFIX = "HEDDLE_TEST_";
    /** Read by the launcher. */
    private static final String JAVA_OPTIONS = "HEDDLE_JAVA_OPTS";

    private ConfigNames() {
    }

    /** One line per unknown name, naming the nearest known one. */
    static List<String> unknown(final ConfigSources sources) {
        final List<String> problems = new ArrayList<>();
        final List<String> properties = ConfigKeys.ALL.stream().<String>map(ConfigKey::name).toList();
        for (final String name : sorted(sources.propertyNames().get())) {
            if (name.startsWith(PROPERTY_PREFIX) && !name.startsWith(PROPERTY_TEST_PREFIX) &&
                !properties.contains(name)) {
                problems.add("unknown system property " + name + ": did you mean " + nearest(name, properties) + "?");
            }
        }
        final List<String> variables = ConfigKeys.ALL.stream().<String>map(ConfigKey::environmentName).toList();
        for (final String name : sorted(sources.environmentNames().get())) {
            if (name.startsWith(ENVIRONMENT_PREFIX) && !name.startsWith(ENVIRONMENT_TEST_PREFIX) &&
                !name.equals(JAVA_OPTIONS) && !variables.contains(name)) {
                problems.add(
                    "unknown environment variable " + name + ": did you mean " + nearest(name, variables) + "?");
            }
        }
        return problems;
    }

    private static Set<String> sorted(final Collection<String> names) {
        return new TreeSet<>(names);
    }

    private static String nearest(final String name, final List<String> known) {
        // A name cut short or carried on is nearer than its number of characters says.
        return known.stream()
            .min(Comparator
                .comparing((String candidate) -> !candidate.startsWith(name) && !name.startsWith(candidate))
                .thenComparingInt(candidate -> distance(name, candidate)))
            .orElseThrow();
    }

    /** How many characters have to be put in, taken out or changed to make one of the other (Levenshtein). */
    static int distance(final String a, final String b) {
        int[] above = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            final int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                final int changed = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(changed, Math.min(above[j], row[j - 1]) + 1);
            }
            above = row;
        }
        return above[b.length()];
    }
}
