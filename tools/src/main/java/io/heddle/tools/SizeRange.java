package io.heddle.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Message sizes as they are written on a command line: {@code 8}, {@code 64k}, lists {@code 8,64,1k} and ranges
 * {@code 8..64k} that double from the first to the last (which is always among them). Suffixes k, m, g are binary.
 * Immutable.
 */
final class SizeRange {
    /** The longest message: 1 GiB. */
    static final long MAX_BYTES = 1L << 30;

    private SizeRange() {
    }

    /** One size in bytes, between {@code min} and {@link #MAX_BYTES}. */
    static int parseSize(final String text, final int min) {
        final String trimmed = text.strip().toLowerCase(Locale.ROOT);
        final int shift = trimmed.isEmpty() ? 0 : switch (trimmed.charAt(trimmed.length() - 1)) {
            case 'k' -> 10;
            case 'm' -> 20;
            case 'g' -> 30;
            default -> 0;
        };
        final String digits = shift == 0 ? trimmed : trimmed.substring(0, trimmed.length() - 1);
        if (!digits.matches("[0-9]{1,10}")) {
            throw new IllegalArgumentException("size=" + text + " is not a number of bytes such as 8, 64k or 1m");
        }
        final long bytes = Long.parseLong(digits) << shift;
        if (bytes < min || bytes > MAX_BYTES) {
            throw new IllegalArgumentException("size=" + text + " must be between " + min + " and 1g");
        }
        return (int) bytes;
    }

    /** Every size that {@code text} means, in the order written. */
    static List<Integer> parse(final String text) {
        final List<Integer> sizes = new ArrayList<>();
        for (final String part : text.split(",", -1)) {
            final int dots = part.indexOf("..");
            if (dots < 0) {
                sizes.add(parseSize(part, 1));
            } else {
                addRange(sizes, part, parseSize(part.substring(0, dots), 1), parseSize(part.substring(dots + 2), 1));
            }
        }
        return List.copyOf(sizes);
    }

    private static void addRange(final List<Integer> sizes, final String part, final int first, final int last) {
        if (first > last) {
            throw new IllegalArgumentException("size=" + part + " must go from the smaller to the larger");
        }
        long size = first;
        while (size < last) {
            sizes.add((int) size);
            size <<= 1;
        }
        sizes.add(last);
    }
}
