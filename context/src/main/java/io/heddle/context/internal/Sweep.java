package io.heddle.context.internal;

import io.heddle.context.CountersFile;
import io.heddle.context.SweepReport;
import io.heddle.context.SweepReport.Reason;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One pass over a runtime directory that removes what dead owners left. Every file there is named {@code <ownerId>-…}
 * or {@code <ownerId>.…}, or after a listener; whatever is not is left alone.
 *
 * <p>Only files that were listed before their owner was found dead are removed, so a new owner's files are never among
 * them. Processes may sweep at the same time: the owner's lock is held until its files are gone. Confined.
 */
final class Sweep {
    /** Counter files of dead owners that are kept for whoever asks what happened. */
    static final int KEPT_COUNTER_FILES = 2;

    private static final Pattern OWNED = Pattern.compile("([0-9a-f]{" + OwnerLock.OWNER_ID_LENGTH + "})[-.].+");

    private final boolean dryRun;
    private final List<SweepReport.Entry> files = new ArrayList<>();
    /** Of listeners; each name has a lock of its own. */
    private final List<Found> nameFiles = new ArrayList<>();

    private Sweep(final boolean dryRun) {
        this.dryRun = dryRun;
    }

    static SweepReport run(final Path directory, final boolean dryRun) throws IOException {
        return new Sweep(dryRun).run(directory);
    }

    private SweepReport run(final Path directory) throws IOException {
        final Map<String, List<Found>> filesByOwner = list(directory);
        if (!filesByOwner.isEmpty()) {
            final OwnerProbe probe = new OwnerProbe(directory);
            final List<Found> deadCounters = new ArrayList<>();
            for (final Map.Entry<String, List<Found>> owner : filesByOwner.entrySet()) {
                sweepOwner(probe, owner.getKey(), owner.getValue(), deadCounters);
            }
            deadCounters.sort(Comparator.comparingLong(Found::modifiedMs).thenComparing(Found::name).reversed());
            for (int i = 0; i < deadCounters.size(); i++) {
                if (i < KEPT_COUNTER_FILES) {
                    put(deadCounters.get(i), Reason.NEWEST_COUNTERS);
                } else {
                    remove(deadCounters.get(i), Reason.OLDER_COUNTERS);
                }
            }
        }
        sweepNames();
        files.sort(Comparator.comparing(SweepReport.Entry::name));
        return new SweepReport(files);
    }

    private void sweepOwner(
        final OwnerProbe probe,
        final String ownerId,
        final List<Found> owned,
        final List<Found> deadCounters) throws IOException {
        try (OwnerProbe.Verdict verdict = probe.probe(ownerId)) {
            if (verdict.isLive()) {
                owned.forEach(file -> put(file, Reason.LIVE_OWNER));
                return;
            }
            // Its lock goes last: as long as anything else is there, so is the proof that it is dead.
            owned.sort(Comparator.comparing(Found::isLock));
            for (final Found file : owned) {
                if (file.name().endsWith(CountersFile.SUFFIX)) {
                    deadCounters.add(file);
                } else {
                    remove(file, Reason.DEAD_OWNER);
                }
            }
        }
    }

    /** A name whose lock nobody holds goes with all its files; so does a lock that somebody died over making. */
    private void sweepNames() {
        final Map<String, List<Found>> filesByName = new TreeMap<>();
        for (final Found file : nameFiles) {
            filesByName.computeIfAbsent(file.nameLock(), lock -> new ArrayList<>()).add(file);
        }
        for (final Map.Entry<String, List<Found>> name : filesByName.entrySet()) {
            final List<Found> named = name.getValue();
            named.sort(Comparator.comparing(Found::isLock));
            final Path lock = named.get(0).path().resolveSibling(name.getKey());
            final Path address = lock.resolveSibling(Found.withoutSuffix(name.getKey()) + NameFiles.ADDRESS_SUFFIX);
            if (!sweepName(new NameFiles(lock, address), named)) {
                named.forEach(file -> put(file, Reason.HELD_NAME));
            }
        }
    }

    /** False if it is held, or cannot be judged. */
    private boolean sweepName(final NameFiles name, final List<Found> named) {
        final boolean[] isDead = new boolean[1];
        try {
            synchronized (NameFiles.JVM_WIDE) {
                Uninterrupted.call(() -> name.probe(() -> {
                    isDead[0] = true;
                    named.forEach(file -> remove(file, Reason.FREE_NAME));
                }));
            }
        } catch (final IOException ex) {
            return isDead[0];
        }
        return isDead[0];
    }

    private Map<String, List<Found>> list(final Path directory) throws IOException {
        final Map<String, List<Found>> filesByOwner = new TreeMap<>();
        try (DirectoryStream<Path> paths = Files.newDirectoryStream(directory)) {
            for (final Path path : paths) {
                final Found file = Found.at(path);
                if (file == null) {
                    continue;
                }
                if (file.name().startsWith(NameFiles.PREFIX) && !file.isDirectory()) {
                    nameFiles.add(file);
                    continue;
                }
                final Matcher owned = OWNED.matcher(file.name());
                if (owned.matches() && !file.isDirectory()) {
                    filesByOwner.computeIfAbsent(owned.group(1), ownerId -> new ArrayList<>()).add(file);
                } else {
                    put(file, Reason.NOT_HEDDLES);
                }
            }
        }
        return filesByOwner;
    }

    private void remove(final Found file, final Reason reason) {
        try {
            if (dryRun || Files.deleteIfExists(file.path())) {
                put(file, reason);
            }
        } catch (final IOException ex) {
            // The report says that it is still there; a leftover must not keep a new process from starting.
            put(file, Reason.NOT_REMOVABLE);
        }
    }

    private void put(final Found file, final Reason reason) {
        files.add(new SweepReport.Entry(file.name(), file.lengthBytes(), reason));
    }

    /** A file as it was when the directory was listed. */
    private record Found(Path path, String name, long lengthBytes, long modifiedMs, boolean isDirectory) {
        /** Null if it is gone already. */
        static Found at(final Path path) throws IOException {
            try {
                final BasicFileAttributes attributes =
                    Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                return new Found(
                    path, path.getFileName().toString(), attributes.size(), attributes.lastModifiedTime().toMillis(),
                    attributes.isDirectory());
            } catch (final NoSuchFileException ex) {
                return null;
            }
        }

        boolean isLock() {
            return name.endsWith(OwnerLock.LOCK_SUFFIX);
        }

        /** Of a listener name's file: the file whose lock counts for it. */
        String nameLock() {
            if (isLock() || name.endsWith(OwnerLock.TEMPORARY_SUFFIX)) {
                return name;
            }
            return withoutSuffix(name) + OwnerLock.LOCK_SUFFIX;
        }

        private static String withoutSuffix(final String file) {
            for (final String suffix : List.of(NameFiles.NEW_ADDRESS_SUFFIX, NameFiles.ADDRESS_SUFFIX,
                OwnerLock.LOCK_SUFFIX)) {
                if (file.endsWith(suffix)) {
                    return file.substring(0, file.length() - suffix.length());
                }
            }
            return file;
        }
    }
}
