package io.heddle.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.Pipe;
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

    /**
     * Whether every page has memory behind it. Asks the kernel to read a byte of each, which fails at once where a load
     * would raise a fault that compiled code throws at some later place. Makes system calls: only for when something is
     * wrong already.
     */
    boolean isBacked() {
        try {
            final Pipe pipe = Pipe.open();
            try (Pipe.SinkChannel sink = pipe.sink(); Pipe.SourceChannel source = pipe.source()) {
                final ByteBuffer one = ByteBuffer.allocate(1);
                for (long at = 0; at < bytes; at += SegmentFile.PAGE_BYTES) {
                    sink.write(buffer.slice((int) at, 1));
                    source.read(one.clear());
                }
            }
            return true;
        } catch (final IOException ex) {
            return false; // "bad address"; or no descriptor left to ask with, and then something is wrong here too
        }
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
