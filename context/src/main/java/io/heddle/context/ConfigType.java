package io.heddle.context;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How the values of a key are read from text and written back. Immutable.
 *
 * @param <T> of the value
 */
final class ConfigType<T> {
    static final ConfigType<Long> SIZE =
        new ConfigType<>("size", "a size like 8k, 1m, 1g", ConfigUnits::parseBytes, ConfigUnits::bytes);
    static final ConfigType<Long> DURATION = new ConfigType<>(
        "duration", "a duration like 5us, 100ms, 2s", ConfigUnits::parseNanoseconds, ConfigUnits::nanoseconds);
    static final ConfigType<Integer> COUNT =
        new ConfigType<>("count", "a whole number", Integer::parseInt, String::valueOf);
    static final ConfigType<Boolean> SWITCH =
        new ConfigType<>("on|off", "on or off", ConfigType::parseSwitch, on -> on ? "on" : "off");
    static final ConfigType<Path> PATH = new ConfigType<>("path", "a path", Path::of, Path::toString);
    static final ConfigType<String> TEXT = new ConfigType<>("text", "a text", text -> text, text -> text);
    /** An empty list stands for all. */
    static final ConfigType<List<String>> NAMES = new ConfigType<>(
        "all|names", "all, or names separated by commas", ConfigType::parseNames, ConfigType::printNames);
    static final ConfigType<Long> THRESHOLD = new ConfigType<>(
        "auto|inf|size", "auto, inf, or a size like 64k", ConfigType::parseThreshold, ConfigType::printThreshold);

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]*");

    private final String name;
    private final String expectation;
    private final Function<String, T> parser;
    private final Function<T, String> printer;

    private ConfigType(
        final String name,
        final String expectation,
        final Function<String, T> parser,
        final Function<T, String> printer) {
        this.name = name;
        this.expectation = expectation;
        this.parser = parser;
        this.printer = printer;
    }

    static <E extends Enum<E>> ConfigType<E> choice(final Class<E> type) {
        final String names =
            Arrays.stream(type.getEnumConstants()).map(ConfigType::lower).collect(Collectors.joining("|"));
        return new ConfigType<>(names, "one of " + names, text -> constant(type, text), ConfigType::lower);
    }

    /** Throws {@link IllegalArgumentException} if {@code text} is no such value. */
    T parse(final String text) {
        return parser.apply(text);
    }

    String print(final T value) {
        return printer.apply(value);
    }

    /** What {@link #parse} expects, to follow "must be". */
    String expectation() {
        return expectation;
    }

    /** The type or the unit, in a word. */
    String name() {
        return name;
    }

    private static String lower(final Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Exact, since some keys are read in other places too, before there is a configuration. */
    private static <E extends Enum<E>> E constant(final Class<E> type, final String text) {
        return Arrays.stream(type.getEnumConstants())
            .filter(constant -> lower(constant).equals(text))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException(text));
    }

    private static boolean parseSwitch(final String text) {
        if ("on".equals(text)) {
            return true;
        }
        if ("off".equals(text)) {
            return false;
        }
        throw new IllegalArgumentException(text);
    }

    private static List<String> parseNames(final String text) {
        if ("all".equals(text)) {
            return List.of();
        }
        final List<String> names = Arrays.stream(text.split(",", -1)).map(String::strip).toList();
        if (!names.stream().allMatch(NAME.asMatchPredicate())) {
            throw new IllegalArgumentException(text);
        }
        return names;
    }

    private static String printNames(final List<String> names) {
        return names.isEmpty() ? "all" : String.join(",", names);
    }

    private static long parseThreshold(final String text) {
        if ("auto".equals(text)) {
            return ContextConfig.RENDEZVOUS_AUTO;
        }
        return "inf".equals(text) ? ContextConfig.RENDEZVOUS_NEVER : ConfigUnits.parseBytes(text);
    }

    private static String printThreshold(final long bytes) {
        if (bytes == ContextConfig.RENDEZVOUS_AUTO) {
            return "auto";
        }
        return bytes == ContextConfig.RENDEZVOUS_NEVER ? "inf" : ConfigUnits.bytes(bytes);
    }
}
