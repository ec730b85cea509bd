package io.heddle.tools;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One result as {@code key=value} pairs on a line, made to be grepped, or as one JSON object. Keys keep the order in
 * which they were put; values contain no white space. Confined.
 */
final class ResultLine {
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?");

    private final Map<String, String> values = new LinkedHashMap<>();

    /** Reads back what {@link #toString()} wrote; words without {@code =} are left out. */
    static ResultLine parse(final String line) {
        final ResultLine result = new ResultLine();
        for (final String word : line.strip().split("\\s+")) {
            final int equals = word.indexOf('=');
            if (equals > 0) {
                result.put(word.substring(0, equals), word.substring(equals + 1));
            }
        }
        return result;
    }

    ResultLine put(final String key, final String value) {
        values.put(key, value);
        return this;
    }

    ResultLine put(final String key, final long value) {
        return put(key, Long.toString(value));
    }

    ResultLine put(final String key, final boolean value) {
        return put(key, Boolean.toString(value));
    }

    ResultLine put(final String key, final double value, final int decimals) {
        return put(key, String.format(Locale.ROOT, "%." + decimals + "f", value));
    }

    /** The value of a key that must be there. */
    String text(final String key) {
        final String value = values.get(key);
        if (value == null) {
            throw new ToolException("no " + key + "= in the result: " + this);
        }
        return value;
    }

    long number(final String key) {
        return Long.parseLong(text(key));
    }

    String toJson() {
        return values.entrySet().stream()
            .map(entry -> quoted(entry.getKey()) + ":" + json(entry.getValue()))
            .collect(Collectors.joining(",", "{", "}"));
    }

    private static String json(final String value) {
        final boolean bare = value.equals("true") || value.equals("false") || NUMBER.matcher(value).matches();
        return bare ? value : quoted(value);
    }

    private static String quoted(final String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** One pair a line. */
    void print(final PrintWriter out) {
        values.forEach((key, value) -> out.println(key + "=" + value));
    }

    @Override
    public String toString() {
        return values.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(" "));
    }
}
