package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Bytes that differ from place to place and from seed to seed. Static functions. */
final class Payload {
    private Payload() {
    }

    static byte at(final int index, final long seed) {
        return (byte) (31 * index + index / 251 + seed * 7 + 1);
    }

    /** On the heap. */
    static UnsafeBuffer heap(final int lengthBytes, final long seed) {
        return filled(new UnsafeBuffer(new byte[lengthBytes]), seed);
    }

    /** Off the heap. */
    static UnsafeBuffer direct(final int lengthBytes, final long seed) {
        return filled(new UnsafeBuffer(ByteBuffer.allocateDirect(lengthBytes)), seed);
    }

    private static UnsafeBuffer filled(final UnsafeBuffer buffer, final long seed) {
        fill(buffer, 0, buffer.capacity(), seed);
        return buffer;
    }

    static void fill(final MutableDirectBuffer buffer, final int offset, final int lengthBytes, final long seed) {
        for (int i = 0; i < lengthBytes; i++) {
            buffer.putByte(offset + i, at(i, seed));
        }
    }

    static byte[] bytes(final int lengthBytes, final long seed) {
        return heap(lengthBytes, seed).byteArray();
    }

    /** Fails unless the buffer holds exactly these bytes. */
    static void check(final DirectBuffer buffer, final int lengthBytes, final long seed) {
        assertEquals(lengthBytes, buffer.capacity(), "length");
        for (int i = 0; i < lengthBytes; i++) {
            if (buffer.getByte(i) != at(i, seed)) {
                assertEquals(at(i, seed), buffer.getByte(i), "index=" + i + " lengthBytes=" + lengthBytes);
            }
        }
    }

    /** CRC-32C of all of it. */
    static long crc(final DirectBuffer buffer) {
        final CRC32C sum = new CRC32C();
        update(sum, buffer);
        return sum.getValue();
    }

    static void update(final CRC32C sum, final DirectBuffer buffer) {
        final byte[] chunk = new byte[Math.min(buffer.capacity(), 1 << 16)];
        for (int done = 0; done < buffer.capacity(); done += chunk.length) {
            final int bytes = Math.min(chunk.length, buffer.capacity() - done);
            buffer.getBytes(done, chunk, 0, bytes);
            sum.update(chunk, 0, bytes);
        }
    }

    static byte[] copyOf(final DirectBuffer buffer) {
        final byte[] copy = new byte[buffer.capacity()];
        buffer.getBytes(0, copy);
        return copy;
    }
}
