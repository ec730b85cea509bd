package io.heddle.worker;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;

/**
 * Several stretches of memory that are sent as one payload, in order. Belongs to the application, which may use it
 * again when the send is done. Confined to one thread at a time; empty stretches are allowed anywhere.
 */
public final class BufferVector {
    private DirectBuffer[] buffers = new DirectBuffer[4];
    private int[] offsets = new int[4];
    private int[] lengths = new int[4];
    private int count;
    private long totalBytes;

    /** Empty. */
    public BufferVector() {
        super();
    }

    /** Adds a stretch. This object, for chaining. */
    public BufferVector add(final DirectBuffer buffer, final int offset, final int lengthBytes) {
        if ((offset | lengthBytes) < 0
            || lengthBytes > 0 && (buffer == null || lengthBytes > buffer.capacity() - offset)) {
            throw new HeddleException(Status.INVALID_PARAM, "offset=" + offset + " lengthBytes=" + lengthBytes
                + " must lie within the buffer: capacityBytes="
                + (buffer == null ? "none (null)" : Integer.toString(buffer.capacity())));
        }
        if (totalBytes + lengthBytes > Integer.MAX_VALUE) {
            throw new HeddleException(Status.EXCEEDS_LIMIT, "lengthBytes=" + (totalBytes + lengthBytes)
                + " must be <= " + Integer.MAX_VALUE);
        }
        if (count == buffers.length) {
            buffers = Arrays.copyOf(buffers, count * 2);
            offsets = Arrays.copyOf(offsets, count * 2);
            lengths = Arrays.copyOf(lengths, count * 2);
        }
        buffers[count] = buffer;
        offsets[count] = offset;
        lengths[count++] = lengthBytes;
        totalBytes += lengthBytes;
        return this;
    }

    /** Forgets every stretch. */
    public void clear() {
        Arrays.fill(buffers, 0, count, null);
        count = 0;
        totalBytes = 0;
    }

    /** How many stretches. */
    public int size() {
        return count;
    }

    /** Bytes of all stretches. */
    public int lengthBytes() {
        return (int) totalBytes;
    }

    /** Copies bytes {@code offset .. offset + length} of the whole to native memory. */
    void copyTo(final int offset, final long target, final int length) {
        int skip = offset;
        int done = 0;
        for (int i = 0; i < count && done < length; i++) {
            if (skip >= lengths[i]) {
                skip -= lengths[i];
            } else {
                final int bytes = Math.min(lengths[i] - skip, length - done);
                final DirectBuffer buffer = buffers[i];
                if (buffer.capacity() - offsets[i] < lengths[i]) {
                    throw new IndexOutOfBoundsException("stretch=" + i + " offset=" + offsets[i] + " lengthBytes="
                        + lengths[i] + " capacityBytes=" + buffer.capacity() + ": the buffer was changed since");
                }
                UnsafeApi.copyMemory(buffer.byteArray(), buffer.addressOffset() + offsets[i] + skip, null, target
                    + done, bytes);
                done += bytes;
                skip = 0;
            }
        }
    }
}
