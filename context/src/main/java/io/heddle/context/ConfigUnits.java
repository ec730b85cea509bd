package io.heddle.context;

import java.util.Locale;
import java.util.Map;

/** Sizes and durations as configuration texts. Stateless. */
final class ConfigUnits {
    private static final Map<String, Long> BYTES = Map.of("", 1L, "k", 1L << 10, "m", 1L << 20, "g", 1L << 30);
    private static final Map<String, Long> NANOSECONDS =
        Map.of("ns", 1L, "us", 1_000L, "ms", 1_000_000L, "s", 1_000_000_000L, "min", 60_000_000_000L);

    private ConfigUnits() {
    }

    /** {@code 8k} is 8192; a bare number is bytes. */
    static long parseBytes(final String text) {
        return parse(text, BYTES);
    }

    /** {@code 5us} is 5000; only {@code 0} may stand without a unit. */
    static long parseNanoseconds(final String text) {
        return "0".equals(text) ? 0 : parse(text, NANOSECONDS);
    }

    /** The shortest text that {@link #parseBytes} reads back as the same value. */
    static String bytes(final long bytes) {
        for (final String unit : new String[] {"g", "m", "k"}) {
            if (bytes != 0 && bytes % BYTES.get(unit) == 0) {
                return bytes / BYTES.get(unit) + unit;
            }
        }
        return Long.toString(bytes);
    }

    /** The shortest text that {@link #parseNanoseconds} reads back as the same value; never in minutes. */
    static String nanoseconds(final long ns) {
        if (ns == 0) {
            return "0";
        }
        for (final String unit : new String[] {"s", "ms", "us"}) {
            if (ns % NANOSECONDS.get(unit) == 0) {
                return ns / NANOSECONDS.get(unit) + unit;
            }
        }
        return ns + "ns";
    }

    private static long parse(final String text, final Map<String, Long> units) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        final Long unit = units.get(text.substring(digits).toLowerCase(Locale.ROOT));
        if (digits == 0 || unit == null) {
            throw new IllegalArgumentException(text);
        }
        try {
            return Math.multiplyExact(Long.parseLong(text.substring(0, digits)), unit);
        } catch (final ArithmeticException ex) {
            throw new IllegalArgumentException(text, ex);
        }
    }
}
