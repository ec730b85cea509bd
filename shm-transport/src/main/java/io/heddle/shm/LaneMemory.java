package io.heddle.shm;

import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;

/** Copies into lane memory. Static functions; the caller has checked the target. */
final class LaneMemory {
    private static final int SMALL = 64;

    private LaneMemory() {
    }

    static int align8(final int value) {
        return value + 7 & -8;
    }

    /** Throws unless {@code offset .. offset + length} lies in the source; a null source is right only for no bytes. */
    static void check(final DirectBuffer source, final int offset, final int length) {
        if (length == 0) {
            return;
        }
        if (source == null || (offset | length | source.capacity() - offset - length) < 0) {
            throw outside(source, offset, length);
        }
    }

    private static RuntimeException outside(final DirectBuffer source, final int offset, final int length) {
        return new IndexOutOfBoundsException("offset=" + offset + " lengthBytes=" + length + " capacityBytes="
            + (source == null ? "none (null buffer)" : Integer.toString(source.capacity())));
    }

    /** Copies checked bytes to native memory. */
    static void copy(final DirectBuffer source, final int offset, final long target, final int length) {
        final byte[] array = source.byteArray();
        final long from = source.addressOffset() + offset;
        if (length > SMALL) {
            UnsafeApi.copyMemory(array, from, null, target, length);
        } else {
            copySmall(array, from, target, length);
        }
    }

    /** The stub behind copyMemory costs more than the copy for a few words. */
    private static void copySmall(final byte[] array, final long from, final long target, final int length) {
        int i = 0;
        for (final int words = length & -8; i < words; i += 8) {
            UnsafeApi.putLong(target + i, UnsafeApi.getLong(array, from + i));
        }
        if ((length & 4) != 0) {
            UnsafeApi.putInt(target + i, UnsafeApi.getInt(array, from + i));
            i += 4;
        }
        for (; i < length; i++) {
            UnsafeApi.putByte(target + i, UnsafeApi.getByte(array, from + i));
        }
    }
}
