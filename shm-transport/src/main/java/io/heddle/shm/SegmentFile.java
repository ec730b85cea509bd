package io.heddle.shm;

import io.heddle.context.AccessRefusedException;
import io.heddle.context.HeddleException;
import io.heddle.context.NoSharedMemoryException;
import io.heddle.context.Status;
import io.heddle.context.internal.FailPoints;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Makes and opens the files behind segments. Control thread only.
 *
 * <p>A file lives from its creation until the peer has mapped it; whoever fails on the way unlinks it. Every page is
 * backed by a real write before anybody touches it: a mapped page without memory behind it kills the JVM at a
 * compare-and-set, and is an error elsewhere.
 */
final class SegmentFile {
    /** What every name ends with; the sweep of dead owners' files knows it. */
    static final String SUFFIX = ".seg";
    static final long MAX_BYTES = 1L << 30;
    static final int PAGE_BYTES = 4096;

    private static final int WRITE_BYTES = 256 * 1024;
    private static final int MAX_NAME_LENGTH = 128;
    private static final Pattern NAME = Pattern.compile("[0-9A-Za-z_-]+\\" + SUFFIX);
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(WRITE_BYTES).asReadOnlyBuffer();

    private SegmentFile() {
    }

    /**
     * Creates, backs and maps a segment of zeros.
     *
     * @param bytes wanted; rounded up to whole pages.
     * @throws NoSharedMemoryException if the budget or the file system has no room. Nothing is left behind, no file and
     * no charge.
     */
    static MappedSegment create(
        final Path directory, final String name, final long bytes, final SegmentBudget budget,
            final SegmentGauge gauge) {
        final long whole = (bytes + PAGE_BYTES - 1) & -PAGE_BYTES;
        if (bytes <= 0 || whole > MAX_BYTES) {
            throw new HeddleException(Status.OUT_OF_RANGE, "segmentBytes=" + bytes + " must be in 1.." + MAX_BYTES);
        }
        budget.charge(directory, whole);
        boolean done = false;
        try {
            final MappedSegment segment = createCharged(directory.resolve(name), name, whole, budget, gauge);
            done = true;
            return segment;
        } finally {
            if (!done) {
                budget.free(whole);
            }
        }
    }

    private static MappedSegment createCharged(
        final Path path, final String name, final long bytes, final SegmentBudget budget, final SegmentGauge gauge) {
        boolean done = false;
        try (FileChannel channel = FileChannel.open(
            path,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS),
            PosixFilePermissions.asFileAttribute(OWNER_ONLY))) {
            FailPoints.at("shm.create.opened");
            Files.setPosixFilePermissions(path, OWNER_ONLY); // the umask may have taken bits from what was asked for
            back(channel, path, bytes);
            FailPoints.at("shm.create.sized");
            final MappedByteBuffer buffer = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
            done = true;
            return new MappedSegment(name, buffer, gauge, budget);
        } catch (final IOException ex) {
            throw new HeddleException(Status.SHMEM_SEGMENT, "cannot make a segment: file=" + path + " cause=" +
                reason(ex), ex);
        } finally {
            if (!done) {
                unlink(path);
            }
        }
    }

    private static void back(final FileChannel channel, final Path path, final long bytes) {
        long position = 0;
        try {
            while (position < bytes) {
                final ByteBuffer zeros = ZEROS.duplicate();
                zeros.limit((int) Math.min(WRITE_BYTES, bytes - position));
                position += channel.write(zeros, position);
            }
        } catch (final IOException ex) {
            throw new NoSharedMemoryException(
                path.getParent().toString(), bytes, usableBytes(path.getParent()),
                "the size of its file system, heddle.directory or " + SegmentBudget.SETTING, ex);
        }
    }

    private static long usableBytes(final Path directory) {
        try {
            return Files.getFileStore(directory).getUsableSpace();
        } catch (final IOException ex) {
            return 0;
        }
    }

    /**
     * Opens and maps a segment that the peer has named.
     *
     * @param name     as the peer said; checked.
     * @param minBytes the least size.
     * @param user     who must own it.
     * @throws HeddleException that says what is wrong with the file.
     */
    static MappedSegment open(
        final Path directory, final String name, final long minBytes, final UserPrincipal user,
            final SegmentGauge gauge) {
        if (!isName(name)) {
            throw new HeddleException(Status.PROTOCOL_VIOLATION, "segmentName=" + printable(name) + " must match " +
                NAME);
        }
        final Path path = directory.resolve(name);
        try {
            final PosixFileAttributes before = checked(path, user);
            try (FileChannel channel = FileChannel.open(
                path, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
                final PosixFileAttributes opened = checked(path, user);
                final long bytes = channel.size();
                if (!opened.fileKey().equals(before.fileKey())) {
                    throw new AccessRefusedException("file=" + path + " was exchanged while it was opened");
                }
                if (bytes < minBytes || bytes > MAX_BYTES) {
                    throw new HeddleException(
                        Status.PROTOCOL_VIOLATION, "file=" + path + " bytes=" + bytes + " must be in " + minBytes +
                            ".." + MAX_BYTES);
                }
                return new MappedSegment(name, channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes), gauge, null);
            }
        } catch (final NoSuchFileException ex) {
            throw new HeddleException(
                Status.SHMEM_SEGMENT, "no such segment: file=" + path + "; do both processes see the same directory?",
                    ex);
        } catch (final IOException ex) {
            throw new HeddleException(Status.SHMEM_SEGMENT, "cannot open a segment: file=" + path + " cause=" +
                reason(ex), ex);
        }
    }

    private static PosixFileAttributes checked(final Path path, final UserPrincipal user) throws IOException {
        final PosixFileAttributes found =
            Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!found.isRegularFile()) {
            throw new AccessRefusedException("file=" + path +
                " is not a regular file; symbolic links are not followed");
        }
        if (!found.owner().equals(user) || !found.permissions().equals(OWNER_ONLY)) {
            throw new AccessRefusedException(
                "file=" + path + " owner=" + found.owner().getName() + " permissions=" +
                    PosixFilePermissions.toString(found.permissions()) + " must be owner=" + user.getName() +
                        " permissions=rw-------");
        }
        return found;
    }

    /** Whether this can be the name of a segment in a runtime directory; then it has no separator in it. */
    static boolean isName(final String name) {
        return name.length() <= MAX_NAME_LENGTH && NAME.matcher(name).matches();
    }

    /** Removes a name; that it is gone already is no error, and nothing else is one that anybody could act upon. */
    static void unlink(final Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (final IOException ex) {
            // The sweep of the next context in this directory takes what a failure leaves here.
        }
    }

    private static String printable(final String text) {
        final String start = text.length() <= MAX_NAME_LENGTH ? text : text.substring(0, MAX_NAME_LENGTH) + "...";
        return start.replaceAll("[^ -~]", "?");
    }

    private static String reason(final IOException ex) {
        return ex instanceof FileSystemException && ((FileSystemException) ex).getReason() != null
            ? ((FileSystemException) ex).getReason() : String.valueOf(ex.getMessage());
    }
}
