package io.heddle.shm;

import java.nio.MappedByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * A segment mapped into this process, by its creator or by the peer. Its memory stays until {@link #unmap()}, never
 * until a collection.
 *
 * <p>Immutable but for the unmapping, which is the control thread's alone.
 */
final class MappedSegment {
    private final String name;
    private final MappedByteBuffer buffer;
    private final long address;
    private final long bytes;
    private final SegmentGauge gauge;
    private final SegmentBudget charged;
    private boolean unmapped;

    /** @param charged the budget that {@link #unmap()} frees, or null if this process did not create the segment. */
    MappedSegment(final String name, final MappedByteBuffer buffer, final SegmentGauge gauge,
        final SegmentBudget charged) {
        this.name = name;
        this.buffer = buffer;
        this.address = BufferUtil.address(buffer);
        this.bytes = buffer.capacity();
        this.gauge = gauge;
        this.charged = charged;
        gauge.mapped(this);
    }

    /** The name its file had; the file is gone as soon as both sides have mapped it. */
    String name() {
        return name;
    }

    /** Native address of its first byte; a multiple of the page size. */
    long address() {
        return address;
    }

    /** Mapped bytes: a multiple of the page size. */
    long bytes() {
        return bytes;
    }

    /** The map as a buffer, to cut slices from. They are as dead as the address after the unmapping. */
    MappedByteBuffer buffer() {
        return buffer;
    }

    /** Gives the memory back. Idempotent. Control thread only, and only when nothing refers to the address any more. */
    void unmap() {
        if (unmapped) {
            return;
        }
        unmapped = true;
        UnsafeApi.invokeCleaner(buffer);
        gauge.unmapped(this);
        if (charged != null) {
            charged.free(bytes);
        }
    }

    @Override
    public String toString() {
        return "segment=" + name + " bytes=" + bytes;
    }
}
