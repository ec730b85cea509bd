package io.heddle.tools;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;

/** Whether the runtime directory's file system has room, and lies in memory. Stateless. */
final class SpaceCheck {
    private static final String NAME = "space";
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "hugetlbfs");
    /** Counters, lock and socket. */
    private static final long CONTEXT_BYTES = 512 << 10;
    /** With receive buffers of every size in both directions, as a connection under load has them. */
    private static final long CONNECTION_BYTES = 3 << 20;
    private static final int CONNECTIONS = 4;
    /** Below, messages that do not fit into a ring find no buffers, and soon nobody can connect. */
    static final long NEEDED_BYTES = CONTEXT_BYTES + CONNECTIONS * CONNECTION_BYTES;

    private SpaceCheck() {
    }

    static Finding finding(final Path directory) {
        Path path = directory;
        while (path.getParent() != null && !Files.isDirectory(path)) {
            path = path.getParent();
        }
        try {
            final FileStore store = Files.getFileStore(path);
            return finding(path, store.type(), store.getUsableSpace(), store.getTotalSpace());
        } catch (final IOException ex) {
            return Finding.warn(NAME, "cannot be asked: directory=" + path + " cause=" + ex, "look at df " + path);
        }
    }

    static Finding finding(final Path path, final String type, final long freeBytes, final long totalBytes) {
        final String seen = "file system of " + path + " type=" + type + " free=" + mebibytes(freeBytes) + " of "
            + mebibytes(totalBytes) + ", needed=" + mebibytes(NEEDED_BYTES) + " for a context and " + CONNECTIONS
            + " connections under load";
        if (freeBytes < NEEDED_BYTES) {
            return Finding.fail(NAME, seen,
                "enlarge it (docker --shm-size=1g; mount -o remount,size=1g), or set heddle.directory");
        }
        return IN_MEMORY.contains(type) ? Finding.ok(NAME, seen)
            : Finding.warn(NAME, seen + "; it is not in memory, so that messages may cause writes to a disk",
                "set heddle.directory to a directory in a tmpfs");
    }

    private static String mebibytes(final long bytes) {
        return String.format(Locale.ROOT, "%.1fMiB", bytes / 1048576.0);
    }
}
