package io.heddle.context.internal;

import io.heddle.context.NoSharedMemoryException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Creates files that nobody else may open, {@code 0600} whatever the umask, with every page there before it is touched.
 * On a page that is missing, and cannot be had, plain access fails in a JVM and compare-and-set ends it. Stateless.
 */
public final class PrivateFile {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final Set<OpenOption> NEW = Set.of(
        StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    private static final int CHUNK_BYTES = 64 * 1024;

    private PrivateFile() {
    }

    /** The file must not exist yet. The caller closes the channel. */
    static FileChannel create(final Path file) throws IOException {
        final FileChannel channel = FileChannel.open(file, NEW, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        try {
            // The umask may have taken our own rights away.
            Files.setPosixFilePermissions(file, OWNER_ONLY);
            return channel;
        } catch (final IOException | RuntimeException ex) {
            channel.close();
            throw ex;
        }
    }

    /**
     * Creates {@code file} with {@code lengthBytes} zeros and maps it. The mapping stays until nothing refers to the
     * buffer any more. Nothing is left behind on failure.
     *
     * @throws NoSharedMemoryException if the file system is full
     * @throws IOException for any other reason, also when the file exists
     */
    public static MappedByteBuffer map(final Path file, final long lengthBytes) throws IOException {
        return Uninterrupted.call(() -> {
            try (FileChannel channel = create(file)) {
                writeZeros(channel, file, lengthBytes);
                return channel.map(FileChannel.MapMode.READ_WRITE, 0, lengthBytes);
            } catch (final FileAlreadyExistsException ex) {
                throw ex;
            } catch (final IOException | RuntimeException ex) {
                Files.deleteIfExists(file);
                throw ex;
            }
        });
    }

    private static void writeZeros(final FileChannel channel, final Path file, final long lengthBytes)
        throws IOException {
        final ByteBuffer zeros = ByteBuffer.allocateDirect(CHUNK_BYTES);
        long position = 0;
        while (position < lengthBytes) {
            zeros.clear().limit((int)Math.min(CHUNK_BYTES, lengthBytes - position));
            write(channel, file, zeros, position, lengthBytes);
            position += zeros.limit();
        }
    }

    /** Writes all of {@code bytes}; {@code neededBytes} is what the whole file takes. */
    static void write(
        final FileChannel channel,
        final Path file,
        final ByteBuffer bytes,
        final long position,
        final long neededBytes) throws IOException {
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes, position + bytes.position());
            }
        } catch (final ClosedChannelException ex) {
            throw ex;
        } catch (final IOException ex) {
            final Path directory = file.getParent();
            final long writtenBytes = position + bytes.position();
            final long availableBytes = writtenBytes + Files.getFileStore(directory).getUsableSpace();
            // The system's words may be translated, and the count may have changed by now: either will do.
            if (availableBytes < neededBytes || String.valueOf(ex.getMessage()).contains("No space left")) {
                throw new NoSharedMemoryException(
                    directory.toString(), neededBytes, availableBytes,
                    "the size of its file system (docker run --shm-size), or heddle.directory", ex);
            }
            throw ex;
        }
    }
}
