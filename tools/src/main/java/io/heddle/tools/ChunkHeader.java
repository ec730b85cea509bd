package io.heddle.tools;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * What stands before the bytes of a file in each message of the demo's stream. It lies in the payload, so that it
 * stays with data that is kept and handed to another thread.
 *
 * <pre>
 *   0       4       8               16              24      28      32
 *   +-------+-------+---------------+---------------+-------+-------+----- - -
 *   | magic | crc32c|   sequence    |    offset     | length|   0   | bytes       little endian
 *   +-------+-------+---------------+---------------+-------+-------+----- - -
 * </pre>
 *
 * <p>The CRC is of the bytes, as the producer read them. The offset is the one in the stream, so that repetitions of
 * the file count on.
 */
final class ChunkHeader {
    static final int LENGTH = 32;
    private static final int MAGIC = 0x48444C31;
    private static final int CRC = 4;
    private static final int SEQUENCE = 8;
    private static final int OFFSET = 16;
    private static final int BYTES = 24;

    private ChunkHeader() {
    }

    /** Completes a message whose bytes, {@code length} of them, already stand behind the header. */
    static void write(final ByteBuffer message, final long sequence, final long offset, final int length) {
        message.order(ByteOrder.LITTLE_ENDIAN);
        message.putInt(0, MAGIC);
        message.putInt(CRC, crc(message, length));
        message.putLong(SEQUENCE, sequence);
        message.putLong(OFFSET, offset);
        message.putInt(BYTES, length);
        message.putInt(BYTES + Integer.BYTES, 0);
    }

    /** The CRC32C of the bytes behind the header, computed where they lie. */
    static int crc(final ByteBuffer message, final int length) {
        final CRC32C crc = new CRC32C();
        crc.update(message.duplicate().limit(LENGTH + length).position(LENGTH));
        return (int) crc.getValue();
    }

    /** Whether a message of this length has a header that makes sense. */
    static boolean isValid(final ByteBuffer message) {
        return message.limit() > LENGTH && message.getInt(0) == MAGIC
            && message.getInt(BYTES) == message.limit() - LENGTH;
    }

    static int crcSent(final ByteBuffer message) {
        return message.getInt(CRC);
    }

    static long sequence(final ByteBuffer message) {
        return message.getLong(SEQUENCE);
    }

    static long offset(final ByteBuffer message) {
        return message.getLong(OFFSET);
    }

    static int bytes(final ByteBuffer message) {
        return message.getInt(BYTES);
    }
}
