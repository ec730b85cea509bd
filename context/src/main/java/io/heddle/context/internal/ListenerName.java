package io.heddle.context.internal;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A name by which a listener of this JVM is found in a runtime directory, held from {@link #claim} to {@link #close()}
 * or the end of the process, whichever comes first; then it is free at once. Makes system calls. Thread safe.
 */
public final class ListenerName implements AutoCloseable {
    private static final int ATTEMPTS = 200;
    /** A sweep holds a dead name's lock for a moment: only what is held that often in a row is taken. */
    private static final int LIVE_ATTEMPTS = 10;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final NameFiles files;
    private final Object key;
    // Reachable until close(), or the JDK would close it together with the lock.
    private final FileChannel channel;
    private boolean closed;

    private ListenerName(final NameFiles files, final Object key, final FileChannel channel) {
        this.files = files;
        this.key = key;
        this.channel = channel;
    }

    /** Whether this can be a listener's name: 1 to 64 of letters, digits, dot, underscore, hyphen. */
    public static boolean isValid(final String name) {
        return NameFiles.isName(name);
    }

    /**
     * Takes a name.
     *
     * @param address what {@link #find} gives others; up to 8 KiB.
     * @throws HeddleException ALREADY_EXISTS if a living process holds it, with its pid; INVALID_PARAM if it is no
     *     name; IO_ERROR if the system refuses.
     */
    public static ListenerName claim(final Path directory, final String name, final byte[] address) {
        final NameFiles files = NameFiles.of(directory, name);
        try {
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                final boolean mayBeSwept = attempt < LIVE_ATTEMPTS;
                synchronized (NameFiles.JVM_WIDE) {
                    final ListenerName claimed = Uninterrupted.call(() -> tryClaim(files, name, address, mayBeSwept));
                    if (claimed != null) {
                        return claimed;
                    }
                }
                LockSupport.parkNanos(PAUSE_NS);
            }
        } catch (final IOException ex) {
            throw failed("claim", files, ex);
        }
        throw new HeddleException(Status.BUSY, "cannot take the listener name: name=" + name + " directory=" +
            directory + " attempts=" + ATTEMPTS);
    }

    /** Who holds a name now, or null. */
    public static NameHolder find(final Path directory, final String name) {
        final NameFiles files = NameFiles.of(directory, name);
        try {
            synchronized (NameFiles.JVM_WIDE) {
                return Uninterrupted.call(() -> {
                    final NameHolder holder = NameHolder.read(files.address());
                    final boolean isLive = holder != null && (holder.isThisProcess() || files.isHeldElsewhere());
                    return isLive ? holder : null;
                });
            }
        } catch (final IOException ex) {
            throw failed("find", files, ex);
        }
    }

    /** Null if others were, or may have been, looking at the same moment. */
    private static ListenerName tryClaim(final NameFiles files, final String name, final byte[] address,
        final boolean mayBeSwept) throws IOException {
        final NameFiles.State state = files.probe(files::delete);
        if (state == NameFiles.State.LIVE) {
            final NameHolder holder = NameHolder.read(files.address());
            if (mayBeSwept && (holder == null || !holder.isThisProcess())) {
                return null;
            }
            throw new HeddleException(Status.ALREADY_EXISTS, "listener name is taken: name=" + name + " holderPid=" +
                (holder == null ? "unknown" : Long.toString(holder.pid())) + " directory=" + files.lock().getParent());
        }
        return state == NameFiles.State.FREE ? make(files, address) : null;
    }

    /**
     * The lock is taken under a temporary name and then given the real one, so that a lock file in its place is never
     * unlocked while its holder lives, and no two can take the same name.
     */
    private static ListenerName make(final NameFiles files, final byte[] address) throws IOException {
        final Path temporary = temporary(files);
        FileChannel channel = null;
        ListenerName made = null;
        boolean linked = false;
        try {
            channel = PrivateFile.create(temporary);
            FailPoints.at("name.claim.created");
            if (channel.tryLock() != null) {
                final Object key = NameFiles.key(temporary);
                Files.createLink(files.lock(), temporary);
                linked = true;
                FailPoints.at("name.claim.locked");
                writeAddress(files, address);
                made = new ListenerName(files, key, channel);
            }
        } catch (final FileAlreadyExistsException | NoSuchFileException ex) {
            // Another process was faster, or swept the file in the moment before it was locked: look again.
            if (!Files.isDirectory(files.lock().getParent())) {
                throw ex;
            }
        } finally {
            Files.deleteIfExists(temporary);
            if (made == null) {
                if (linked) {
                    files.delete();
                }
                if (channel != null) {
                    channel.close();
                }
            }
        }
        return made;
    }

    private static void writeAddress(final NameFiles files, final byte[] address) throws IOException {
        final ByteBuffer text = ByteBuffer.wrap(NameHolder.ofThisProcess(address).encode());
        Files.deleteIfExists(files.newAddress());
        try (FileChannel channel = PrivateFile.create(files.newAddress())) {
            PrivateFile.write(channel, files.newAddress(), text, 0, text.remaining());
        }
        FailPoints.at("name.claim.before-advertise");
        Files.move(files.newAddress(), files.address(), StandardCopyOption.ATOMIC_MOVE);
        FailPoints.at("name.claim.advertised");
    }

    private static Path temporary(final NameFiles files) {
        final String name = files.lock().getFileName().toString();
        return files.lock().resolveSibling(
            name.substring(0, name.length() - OwnerLock.LOCK_SUFFIX.length()) + NameFiles.TEMPORARY_SEPARATOR +
                Long.toHexString(ThreadLocalRandom.current().nextLong()) + OwnerLock.TEMPORARY_SUFFIX);
    }

    /** Gives the name back. Idempotent. */
    @Override
    public void close() {
        try {
            synchronized (NameFiles.JVM_WIDE) {
                if (closed) {
                    return;
                }
                closed = true;
                try (channel) {
                    if (NameFiles.key(files.lock()).equals(key)) {
                        files.delete();
                    }
                }
            }
        } catch (final NoSuchFileException ex) {
            // Somebody cleaned the directory: nothing is left to remove.
            return;
        } catch (final IOException ex) {
            throw failed("close", files, ex);
        }
    }

    private static HeddleException failed(final String operation, final NameFiles files, final IOException cause) {
        return new HeddleException(Status.IO_ERROR,
            "listener name failed: operation=" + operation + " file=" + files.lock() + " cause=" + cause, cause);
    }
}
