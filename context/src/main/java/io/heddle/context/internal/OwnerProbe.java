package io.heddle.context.internal;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Set;

/**
 * Finds out whether an owner lives by trying its lock, and never opens a file that this JVM has open: closing it again
 * would drop the JVM's own lock. What the JVM has open is asked of {@code /proc}, so that another class loader's Heddle
 * is seen as well.
 *
 * <p>Must be created after the directory was listed: a file of this JVM that was listed then is open by then, or
 * already given up. Confined.
 */
final class OwnerProbe {
    private static final Path OPEN_FILES = Path.of("/proc/self/fd");

    private final Path directory;
    private final Set<Object> openHere;

    OwnerProbe(final Path directory) throws IOException {
        this.directory = directory;
        this.openHere = openFiles();
    }

    /** A dead owner's lock, held while its files are swept. */
    record Verdict(boolean isLive, FileChannel channel) implements AutoCloseable {
        private static final Verdict LIVE = new Verdict(true, null);
        private static final Verdict NO_FILE = new Verdict(false, null);

        @Override
        public void close() throws IOException {
            if (channel != null) {
                channel.close();
            }
        }
    }

    /**
     * The temporary name is asked first: an owner that renames meanwhile is then found under the final one. An owner
     * that has neither is dead, since its other files come after its lock and go before it.
     */
    Verdict probe(final String ownerId) throws IOException {
        final Verdict beingMade =
            Uninterrupted.call(() -> tryLock(directory.resolve(ownerId + OwnerLock.TEMPORARY_SUFFIX)));
        if (beingMade != Verdict.NO_FILE) {
            return beingMade;
        }
        return Uninterrupted.call(() -> tryLock(directory.resolve(ownerId + OwnerLock.LOCK_SUFFIX)));
    }

    /** Whether this JVM had the file open when this was made. */
    boolean isOpenHere(final Path file) throws IOException {
        return openHere.contains(key(file, LinkOption.NOFOLLOW_LINKS));
    }

    private Verdict tryLock(final Path file) throws IOException {
        FileChannel channel = null;
        Verdict verdict = Verdict.LIVE;
        try {
            if (!isOpenHere(file)) {
                channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                if (channel.tryLock() != null) {
                    verdict = new Verdict(false, channel);
                }
            }
        } catch (final NoSuchFileException ex) {
            verdict = Verdict.NO_FILE;
        } catch (final ClosedByInterruptException ex) {
            throw ex;
        } catch (final OverlappingFileLockException | IOException ex) {
            // Another class loader of this JVM is sweeping the same owner, or the file cannot be judged: leave it.
            verdict = Verdict.LIVE;
        } finally {
            if (channel != null && verdict.channel() == null) {
                channel.close();
            }
        }
        return verdict;
    }

    private static Object key(final Path file, final LinkOption... options) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, options).fileKey();
    }

    private static Set<Object> openFiles() throws IOException {
        final Set<Object> keys = new HashSet<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(OPEN_FILES)) {
            for (final Path descriptor : descriptors) {
                try {
                    keys.add(key(descriptor));
                } catch (final IOException ex) {
                    // Closed since it was listed, or of a kind that has no key.
                    continue;
                }
            }
        }
        return keys;
    }
}
