package io.heddle.context;

/**
 * Shared memory could not be had: the file system is full, or a limit is reached. Nothing stays reserved. Immutable.
 */
public final class NoSharedMemoryException extends HeddleException {
    private static final long serialVersionUID = 1L;

    private final String directory;
    private final long neededBytes;
    private final long availableBytes;
    private final String setting;

    /**
     * {@code setting} says what to change in words that can follow "change", for example {@code heddle.shm.limit} or
     * {@code the size of /dev/shm (docker run --shm-size)}. {@code cause} may be null.
     */
    public NoSharedMemoryException(
        final String directory,
        final long neededBytes,
        final long availableBytes,
        final String setting,
        final Throwable cause) {
        super(
            Status.NO_MEMORY,
            "not enough shared memory: directory=" + directory + " neededBytes=" + neededBytes +
                " availableBytes=" + availableBytes + "; change " + setting,
            cause);
        this.directory = directory;
        this.neededBytes = neededBytes;
        this.availableBytes = availableBytes;
        this.setting = setting;
    }

    /** Where the memory was to be had. */
    public String directory() {
        return directory;
    }

    /** What was asked for. */
    public long neededBytes() {
        return neededBytes;
    }

    /** What was left under the limit that refused. */
    public long availableBytes() {
        return availableBytes;
    }

    /** The setting that would have to change. */
    public String setting() {
        return setting;
    }
}
