package io.heddle.context.internal;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Shows other processes that the owner of the files beginning with {@link #ownerId()} lives: a file that is locked as
 * long as this process does. What the file says is for humans; only the lock counts, since it works across PID
 * namespaces and reboots.
 *
 * <p>POSIX drops a process's lock as soon as the process closes <em>any</em> channel on the file, so nothing here or in
 * {@link OwnerProbe} ever opens a file that this JVM holds. Held from creation to {@link #close()}. Thread safe.
 */
final class OwnerLock implements AutoCloseable {
    /** The name of a lock file is the owner id and this. */
    static final String LOCK_SUFFIX = ".lock";
    /** While it is being made. */
    static final String TEMPORARY_SUFFIX = ".tmp";
    static final int OWNER_ID_LENGTH = 16;
    /** As long as every one is, and nobody's. */
    static final String ANY_OWNER_ID = "0".repeat(OWNER_ID_LENGTH);

    private static final int ATTEMPTS = 100;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final String ownerId;
    private final Path file;
    // Reachable until close(), or the JDK would close it together with the lock.
    private final FileChannel channel;

    private OwnerLock(final String ownerId, final Path file, final FileChannel channel) {
        this.ownerId = ownerId;
        this.file = file;
        this.channel = channel;
    }

    /** Under a name that no process has used before. */
    static OwnerLock acquire(final Path directory) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            final OwnerLock lock = Uninterrupted.call(() -> tryAcquire(directory));
            if (lock != null) {
                return lock;
            }
        }
        throw new HeddleException(
            Status.BUSY, "cannot lock a new owner file: directory=" + directory + " attempts=" + ATTEMPTS);
    }

    /** Null if a sweep of another process took the new file for a leftover, in the moment before it was locked. */
    private static OwnerLock tryAcquire(final Path directory) throws IOException {
        final String ownerId = HexFormat.of().toHexDigits(RANDOM.nextLong());
        final Path temporary = directory.resolve(ownerId + TEMPORARY_SUFFIX);
        final Path file = directory.resolve(ownerId + LOCK_SUFFIX);
        FileChannel channel = null;
        OwnerLock lock = null;
        try {
            channel = PrivateFile.create(temporary);
            FailPoints.at("owner.lock.created");
            if (channel.tryLock() != null) {
                final ByteBuffer text = ByteBuffer.wrap(description().getBytes(StandardCharsets.US_ASCII));
                PrivateFile.write(channel, temporary, text, 0, text.remaining());
                FailPoints.at("owner.lock.locked");
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
                FailPoints.at("owner.lock.named");
                lock = new OwnerLock(ownerId, file, channel);
            }
        } catch (final NoSuchFileException ex) {
            if (!Files.isDirectory(directory)) {
                throw ex;
            }
        } finally {
            if (lock == null) {
                Files.deleteIfExists(temporary);
                if (channel != null) {
                    channel.close();
                }
            }
        }
        return lock;
    }

    private static String description() {
        return "pid=" + HostProcess.pid() + "\nstart_ticks=" + HostProcess.startTicks() +
            "\nboot_id=" + HostProcess.bootId() + "\n";
    }

    /** 16 hexadecimal digits. */
    String ownerId() {
        return ownerId;
    }

    /** Whether others can still see it: something else may have cleaned the directory. */
    boolean isInPlace() {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    }

    /** Deletes the file, then lets the lock go. The owner's other files must be gone. */
    @Override
    public void close() throws IOException {
        try {
            Files.deleteIfExists(file);
        } finally {
            channel.close();
        }
    }
}
