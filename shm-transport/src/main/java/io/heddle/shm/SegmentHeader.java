package io.heddle.shm;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.VersionMismatchException;
import io.heddle.context.internal.FailPoints;
import org.agrona.UnsafeApi;

/**
 * The first page of a segment: what it is, how it is divided, and, last, that it is ready.
 *
 * <pre>
 *   0  magic         "HEDDLEsm"   u64
 *   8  layout version             u32
 *  12  byte order mark            u32   0x01020304 as the creator stores an int
 *  16  total length in bytes      u64
 *  24  slots                      u32
 *  28  ring bytes                 u32
 *  32  control slots              u32
 *  36  credit slots               u32
 *  40  (zero)
 * 128  ready                      u64   1; stored last, with release; the partner is the acquire load in verify
 * </pre>
 *
 * <p>Written once by the creator before the name is sent; never changed. Static functions; any thread that holds the
 * mapping.
 */
final class SegmentHeader {
    static final int HEADER_BYTES = 4096;
    static final long MAGIC = 0x6d73454c44444548L;
    static final int BYTE_ORDER_MARK = 0x01020304;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;
    static final int BYTE_ORDER_OFFSET = VERSION_OFFSET + Integer.BYTES;
    static final int TOTAL_BYTES_OFFSET = BYTE_ORDER_OFFSET + Integer.BYTES;
    static final int SLOTS_OFFSET = TOTAL_BYTES_OFFSET + Long.BYTES;
    static final int RING_BYTES_OFFSET = SLOTS_OFFSET + Integer.BYTES;
    static final int CONTROL_SLOTS_OFFSET = RING_BYTES_OFFSET + Integer.BYTES;
    static final int CREDIT_SLOTS_OFFSET = CONTROL_SLOTS_OFFSET + Integer.BYTES;
    static final int READY_OFFSET = 128;
    private static final long READY = 1;

    private SegmentHeader() {
    }

    static void write(final long address, final Geometry g) {
        UnsafeApi.putLong(address + MAGIC_OFFSET, MAGIC);
        UnsafeApi.putInt(address + VERSION_OFFSET, LaneLayout.LAYOUT_VERSION);
        UnsafeApi.putInt(address + BYTE_ORDER_OFFSET, BYTE_ORDER_MARK);
        FailPoints.at("shm.create.half-header");
        UnsafeApi.putLong(address + TOTAL_BYTES_OFFSET, g.segmentBytes());
        UnsafeApi.putInt(address + SLOTS_OFFSET, g.slots());
        UnsafeApi.putInt(address + RING_BYTES_OFFSET, g.ringBytes());
        UnsafeApi.putInt(address + CONTROL_SLOTS_OFFSET, g.controlSlots());
        UnsafeApi.putInt(address + CREDIT_SLOTS_OFFSET, g.creditSlots());
    }

    static void markReady(final long address) {
        // Partner: the acquire load in verify.
        UnsafeApi.putLongRelease(null, address + READY_OFFSET, READY);
    }

    /**
     * Reads each field once, checks it, and returns the geometry.
     *
     * @throws VersionMismatchException if the layout is another version's or another byte order's.
     * @throws HeddleException          with {@link Status#PROTOCOL_VIOLATION} if it is no ready segment of the mapped
     *     length.
     */
    static Geometry verify(final long address, final long mappedBytes) {
        if (mappedBytes < HEADER_BYTES) {
            throw violation("mappedBytes=" + mappedBytes);
        }
        // Partner: the release store in markReady.
        final long ready = UnsafeApi.getLongAcquire(null, address + READY_OFFSET);
        final long magic = UnsafeApi.getLong(address + MAGIC_OFFSET);
        if (magic != MAGIC) {
            throw violation("magic=0x" + Long.toHexString(magic));
        }
        final int version = UnsafeApi.getInt(address + VERSION_OFFSET);
        final int order = UnsafeApi.getInt(address + BYTE_ORDER_OFFSET);
        if (version != LaneLayout.LAYOUT_VERSION || order != BYTE_ORDER_MARK) {
            throw new VersionMismatchException("layout", text(LaneLayout.LAYOUT_VERSION, BYTE_ORDER_MARK),
                text(version, order));
        }
        if (ready != READY) {
            throw violation("ready=" + ready);
        }
        final Geometry g = new Geometry(UnsafeApi.getInt(address + SLOTS_OFFSET),
            UnsafeApi.getInt(address + RING_BYTES_OFFSET),
            UnsafeApi.getInt(address + CONTROL_SLOTS_OFFSET), UnsafeApi.getInt(address + CREDIT_SLOTS_OFFSET));
        final String fault = g.fault();
        if (fault != null) {
            throw violation(fault);
        }
        final long total = UnsafeApi.getLong(address + TOTAL_BYTES_OFFSET);
        if (total != g.segmentBytes() || total > mappedBytes) {
            throw violation("totalBytes=" + total + " mappedBytes=" + mappedBytes + " expected=" + g.segmentBytes());
        }
        return g;
    }

    private static String text(final int version, final int order) {
        return "layout=" + version + " byteOrder=0x" + Integer.toHexString(order);
    }

    private static HeddleException violation(final String field) {
        return new HeddleException(Status.PROTOCOL_VIOLATION, "segment header: " + field);
    }
}
