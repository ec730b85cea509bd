package io.heddle.context.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;

/**
 * This JVM as the owner of files in one directory, shared by its contexts and gone with the last. If somebody removed
 * the lock, later contexts share a new one. Every method is called with this class's monitor held, which also keeps the
 * JVM from sweeping twice at once.
 */
final class Owner {
    /** By the directory's identity, since it may have several names. */
    private static final Map<Object, Owner> OWNERS = new HashMap<>();

    private final Object key;
    private final Path directory;
    private final OwnerLock lock;
    private int contexts;
    private int lastContextId;

    private Owner(final Object key, final Path directory, final OwnerLock lock) {
        this.key = key;
        this.directory = directory;
        this.lock = lock;
    }

    static Owner join(final Path directory) throws IOException {
        final Object key =
            Files.readAttributes(directory, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
        Owner owner = OWNERS.get(key);
        if (owner == null || !owner.lock.isInPlace()) {
            owner = new Owner(key, directory, OwnerLock.acquire(directory));
            OWNERS.put(key, owner);
        }
        owner.contexts++;
        return owner;
    }

    void leave() throws IOException {
        contexts--;
        if (contexts == 0) {
            OWNERS.remove(key, this);
            try (lock) {
                RuntimeDirectory.deleteFiles(directory, lock.ownerId() + "-*");
            }
        }
    }

    int nextContextId() {
        return ++lastContextId;
    }

    Path directory() {
        return directory;
    }

    String ownerId() {
        return lock.ownerId();
    }
}
