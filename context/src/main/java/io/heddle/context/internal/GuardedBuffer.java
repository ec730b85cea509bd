package io.heddle.context.internal;

import io.heddle.context.DescriptorStateException;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A read-only view of native memory that can be taken back. Every read checks that it was not, and that the range
 * lies inside, in every build and also with Agrona's bounds checks switched off; so a read that begins after the
 * revocation throws, and no read of this object leaves its range.
 *
 * <p>Two things escape and are valid until release only: {@link #addressOffset()} and {@link #byteBuffer()}, and with
 * the first an Agrona buffer that is wrapped on this one.
 *
 * <p>Threads: any thread may read what its holder has published to it. Revoking and pointing anew belong to the
 * holder; a read that overlaps one of them sees the old memory or throws, as long as nobody points it anew meanwhile.
 *
 * <p>The object is 24 bytes with compressed class pointers, so that a subclass with a reference and an int has 32.
 * The file is long because the interface is.
 */
public abstract class GuardedBuffer implements DirectBuffer {
    private static final VarHandle ADDRESS;
    private static final long BYTES_BASE = UnsafeApi.arrayBaseOffset(byte[].class);
    private static final ByteOrder NATIVE = ByteOrder.nativeOrder();

    static {
        try {
            ADDRESS = MethodHandles.lookup().findVarHandle(GuardedBuffer.class, "address", long.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    /** Native address, 0 once revoked. Opaque reads, so that no loop keeps a stale one; release when revoked. */
    private long address;
    private int length;

    /** Points at nothing: every read throws. */
    protected GuardedBuffer() {
    }

    /** Points at the given memory: must not be 0. Plain publication of this object is the holder's business. */
    protected final void point(final long newAddress, final int newLength) {
        if (newAddress == 0L || newLength < 0) {
            throw new IllegalArgumentException("address=" + newAddress + " length=" + newLength +
                " cannot be pointed at");
        }
        length = newLength;
        // Pairs with the opaque read in base(): at worst an overlapping read of the old range throws.
        ADDRESS.setRelease(this, newAddress);
    }

    /** Takes the view back: reads that begin afterwards throw. */
    protected final void revoke() {
        // Pairs with the opaque read in base().
        ADDRESS.setRelease(this, 0L);
    }

    /** As {@link #revoke}; of several callers exactly one gets true. */
    protected final boolean revokeOnce() {
        final long now = (long) ADDRESS.getOpaque(this);
        // Pairs with the opaque read in base().
        return now != 0L && ADDRESS.compareAndSet(this, now, 0L);
    }

    /** Whether reads throw now. */
    public final boolean isRevoked() {
        return (long) ADDRESS.getOpaque(this) == 0L;
    }

    /** A byte buffer on the memory for {@link #byteBuffer()}; null if there is none to be had. */
    protected ByteBuffer byteBufferOn(final long nativeAddress, final int lengthBytes) {
        return null;
    }

    private long base() {
        // Pairs with the release store in revoke().
        final long base = (long) ADDRESS.getOpaque(this);
        if (base == 0L) {
            throw released();
        }
        return base;
    }

    /** The native address of a range that has been checked; size must not be negative. */
    private long at(final int index, final int size) {
        final long base = base();
        if (index < 0 || index > length - size) {
            throw outside(index, size);
        }
        return base + index;
    }

    /** As {@link #at}, for a size that somebody gave. */
    private long range(final int index, final int size) {
        if (size < 0) {
            throw outside(index, size);
        }
        return at(index, size);
    }

    private DescriptorStateException released() {
        return new DescriptorStateException(DescriptorStateException.Kind.STALE_HANDLE,
            "read refused: the data was released, view=" + getClass().getSimpleName());
    }

    private IndexOutOfBoundsException outside(final int index, final int size) {
        return new IndexOutOfBoundsException("index=" + index + " length=" + size + " capacity=" + length);
    }

    /** For what is not hot: Agrona's own reading of the range that has been checked. */
    private UnsafeBuffer plain(final int index, final int size) {
        return new UnsafeBuffer(range(index, size), size);
    }

    @Override
    public final long getLong(final int index) {
        return UnsafeApi.getLong(at(index, Long.BYTES));
    }

    @Override
    public final long getLong(final int index, final ByteOrder byteOrder) {
        final long bits = getLong(index);
        return byteOrder == NATIVE ? bits : Long.reverseBytes(bits);
    }

    @Override
    public final int getInt(final int index) {
        return UnsafeApi.getInt(at(index, Integer.BYTES));
    }

    @Override
    public final int getInt(final int index, final ByteOrder byteOrder) {
        final int bits = getInt(index);
        return byteOrder == NATIVE ? bits : Integer.reverseBytes(bits);
    }

    @Override
    public final double getDouble(final int index) {
        return UnsafeApi.getDouble(at(index, Double.BYTES));
    }

    @Override
    public final double getDouble(final int index, final ByteOrder byteOrder) {
        return byteOrder == NATIVE ? getDouble(index) : Double.longBitsToDouble(getLong(index, byteOrder));
    }

    @Override
    public final float getFloat(final int index) {
        return UnsafeApi.getFloat(at(index, Float.BYTES));
    }

    @Override
    public final float getFloat(final int index, final ByteOrder byteOrder) {
        return byteOrder == NATIVE ? getFloat(index) : Float.intBitsToFloat(getInt(index, byteOrder));
    }

    @Override
    public final short getShort(final int index) {
        return UnsafeApi.getShort(at(index, Short.BYTES));
    }

    @Override
    public final short getShort(final int index, final ByteOrder byteOrder) {
        final short bits = getShort(index);
        return byteOrder == NATIVE ? bits : Short.reverseBytes(bits);
    }

    @Override
    public final char getChar(final int index) {
        return UnsafeApi.getChar(at(index, Character.BYTES));
    }

    @Override
    public final char getChar(final int index, final ByteOrder byteOrder) {
        final char bits = getChar(index);
        return byteOrder == NATIVE ? bits : Character.reverseBytes(bits);
    }

    @Override
    public final byte getByte(final int index) {
        return UnsafeApi.getByte(at(index, Byte.BYTES));
    }

    @Override
    public final void getBytes(final int index, final byte[] dst) {
        getBytes(index, dst, 0, dst.length);
    }

    @Override
    public final void getBytes(final int index, final byte[] dst, final int offset, final int size) {
        final long from = range(index, size);
        if (offset < 0 || offset > dst.length - size) {
            throw outsideTarget(offset, size, dst.length);
        }
        UnsafeApi.copyMemory(null, from, dst, BYTES_BASE + offset, size);
    }

    @Override
    public final void getBytes(final int index, final MutableDirectBuffer dstBuffer, final int dstIndex,
        final int size) {
        range(index, size);
        if (!dstBuffer.isExpandable() && (dstIndex < 0 || dstIndex > dstBuffer.capacity() - size)) {
            throw outsideTarget(dstIndex, size, dstBuffer.capacity());
        }
        // Comes back through addressOffset() or getBytes(), and so is checked again for revocation.
        dstBuffer.putBytes(dstIndex, this, index, size);
    }

    @Override
    public final void getBytes(final int index, final ByteBuffer dstBuffer, final int size) {
        final int position = dstBuffer.position();
        if (size > dstBuffer.remaining()) {
            throw outsideTarget(position, size, dstBuffer.limit());
        }
        getBytes(index, dstBuffer, position, size);
        dstBuffer.position(position + size);
    }

    @Override
    public final void getBytes(final int index, final ByteBuffer dstBuffer, final int dstOffset, final int size) {
        final UnsafeBuffer from = plain(index, size);
        if (dstOffset < 0 || dstOffset > dstBuffer.capacity() - size) {
            throw outsideTarget(dstOffset, size, dstBuffer.capacity());
        }
        from.getBytes(0, dstBuffer, dstOffset, size);
    }

    private static IndexOutOfBoundsException outsideTarget(final int index, final int size, final int capacity) {
        return new IndexOutOfBoundsException("target: index=" + index + " length=" + size + " capacity=" + capacity);
    }

    @Override
    public final int parseNaturalIntAscii(final int index, final int size) {
        return plain(index, size).parseNaturalIntAscii(0, size);
    }

    @Override
    public final long parseNaturalLongAscii(final int index, final int size) {
        return plain(index, size).parseNaturalLongAscii(0, size);
    }

    @Override
    public final int parseIntAscii(final int index, final int size) {
        return plain(index, size).parseIntAscii(0, size);
    }

    @Override
    public final long parseLongAscii(final int index, final int size) {
        return plain(index, size).parseLongAscii(0, size);
    }

    @Override
    public final String getStringAscii(final int index) {
        return getStringAscii(index, getInt(index));
    }

    @Override
    public final int getStringAscii(final int index, final Appendable appendable) {
        return getStringAscii(index, getInt(index), appendable);
    }

    @Override
    public final String getStringAscii(final int index, final ByteOrder byteOrder) {
        return getStringAscii(index, getInt(index, byteOrder));
    }

    @Override
    public final int getStringAscii(final int index, final Appendable appendable, final ByteOrder byteOrder) {
        return getStringAscii(index, getInt(index, byteOrder), appendable);
    }

    @Override
    public final String getStringAscii(final int index, final int size) {
        return getStringWithoutLengthAscii(text(index), size);
    }

    @Override
    public final int getStringAscii(final int index, final int size, final Appendable appendable) {
        return getStringWithoutLengthAscii(text(index), size, appendable);
    }

    @Override
    public final String getStringWithoutLengthAscii(final int index, final int size) {
        return plain(index, size).getStringWithoutLengthAscii(0, size);
    }

    @Override
    public final int getStringWithoutLengthAscii(final int index, final int size, final Appendable appendable) {
        return plain(index, size).getStringWithoutLengthAscii(0, size, appendable);
    }

    @Override
    public final String getStringUtf8(final int index) {
        return getStringUtf8(index, getInt(index));
    }

    @Override
    public final String getStringUtf8(final int index, final ByteOrder byteOrder) {
        return getStringUtf8(index, getInt(index, byteOrder));
    }

    @Override
    public final String getStringUtf8(final int index, final int size) {
        return getStringWithoutLengthUtf8(text(index), size);
    }

    @Override
    public final String getStringWithoutLengthUtf8(final int index, final int size) {
        return plain(index, size).getStringWithoutLengthUtf8(0, size);
    }

    /** Where the text after a length prefix begins, once the prefix is known to lie inside. */
    private int text(final int index) {
        at(index, STR_HEADER_LEN);
        return index + STR_HEADER_LEN;
    }

    /** The length given when it was pointed at its memory; also after the release. */
    @Override
    public final int capacity() {
        return length;
    }

    @Override
    public final void checkLimit(final int limit) {
        if (limit < 0 || limit > length) {
            throw new IndexOutOfBoundsException("limit=" + limit + " capacity=" + length);
        }
    }

    @Override
    public final void boundsCheck(final int index, final int size) {
        range(index, size);
    }

    /** The native address: valid until release, not revocable, unchecked. */
    @Override
    public final long addressOffset() {
        return base();
    }

    /** Always null: the memory is native. */
    @Override
    public final byte[] byteArray() {
        return null;
    }

    /** A byte buffer on the memory, or null: valid until release, not revocable. */
    @Override
    public final ByteBuffer byteBuffer() {
        return byteBufferOn(base(), length);
    }

    /** Always 0, as for every buffer that is not wrapped on an array or a byte buffer. */
    @Override
    public final int wrapAdjustment() {
        return 0;
    }

    @Override
    public final void wrap(final byte[] buffer) {
        throw pointedByOwner();
    }

    @Override
    public final void wrap(final byte[] buffer, final int offset, final int size) {
        throw pointedByOwner();
    }

    @Override
    public final void wrap(final ByteBuffer buffer) {
        throw pointedByOwner();
    }

    @Override
    public final void wrap(final ByteBuffer buffer, final int offset, final int size) {
        throw pointedByOwner();
    }

    @Override
    public final void wrap(final DirectBuffer buffer) {
        throw pointedByOwner();
    }

    @Override
    public final void wrap(final DirectBuffer buffer, final int offset, final int size) {
        throw pointedByOwner();
    }

    @Override
    public final void wrap(final long nativeAddress, final int size) {
        throw pointedByOwner();
    }

    private static UnsupportedOperationException pointedByOwner() {
        return new UnsupportedOperationException("a view of received data cannot be pointed elsewhere");
    }

    @Override
    public final int compareTo(final DirectBuffer that) {
        return plain(0, length).compareTo(that);
    }

    /** By content among views of received data; a released view equals itself only. */
    @Override
    public final boolean equals(final Object that) {
        if (this == that) {
            return true;
        }
        return that instanceof GuardedBuffer other && !isRevoked() && !other.isRevoked() && compareTo(other) == 0;
    }

    @Override
    public final int hashCode() {
        return plain(0, length).hashCode();
    }

    /** Never throws. */
    @Override
    public String toString() {
        return getClass().getSimpleName() + "{length=" + length + (isRevoked() ? " released}" : "}");
    }
}
