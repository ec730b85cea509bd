package io.heddle.context.internal;

import java.util.List;

/**
 * What a sweep found in a runtime directory. Immutable.
 *
 * @param removed names of dead owners' files that are gone, or in a dry run would be
 * @param kept names of all others: live owners' files, the newest counter files of dead owners, and what is none of
 *     Heddle's
 * @param removedBytes what the removed files held
 */
public record SweepReport(List<String> removed, List<String> kept, long removedBytes) {
    /** Of a directory with nothing in it. */
    static final SweepReport EMPTY = new SweepReport(List.of(), List.of(), 0);
}
