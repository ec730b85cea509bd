package io.heddle.context;

import io.heddle.context.internal.RuntimeDirectory;
import java.nio.file.Path;

/** A runtime directory as tools see it, who open no context on it. Static functions, thread safe. */
public final class RuntimeDirectories {
    private RuntimeDirectories() {
    }

    /**
     * Throws what {@link Context#create} would throw of the directory as it is now. Makes nothing.
     *
     * @throws AccessRefusedException if it is a symbolic link or no directory, another user's, or open to others
     * @throws HeddleException if it cannot be made, or its path is too long
     */
    public static void check(final Path directory) {
        RuntimeDirectory.check(directory);
    }

    /**
     * Removes what dead owners left, as every new context does, and never a live owner's files, whatever process ids
     * say. A directory that does not exist is empty.
     *
     * @param dryRun whether to report only
     * @throws AccessRefusedException as {@link #check}
     */
    public static SweepReport sweep(final Path directory, final boolean dryRun) {
        return RuntimeDirectory.sweep(directory, dryRun);
    }
}
