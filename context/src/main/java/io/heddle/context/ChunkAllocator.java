package io.heddle.context;

import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

import java.nio.ByteBuffer;

/** Where a pool gets its memory from. Called under the pool's guard, on the pool's growth alone. */
@FunctionalInterface
public interface ChunkAllocator {
    /** Extra bytes of a direct buffer, so that its start can be moved to a cache line. */
    int ALIGNMENT_SLACK_BYTES = 64;

    /**
     * Memory for one chunk. May give more than asked for: the pool makes use of it.
     *
     * @param minBytes the least number of bytes.
     * @return the memory, or null if there is none now; an exception is taken as null, left alone for 100 ms and kept
     *     in {@link ElementPool#lastAllocationFailure()}.
     */
    Chunk allocate(long minBytes);

    /** Direct memory of this process; freed explicitly. Chunks of up to 2 GiB - 65 bytes, nothing above. */
    static ChunkAllocator direct() {
        return minBytes -> {
            if (minBytes > Integer.MAX_VALUE - ALIGNMENT_SLACK_BYTES) {
                throw new IllegalArgumentException("chunk_bytes=" + minBytes + " must be <= " +
                    (Integer.MAX_VALUE - ALIGNMENT_SLACK_BYTES) + " for direct buffers; set maxChunkBytes");
            }
            final ByteBuffer buffer = ByteBuffer.allocateDirect((int) minBytes + ALIGNMENT_SLACK_BYTES);
            final long start = BufferUtil.address(buffer);
            final long aligned = (start + ALIGNMENT_SLACK_BYTES - 1) & -ALIGNMENT_SLACK_BYTES;
            return new Chunk(aligned, minBytes, buffer, () -> UnsafeApi.invokeCleaner(buffer));
        };
    }

    /**
     * Memory of one chunk, and how to free it. Immutable.
     *
     * @param address native address of the first byte.
     * @param bytes   how many there are.
     * @param buffer  what keeps the memory reachable, null if something else does.
     * @param memory  frees it; closed once, by any thread.
     */
    record Chunk(long address, long bytes, ByteBuffer buffer, AutoCloseable memory) {
    }
}
