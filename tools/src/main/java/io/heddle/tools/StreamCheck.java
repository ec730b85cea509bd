package io.heddle.tools;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Checks a stream of chunks that arrive on several threads in any order: each chunk's CRC over the bytes where they
 * lie, each sequence once, and at the end the CRC of the whole, put together in order. Thread safe; {@link #begin}
 * happens before the first chunk.
 */
final class StreamCheck {
    private static final long HELD = 1L << 63;
    private static final long CRC_MASK = 0xFFFFFFFFL;

    private final AtomicLong arrived = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    // Written by begin() on the progressing thread; handlers get chunks through a queue after it, others read it
    // (volatile).
    private volatile AtomicLongArray chunks;
    private volatile int chunkBytes;
    private volatile long startNs;
    private volatile long endNs;

    /** The stream will be of {@code count} chunks of {@code size} bytes, the last of each file perhaps shorter. */
    void begin(final int count, final int size) {
        startNs = System.nanoTime();
        chunkBytes = size;
        chunks = new AtomicLongArray(count);
        if (count == 0) {
            endNs = System.nanoTime();
        }
    }

    boolean hasBegun() {
        return chunks != null;
    }

    /** Takes one message, from position 0 to its limit. */
    void chunk(final ByteBuffer message) {
        message.order(ByteOrder.LITTLE_ENDIAN);
        final AtomicLongArray all = chunks;
        if (all == null || !ChunkHeader.isValid(message)) {
            wrong.incrementAndGet();
            return;
        }
        final int length = ChunkHeader.bytes(message);
        final int crc = ChunkHeader.crc(message, length);
        final long sequence = ChunkHeader.sequence(message);
        final boolean right = crc == ChunkHeader.crcSent(message) && length <= chunkBytes
            && sequence >= 0 && sequence < all.length()
            && all.compareAndSet((int) sequence, 0, HELD | (long) length << 32 | crc & CRC_MASK);
        if (!right) {
            wrong.incrementAndGet();
            return;
        }
        bytes.addAndGet(length);
        if (arrived.incrementAndGet() == all.length()) {
            endNs = System.nanoTime();
        }
    }

    /** Whether every chunk has come. */
    boolean isComplete() {
        return endNs != 0;
    }

    long arrived() {
        return arrived.get();
    }

    long bytes() {
        return bytes.get();
    }

    /** Chunks whose bytes or place were not what the producer said. */
    long wrong() {
        return wrong.get();
    }

    /** From the announcement of the stream to its last chunk, or to now. */
    long elapsedNs() {
        final long end = endNs;
        return hasBegun() ? (end != 0 ? end : System.nanoTime()) - startNs : 0;
    }

    /** The CRC of what has come, in order; of an incomplete stream it means nothing. */
    int crc() {
        final AtomicLongArray all = chunks;
        int crc = 0;
        for (int i = 0; all != null && i < all.length(); i++) {
            final long held = all.get(i);
            crc = Crc32cCombiner.combine(crc, (int) held, (held & ~HELD) >>> 32);
        }
        return crc;
    }
}
