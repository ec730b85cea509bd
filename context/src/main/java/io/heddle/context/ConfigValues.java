package io.heddle.context;

import io.heddle.context.ContextConfig.Origin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The value of every key with where it came from, checked together. Immutable. */
final class ConfigValues {
    /** A value with its origin. */
    private record Found(Object value, Origin origin) {
    }

    private final Map<ConfigKey<?>, Found> found;

    private ConfigValues(final Map<ConfigKey<?>, Found> found) {
        this.found = Map.copyOf(found);
    }

    /**
     * Checks each value by itself, the values against each other, and the names; throws naming everything that is
     * wrong.
     */
    static ConfigValues conclude(final Map<ConfigKey<?>, Object> setters, final ConfigSources sources) {
        final List<String> problems = new ArrayList<>();
        final ConfigValues values = resolve(setters, sources, problems);
        problems.addAll(ConfigNames.unknown(sources));
        if (values.found.size() == ConfigKeys.ALL.size()) {
            problems.addAll(values.contradictions());
        }
        return require(values, problems);
    }

    /** Checks each value by itself only. */
    static ConfigValues preview(final Map<ConfigKey<?>, Object> setters, final ConfigSources sources) {
        final List<String> problems = new ArrayList<>();
        return require(resolve(setters, sources, problems), problems);
    }

    private static ConfigValues require(final ConfigValues values, final List<String> problems) {
        if (!problems.isEmpty()) {
            throw new ConfigurationException(problems);
        }
        return values;
    }

    private static ConfigValues resolve(
        final Map<ConfigKey<?>, Object> setters,
        final ConfigSources sources,
        final List<String> problems) {
        final Map<ConfigKey<?>, Found> found = new HashMap<>();
        for (final ConfigKey<?> key : ConfigKeys.ALL) {
            try {
                found.put(key, find(key, setters, sources));
            } catch (final IllegalArgumentException ex) {
                problems.add(ex.getMessage());
            }
        }
        return new ConfigValues(found);
    }

    // Only with() in ContextConfig fills the map, and it takes a value of the key's own type.
    @SuppressWarnings("unchecked")
    private static <T> Found find(
        final ConfigKey<T> key,
        final Map<ConfigKey<?>, Object> setters,
        final ConfigSources sources) {
        final Object set = setters.get(key);
        if (set != null) {
            return checked(key, (T)set, Origin.SETTER);
        }
        final String property = sources.property().apply(key.name());
        if (property != null) {
            return checked(key, key.parse(property), Origin.PROPERTY);
        }
        final String variable = sources.environment().apply(key.environmentName());
        if (variable != null) {
            return checked(key, key.parse(variable), Origin.ENVIRONMENT);
        }
        return checked(key, key.defaultValue(), Origin.DEFAULT);
    }

    private static <T> Found checked(final ConfigKey<T> key, final T value, final Origin origin) {
        final String problem = key.problem(value);
        if (problem != null) {
            throw new IllegalArgumentException(problem + " (" + origin + ")");
        }
        return new Found(value, origin);
    }

    private List<String> contradictions() {
        final List<String> problems = new ArrayList<>();
        requireAtMost(problems, ConfigKeys.POOL_LIMIT, ConfigKeys.SHM_LIMIT, 1);
        requireAtMost(problems, ConfigKeys.RING_BYTES, ConfigKeys.SHM_LIMIT, 1);
        // A record must be able to wrap, and a sender to be ahead of its receiver.
        requireAtMost(problems, ConfigKeys.INLINE_MAX, ConfigKeys.RING_BYTES, 4);
        requireAtMost(problems, ConfigKeys.INLINE_MAX, ConfigKeys.MESSAGE_MAX, 1);
        return problems;
    }

    private void requireAtMost(
        final List<String> problems,
        final ConfigKey<Long> small,
        final ConfigKey<Long> large,
        final long divisor) {
        final long limit = value(large) / divisor;
        if (value(small) > limit) {
            final String bound = divisor == 1 ?
                large.assignment(limit) : large.name() + "/" + divisor + "=" + ConfigUnits.bytes(limit);
            problems.add(small.assignment(value(small)) + " must be <= " + bound);
        }
    }

    // find() puts only a value of the key's own type.
    @SuppressWarnings("unchecked")
    <T> T value(final ConfigKey<T> key) {
        return (T)found.get(key).value();
    }

    /** All keys in the table's order. */
    List<ContextConfig.Entry> entries() {
        final List<ContextConfig.Entry> entries = new ArrayList<>();
        ConfigKeys.ALL.forEach(key -> entries.add(entry(key)));
        return List.copyOf(entries);
    }

    private <T> ContextConfig.Entry entry(final ConfigKey<T> key) {
        return new ContextConfig.Entry(
            key.name(),
            key.type().print(value(key)),
            found.get(key).origin(),
            key.type().name(),
            key.type().print(key.defaultValue()),
            key.help());
    }
}
