package io.heddle.shm;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * How an interface is reached. Immutable.
 * <pre>
 *   format u8 | layout version u16 | uid u32 | interface id u64 | directory length u16, bytes | socket length u8, bytes
 * </pre>
 * Little endian, UTF-8.
 *
 * @param layoutVersion of its segments.
 * @param uid           the user as the owner's namespace counts; for people, other namespaces count otherwise.
 * @param interfaceId   which of the context's interfaces.
 * @param directory     absolute, as the owner sees it.
 * @param socketName    file name in it.
 */
record ShmAddress(int layoutVersion, int uid, long interfaceId, String directory, String socketName) {
    private static final byte FORMAT = 1;
    private static final int FIXED_BYTES = 1 + 2 + 4 + 8 + 2 + 1;
    private static final int MAX_DIRECTORY_BYTES = 4096;

    byte[] encode() {
        final byte[] directoryBytes = directory.getBytes(StandardCharsets.UTF_8);
        final byte[] socketBytes = socketName.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(FIXED_BYTES + directoryBytes.length +
            socketBytes.length).order(ByteOrder.LITTLE_ENDIAN)
            .put(FORMAT).putShort((short) layoutVersion).putInt(uid).putLong(interfaceId)
            .putShort((short) directoryBytes.length).put(directoryBytes)
            .put((byte) socketBytes.length).put(socketBytes).array();
    }

    /** @throws IllegalArgumentException naming the field that cannot be. */
    static ShmAddress decode(final byte[] bytes) {
        final ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        try {
            final byte format = buffer.get();
            if (format != FORMAT) {
                throw new IllegalArgumentException("malformed address: format=" + format + " must be " + FORMAT);
            }
            final ShmAddress address = new ShmAddress(
                Short.toUnsignedInt(buffer.getShort()), buffer.getInt(), buffer.getLong(),
                text(buffer, Short.toUnsignedInt(buffer.getShort())), text(buffer, Byte.toUnsignedInt(buffer.get())));
            if (buffer.hasRemaining()) {
                throw new IllegalArgumentException("malformed address: trailingBytes=" + buffer.remaining());
            }
            address.check();
            return address;
        } catch (final BufferUnderflowException ex) {
            throw new IllegalArgumentException("malformed address: too short, lengthBytes=" + bytes.length, ex);
        }
    }

    private static String text(final ByteBuffer buffer, final int length) {
        if (length > buffer.remaining() || length > MAX_DIRECTORY_BYTES) {
            throw new IllegalArgumentException("malformed address: textLength=" + length + " remaining=" +
                buffer.remaining());
        }
        final byte[] bytes = new byte[length];
        buffer.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private void check() {
        if (socketName.isEmpty() || socketName.startsWith(".") || socketName.indexOf('/') >= 0 ||
            socketName.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("malformed address: socketName must be a plain file name");
        }
        try {
            if (!Path.of(directory).isAbsolute()) {
                throw new IllegalArgumentException("malformed address: directory=" + directory + " must be absolute");
            }
        } catch (final InvalidPathException ex) {
            throw new IllegalArgumentException("malformed address: directory cannot be a path", ex);
        }
    }

    /**
     * Where the socket is from here: the own directory first, so that one directory mounted under two names works, then
     * the owner's name for it. Null if it is in neither.
     */
    Path locate(final Path ownDirectory) {
        final Path own = ownDirectory.resolve(socketName);
        if (Files.exists(own, LinkOption.NOFOLLOW_LINKS)) {
            return own;
        }
        final Path theirs = Path.of(directory, socketName);
        return Files.exists(theirs, LinkOption.NOFOLLOW_LINKS) ? theirs : null;
    }
}
