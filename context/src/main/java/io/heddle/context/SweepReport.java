package io.heddle.context;

import java.util.List;

/**
 * What a sweep found in a runtime directory, and did. Immutable.
 *
 * @param files everything there was, by name
 */
public record SweepReport(List<Entry> files) {
    /** Why a file went or stayed. */
    public enum Reason {
        /** Went. */
        DEAD_OWNER(true, "its owner is dead"),
        /** Went. */
        OLDER_COUNTERS(true, "counters of a dead owner, not of the newest"),
        /** Went. */
        FREE_NAME(true, "nobody listens by this name any more"),
        /** Stayed. */
        LIVE_OWNER(false, "its owner lives, or cannot be judged"),
        /** Stayed, for whoever asks what happened. */
        NEWEST_COUNTERS(false, "counters of a dead owner, of the newest"),
        /** Stayed. */
        HELD_NAME(false, "somebody listens by this name, or it cannot be judged"),
        /** Stayed. */
        NOT_HEDDLES(false, "not named as a file of an owner or listener is"),
        /** Stayed. */
        NOT_REMOVABLE(false, "a leftover that the system does not let go");

        private final boolean isRemoved;
        private final String text;

        Reason(final boolean isRemoved, final String text) {
            this.isRemoved = isRemoved;
            this.text = text;
        }

        /** Whether what has this reason goes. */
        public boolean isRemoved() {
            return isRemoved;
        }

        /** For people. */
        public String text() {
            return text;
        }
    }

    /**
     * A file. Immutable.
     *
     * @param name        in the directory
     * @param lengthBytes when the directory was listed
     * @param reason      why it is gone, or in a dry run would be; or why not
     */
    public record Entry(String name, long lengthBytes, Reason reason) {
    }

    /** Takes a copy of the list. */
    public SweepReport {
        files = List.copyOf(files);
    }

    /** Names of dead owners' files that are gone, or in a dry run would be. */
    public List<String> removed() {
        return files.stream().filter(file -> file.reason.isRemoved).map(Entry::name).toList();
    }

    /** Names of all others. */
    public List<String> kept() {
        return files.stream().filter(file -> !file.reason.isRemoved).map(Entry::name).toList();
    }

    /** What the removed files held. */
    public long removedBytes() {
        return files.stream().filter(file -> file.reason.isRemoved).mapToLong(Entry::lengthBytes).sum();
    }

    /** What the others hold. */
    public long keptBytes() {
        return files.stream().filter(file -> !file.reason.isRemoved).mapToLong(Entry::lengthBytes).sum();
    }
}
