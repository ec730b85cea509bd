package io.heddle.context;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A stretch of memory cut into elements, and what frees it. Its memory outlives a closed pool until the last element
 * that was out has come back.
 *
 * <p>Single writer: the pool's owner, but for {@link #cameBackLate}, which any thread may call.
 */
final class PoolChunk {
    private static final Logger LOGGER = LoggerFactory.getLogger(PoolChunk.class);

    private final long bytes;
    private final AutoCloseable memory;
    /** The memory as a buffer, or null. */
    private final ByteBuffer buffer;
    private final PoolElement[] elements;
    /**
     * Minus one for each element that came back late, plus the number of elements out when the pool was closed.
     * Whoever brings it to zero frees the memory: the close itself if nothing was out or all came back meanwhile.
     */
    private final AtomicInteger outstanding = new AtomicInteger();

    PoolChunk(final long bytes, final int elementCount, final AutoCloseable memory, final ByteBuffer buffer) {
        this.bytes = bytes;
        this.memory = memory;
        this.buffer = buffer;
        elements = new PoolElement[elementCount];
    }

    ByteBuffer buffer() {
        return buffer;
    }

    PoolElement[] elements() {
        return elements;
    }

    long bytes() {
        return bytes;
    }

    /** Called once, at close, with the number of elements that were out then. */
    void settleAtClose(final int out) {
        settle(out);
    }

    /**
     * An element that was out at close, or is about to be found out by it, came back. Any thread, once per element. A
     * failure to free is logged, for the thread that lets an element go has nothing to do with it.
     */
    void cameBackLate() {
        try {
            settle(-1);
        } catch (final HeddleException ex) {
            LOGGER.warn("memory of a closed pool is lost", ex);
        }
    }

    private void settle(final int change) {
        if (outstanding.addAndGet(change) == 0) {
            freeMemory();
        }
    }

    /** Frees the memory now. For chunks all of whose elements are RETIRED. */
    void freeMemory() {
        try {
            memory.close();
        } catch (final Exception ex) {
            throw new HeddleException(Status.IO_ERROR, "a pool's chunk was not freed: bytes=" + bytes, ex);
        }
    }
}
