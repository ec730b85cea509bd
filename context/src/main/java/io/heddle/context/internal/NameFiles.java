package io.heddle.context.internal;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.regex.Pattern;

/**
 * The files of one listener name. {@code name-<name>.lock} is locked as long as the listener lives and says nothing;
 * {@code name-<name>.addr} says who listens and where. They are two since this JVM must not open a lock file that it
 * holds: closing it again would drop the lock.
 *
 * <p>Whoever removes a lock file holds the lock of that very file, so that nobody removes a later holder's. Immutable;
 * used with {@link #JVM_WIDE}'s monitor held.
 */
record NameFiles(Path lock, Path address) {
    /** What every file of a name begins with; no owner's file does. */
    static final String PREFIX = "name-";
    static final String ADDRESS_SUFFIX = ".addr";
    /** The address while it is being written. */
    static final String NEW_ADDRESS_SUFFIX = ".addr.new";
    /** Between the name and a random number, for a lock that is being made: no name has it. */
    static final String TEMPORARY_SEPARATOR = "~";

    /**
     * One monitor for all class loaders, since an interned string is one object in a JVM: between looking whether this
     * JVM holds a lock file and opening it, no other Heddle in this JVM may take it.
     */
    static final Object JVM_WIDE = "io.heddle.listener-names".intern();

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    static boolean isName(final String name) {
        return NAME.matcher(name).matches();
    }

    static NameFiles of(final Path directory, final String name) {
        if (!isName(name)) {
            throw new HeddleException(Status.INVALID_PARAM, "name=" + name + " must match " + NAME);
        }
        return new NameFiles(
            directory.resolve(PREFIX + name + OwnerLock.LOCK_SUFFIX),
            directory.resolve(PREFIX + name + ADDRESS_SUFFIX));
    }

    Path newAddress() {
        return address.resolveSibling(address.getFileName() + ".new");
    }

    /** What a look at a name's lock found. */
    enum State {
        /** Somebody holds it. */
        LIVE,
        /** Nobody does. */
        FREE,
        /** It changed meanwhile, or somebody else is looking: look again. */
        UNCLEAR
    }

    /** What to do with a dead holder's files, whose lock is held meanwhile. */
    interface DeadAction {
        void run() throws IOException;
    }

    /** Finds out whether the name is held, and if a dead holder left its files, runs the action under their lock. */
    State probe(final DeadAction onDead) throws IOException {
        final NameHolder holder = NameHolder.read(address);
        if (holder != null && holder.isThisProcess()) {
            return State.LIVE;
        }
        try {
            if (new OwnerProbe(lock.getParent()).isOpenHere(lock)) {
                return State.LIVE;
            }
            final Object before = key(lock);
            try (FileChannel channel = FileChannel.open(
                lock, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                if (channel.tryLock() == null) {
                    return isShareable(channel) ? State.UNCLEAR : State.LIVE;
                }
                if (!before.equals(key(lock))) {
                    return State.UNCLEAR;
                }
                onDead.run();
                return State.FREE;
            }
        } catch (final NoSuchFileException ex) {
            return Files.exists(lock, LinkOption.NOFOLLOW_LINKS) ? State.UNCLEAR : State.FREE;
        } catch (final OverlappingFileLockException ex) {
            return State.LIVE;
        }
    }

    /** Whether another process holds the lock; asks with a lock that several may have. Not for this JVM's own. */
    boolean isHeldElsewhere() throws IOException {
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            return !isShareable(channel);
        } catch (final NoSuchFileException ex) {
            return false;
        } catch (final OverlappingFileLockException ex) {
            return true;
        }
    }

    private static boolean isShareable(final FileChannel channel) throws IOException {
        try (FileLock shared = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return shared != null;
        }
    }

    /** The lock goes last: as long as anything else is there, so is the proof that its holder is dead. */
    void delete() throws IOException {
        Files.deleteIfExists(newAddress());
        Files.deleteIfExists(address);
        Files.deleteIfExists(lock);
    }

    /** What a file is, whatever it is called. */
    static Object key(final Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
    }
}
