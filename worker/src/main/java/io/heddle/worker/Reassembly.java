package io.heddle.worker;

import io.heddle.context.PoolElement;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import java.nio.ByteBuffer;

/**
 * The long message that a connection is receiving: where its fragments are put together. A lane never interleaves two
 * messages, so there is at most one.
 *
 * <p>Confined to the holder of the dispatcher token. The element has one reference, the assembly's own, until the
 * message was delivered.
 */
final class Reassembly {
    private PoolElement element;
    private ByteBuffer header;
    private long meta;
    private int filledBytes;

    boolean isOpen() {
        return element != null;
    }

    /** @param held an element with room for the whole payload, HELD once. */
    void open(final PoolElement held, final long firstMeta, final long headerAddress) {
        element = held;
        meta = firstMeta;
        filledBytes = 0;
        final int headerBytes = ActiveMessageMeta.headerBytes(firstMeta);
        if (headerBytes > 0) {
            if (header == null) {
                header = ByteBuffer.allocateDirect(ActiveMessageMeta.MAX_HEADER_BYTES);
            }
            UnsafeApi.copyMemory(headerAddress, headerAddress(), headerBytes);
        }
    }

    /** False if the fragment does not belong where it says. */
    boolean add(final int offset, final long from, final int lengthBytes) {
        if (offset != filledBytes || lengthBytes <= 0 || lengthBytes > totalBytes() - filledBytes) {
            return false;
        }
        UnsafeApi.copyMemory(from, element.address() + filledBytes, lengthBytes);
        filledBytes += lengthBytes;
        return true;
    }

    boolean isComplete() {
        return filledBytes == totalBytes();
    }

    int totalBytes() {
        return ActiveMessageMeta.payloadBytes(meta);
    }

    long meta() {
        return meta;
    }

    long headerAddress() {
        return header == null ? element.address() : BufferUtil.address(header);
    }

    PoolElement element() {
        return element;
    }

    PoolElement close() {
        final PoolElement held = element;
        element = null;
        return held;
    }
}
