package io.heddle.context;

import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One row of the table of keys: all that is to be said about an option is said here, once. Immutable.
 *
 * @param <T> of the value
 */
final class ConfigKey<T> {
    private final String name;
    private final ConfigType<T> type;
    private final Supplier<T> defaultValue;
    private final Function<T, String> check;
    private final String help;

    /** {@code check} returns what a value must be, to follow {@code name=value}, or null if it is right. */
    ConfigKey(
        final String name,
        final ConfigType<T> type,
        final Supplier<T> defaultValue,
        final Function<T, String> check,
        final String help) {
        this.name = name;
        this.type = type;
        this.defaultValue = defaultValue;
        this.check = check;
        this.help = help;
    }

    /** Also the name of the system property. */
    String name() {
        return name;
    }

    String environmentName() {
        return name.toUpperCase(Locale.ROOT).replace('.', '_');
    }

    ConfigType<T> type() {
        return type;
    }

    T defaultValue() {
        return defaultValue.get();
    }

    String help() {
        return help;
    }

    /** Throws {@link IllegalArgumentException} saying what is wrong with {@code text}. */
    T parse(final String text) {
        try {
            return type.parse(text);
        } catch (final IllegalArgumentException ex) {
            throw new IllegalArgumentException(name + "=" + text + " must be " + type.expectation(), ex);
        }
    }

    /** Null if {@code value} may be used, otherwise one line saying why not. */
    String problem(final T value) {
        final String must = check.apply(value);
        return must == null ? null : assignment(value) + " " + must;
    }

    String assignment(final T value) {
        return name + "=" + type.print(value);
    }
}
