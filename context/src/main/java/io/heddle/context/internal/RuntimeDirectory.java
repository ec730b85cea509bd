package io.heddle.context.internal;

import io.heddle.context.AccessRefusedException;
import io.heddle.context.ClosedException;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.SweepReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A context's place in the directory where processes find each other. Opening it makes the directory if need be,
 * refuses one that is not ours alone, sweeps what dead processes left, and holds the JVM's owner lock in it.
 *
 * <p>All contexts of a JVM that use the same directory share one lock and one {@link #ownerId()}; each has its own
 * {@link #contextId()}. Files are named {@code <ownerId>-<contextId>…}: {@link #file(String)}. They are removed with
 * the context, or by a later process's sweep. Thread safe.
 */
public final class RuntimeDirectory implements AutoCloseable {
    /** What {@code sockaddr_un} has room for, without the zero that ends it. */
    public static final int SOCKET_PATH_MAX_BYTES = 107;
    /** What the name of a context's socket ends with. */
    public static final String SOCKET_SUFFIX = ".sock";

    /** Of the files that a sweep removed, how many its line in the log names. */
    private static final int NAMED = 16;
    private static final Logger LOGGER = LoggerFactory.getLogger(RuntimeDirectory.class);

    private final Owner owner;
    private final int contextId;
    private final SweepReport leftovers;
    private boolean closed;

    private RuntimeDirectory(final Owner owner, final int contextId, final SweepReport leftovers) {
        this.owner = owner;
        this.contextId = contextId;
        this.leftovers = leftovers;
    }

    /**
     * Opens {@code directory}, whose parent must exist, for one context.
     *
     * @throws AccessRefusedException if it is a symbolic link or no directory, another user's, or open to others
     * @throws HeddleException if it cannot be made, or the system refuses
     */
    public static RuntimeDirectory open(final Path directory) {
        try {
            final Path path = PrivateDirectory.open(directory);
            synchronized (Owner.class) {
                final SweepReport leftovers = Sweep.run(path, false);
                told(path, leftovers);
                final Owner owner = Owner.join(path);
                return new RuntimeDirectory(owner, owner.nextContextId(), leftovers);
            }
        } catch (final IOException | DirectoryIteratorException ex) {
            throw failed("open", directory, ex);
        }
    }

    /**
     * Throws what {@link #open} and a transport's socket would run into. Makes nothing.
     *
     * @throws AccessRefusedException as {@link #open}
     * @throws HeddleException if it cannot be made, or its path is too long
     */
    public static void check(final Path directory) {
        requireSocketPath(directory.resolve(OwnerLock.ANY_OWNER_ID + "-1" + SOCKET_SUFFIX));
        try {
            if (Files.notExists(directory, LinkOption.NOFOLLOW_LINKS)) {
                PrivateDirectory.requireMakeable(directory);
            } else {
                PrivateDirectory.verify(directory);
            }
        } catch (final IOException ex) {
            throw failed("check", directory, ex);
        }
    }

    /**
     * Removes what dead owners left, without becoming an owner. A directory that does not exist is empty.
     *
     * @param dryRun whether to report only
     * @throws AccessRefusedException as {@link #open}
     */
    public static SweepReport sweep(final Path directory, final boolean dryRun) {
        if (Files.notExists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return new SweepReport(List.of());
        }
        try {
            synchronized (Owner.class) {
                return Sweep.run(PrivateDirectory.verify(directory), dryRun);
            }
        } catch (final IOException | DirectoryIteratorException ex) {
            throw failed("sweep", directory, ex);
        }
    }

    /**
     * Refuses a path that a Unix-domain socket cannot have, since the system would say so in other words, or cut it.
     *
     * @return {@code path}
     */
    public static Path requireSocketPath(final Path path) {
        final int lengthBytes = path.toString().getBytes(StandardCharsets.UTF_8).length;
        if (lengthBytes > SOCKET_PATH_MAX_BYTES) {
            throw new HeddleException(
                Status.INVALID_PARAM,
                "socket path too long: path=" + path + " lengthBytes=" + lengthBytes +
                    " must be <= " + SOCKET_PATH_MAX_BYTES + "; choose a shorter heddle.directory");
        }
        return path;
    }

    /** Removes what processes left that died since this was opened. Makes system calls. */
    public void sweepLeftovers() {
        told(path(), sweep(path(), false));
    }

    /** One line, however much was found. */
    private static void told(final Path path, final SweepReport leftovers) {
        final List<String> removed = leftovers.removed();
        if (!removed.isEmpty()) {
            LOGGER.info("removed what dead processes left: directory={} files={} bytes={} names={}{}", path,
                removed.size(), leftovers.removedBytes(),
                String.join(",", removed.subList(0, Math.min(removed.size(), NAMED))),
                removed.size() > NAMED ? ",..." : "");
        }
    }

    /** Without symbolic links in its last part. */
    public Path path() {
        return owner.directory();
    }

    /** 16 hexadecimal digits, random for each JVM and directory. */
    public String ownerId() {
        return owner.ownerId();
    }

    /** Counted from 1 for each owner. */
    public int contextId() {
        return contextId;
    }

    /**
     * The path of this context's file that ends with {@code suffix}, which begins with a dot or a hyphen. Creates
     * nothing.
     */
    public Path file(final String suffix) {
        if (suffix.length() < 2 || suffix.charAt(0) != '.' && suffix.charAt(0) != '-' || suffix.indexOf('/') >= 0) {
            throw new HeddleException(Status.INVALID_PARAM, "not a file name's end: suffix=" + suffix);
        }
        synchronized (this) {
            if (closed) {
                throw new ClosedException("directory=" + path() + " context=" + contextId, "file");
            }
        }
        return path().resolve(prefix() + suffix);
    }

    /** What opening this found of dead owners. */
    public SweepReport leftovers() {
        return leftovers;
    }

    /** Removes this context's files and, with the JVM's last context, all of the owner's and its lock. Idempotent. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        try {
            synchronized (Owner.class) {
                try {
                    deleteFiles(path(), prefix() + "[.-]*");
                } finally {
                    owner.leave();
                }
            }
        } catch (final NoSuchFileException ex) {
            // Somebody removed the directory: there is nothing left to remove.
            return;
        } catch (final IOException | DirectoryIteratorException ex) {
            throw failed("close", path(), ex);
        }
    }

    private String prefix() {
        return ownerId() + "-" + contextId;
    }

    static void deleteFiles(final Path directory, final String glob) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, glob)) {
            for (final Path file : files) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static HeddleException failed(final String operation, final Path directory, final Exception cause) {
        return new HeddleException(
            Status.IO_ERROR,
            "runtime directory failed: operation=" + operation + " directory=" + directory + " cause=" + cause,
            cause);
    }
}
