package io.heddle.tests.pair;

import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The header of every message of these tests, and the payload it vouches for.
 * <pre>
 *   0 sender u32 | 4 CRC32C of the payload u32 | 8 sequence u64 | 16 length of the payload u64
 * </pre>
 * Stateless.
 */
public final class Stamp {
    /** Length of the header. */
    public static final int BYTES = 24;
    private static final ThreadLocal<byte[]> SCRATCH = ThreadLocal.withInitial(() -> new byte[1 << 16]);

    private Stamp() {
    }

    /** A header for a payload. */
    public static UnsafeBuffer of(final int sender, final long sequence, final byte[] payload, final int bytes) {
        final UnsafeBuffer header = new UnsafeBuffer(new byte[BYTES]);
        write(header, sender, sequence, payload, bytes);
        return header;
    }

    /** Writes a header for a payload. */
    public static void write(final UnsafeBuffer header, final int sender, final long sequence, final byte[] payload,
        final int bytes) {
        final CRC32C crc = new CRC32C();
        crc.update(payload, 0, bytes);
        header.putInt(0, sender);
        header.putInt(4, (int) crc.getValue());
        header.putLong(8, sequence);
        header.putLong(16, bytes);
    }

    /** Who sent it. */
    public static int sender(final DirectBuffer header) {
        return header.getInt(0);
    }

    /** What the sender computed. */
    public static int crc(final DirectBuffer header) {
        return header.getInt(4);
    }

    /** The sender's count. */
    public static long sequence(final DirectBuffer header) {
        return header.getLong(8);
    }

    /** Length of the payload, as the sender says. */
    public static long lengthBytes(final DirectBuffer header) {
        return header.getLong(16);
    }

    /** Whether the payload is the one the header was written for. */
    public static boolean isRight(final DirectBuffer header, final DirectBuffer payload) {
        return lengthBytes(header) == payload.capacity() && crcOf(payload) == crc(header);
    }

    /** CRC32C of all bytes of a buffer. */
    public static int crcOf(final DirectBuffer data) {
        byte[] scratch = SCRATCH.get();
        if (scratch.length < data.capacity()) {
            scratch = new byte[data.capacity()];
            SCRATCH.set(scratch);
        }
        data.getBytes(0, scratch, 0, data.capacity());
        final CRC32C crc = new CRC32C();
        crc.update(scratch, 0, data.capacity());
        return (int) crc.getValue();
    }

    /** Bytes that differ from message to message. */
    public static byte[] payload(final long seed, final int bytes) {
        final byte[] payload = new byte[bytes];
        refill(payload, bytes, seed);
        return payload;
    }

    /** As {@link #payload}, into an array of the caller's. */
    public static void refill(final byte[] payload, final int bytes, final long seed) {
        long state = seed * 0x9E3779B97F4A7C15L + 1;
        for (int i = 0; i < bytes; i++) {
            state ^= state << 13;
            state ^= state >>> 7;
            state ^= state << 17;
            payload[i] = (byte) state;
        }
    }
}
