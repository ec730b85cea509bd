package io.heddle.context;

import java.util.ArrayList;
import java.util.List;

/**
 * What a close cut off. Immutable.
 *
 * @param cutRequests operations that were not finished and completed with CANCELED.
 * @param cutBytes    payload bytes of those that had not been handed over.
 * @param leaks       one text per element the application still keeps; it stays readable until released.
 * @param isTimedOut  whether the deadline passed before everything was flushed or every callback had returned.
 */
public record CloseReport(int cutRequests, long cutBytes, List<String> leaks, boolean isTimedOut) {
    /** Of a close that cut nothing off. */
    public static final CloseReport CLEAN = new CloseReport(0, 0, List.of(), false);

    /** Whether nothing was cut off, kept or late. */
    public boolean isClean() {
        return cutRequests == 0 && leaks.isEmpty() && !isTimedOut;
    }

    /** Both together. */
    public CloseReport plus(final CloseReport other) {
        final List<String> both = new ArrayList<>(leaks);
        both.addAll(other.leaks);
        return new CloseReport(cutRequests + other.cutRequests, cutBytes + other.cutBytes, List.copyOf(both),
            isTimedOut || other.isTimedOut);
    }
}
