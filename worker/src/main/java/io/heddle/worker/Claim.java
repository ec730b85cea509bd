package io.heddle.worker;

import io.heddle.context.DescriptorStateException;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;

/**
 * A place reserved in the peer's memory, written by the application, then committed or aborted. The object belongs to
 * the application, which may use it again.
 *
 * <p>Writing is not a use of the worker: between claim and commit the thread that made the claim writes without any
 * lock. Commit and abort are uses of the worker. A write after either throws.
 */
public final class Claim {
    private static final long ARRAY_BASE = UnsafeApi.arrayBaseOffset(byte[].class);
    private static final VarHandle ADDRESS;

    static {
        try {
            ADDRESS = MethodHandles.lookup().findVarHandle(Claim.class, "address", long.class);
        } catch (final ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private Connection connection;
    private int id;
    private int flags;
    private int lengthBytes;
    /** 0 while nothing is claimed. Opaque reads; release when taken away. */
    private long address;

    /** Claims nothing yet. */
    public Claim() {
        super();
    }

    void requireIdle() {
        if (isOpen()) {
            throw new HeddleException(Status.BUSY, "claim refused: the claim object given is still open");
        }
    }

    void open(final Connection on, final int messageId, final int messageFlags, final long place, final int bytes) {
        connection = on;
        id = messageId;
        flags = messageFlags;
        lengthBytes = bytes;
        // Partner: the opaque read in at().
        ADDRESS.setRelease(this, place);
    }

    /** The connection ended: under the guard. */
    void lost() {
        ADDRESS.setRelease(this, 0L); // Partner: at().
    }

    /** Whether a place is claimed and neither committed nor aborted. */
    public boolean isOpen() {
        return (long) ADDRESS.getOpaque(this) != 0L; // Partner: open() and lost().
    }

    /** How many bytes were claimed. */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** Writes one byte. */
    public void putByte(final int index, final byte value) {
        UnsafeApi.putByte(at(index, Byte.BYTES), value);
    }

    /** Writes an int in native (little-endian) order. */
    public void putInt(final int index, final int value) {
        UnsafeApi.putInt(at(index, Integer.BYTES), value);
    }

    /** Writes a long in native (little-endian) order. */
    public void putLong(final int index, final long value) {
        UnsafeApi.putLong(at(index, Long.BYTES), value);
    }

    /** Writes bytes of a buffer. */
    public void putBytes(final int index, final DirectBuffer source, final int offset, final int length) {
        source.boundsCheck(offset, length);
        UnsafeApi.copyMemory(source.byteArray(), source.addressOffset() + offset, null, at(index, length), length);
    }

    /** Writes bytes of an array. */
    public void putBytes(final int index, final byte[] source, final int offset, final int length) {
        java.util.Objects.checkFromIndexSize(offset, length, source.length);
        UnsafeApi.copyMemory(source, ARRAY_BASE + offset, null, at(index, length), length);
    }

    private long at(final int index, final int bytes) {
        final long place = (long) ADDRESS.getOpaque(this); // Partner: open() and lost().
        if (place == 0L) {
            throw new DescriptorStateException(DescriptorStateException.Kind.STALE_HANDLE,
                "write refused: the claim was committed, aborted or cut off");
        }
        if ((index | bytes | lengthBytes - index - bytes) < 0) {
            throw new IndexOutOfBoundsException("index=" + index + " lengthBytes=" + bytes + " claimedBytes="
                + lengthBytes);
        }
        return place + index;
    }

    /** Sends the whole of it. */
    public Status commit() {
        return commit(lengthBytes);
    }

    /**
     * Sends the first bytes of it. A use of the worker.
     *
     * @return {@link Status#OK}, or why the connection ended meanwhile.
     * @throws DescriptorStateException if nothing is claimed.
     */
    public Status commit(final int usedBytes) {
        if (usedBytes < 0 || usedBytes > lengthBytes) {
            throw new IndexOutOfBoundsException("lengthBytes=" + usedBytes + " claimedBytes=" + lengthBytes);
        }
        return on("commit").commit(this, ActiveMessageMeta.of(id, 0, usedBytes, flags), usedBytes);
    }

    /** Gives the place back: the peer sees nothing. A use of the worker. Nothing if the connection ended meanwhile. */
    public void abort() {
        on("abort").abort(this);
    }

    private Connection on(final String operation) {
        if (connection == null) {
            throw new DescriptorStateException(DescriptorStateException.Kind.STALE_HANDLE, operation
                + " refused: nothing was claimed");
        }
        return connection;
    }

    /**
     * Under the guard: ends the writing. Throws if it was ended before by the application; nothing if the connection
     * ended.
     */
    void end(final String operation) {
        final long place = (long) ADDRESS.getOpaque(this); // Partner: open() and lost().
        if (place != 0L && ADDRESS.compareAndSet(this, place, 0L) || connection.status() != Status.OK) {
            return;
        }
        throw new DescriptorStateException(DescriptorStateException.Kind.DOUBLE_RELEASE,
            operation + " refused: the claim was committed or aborted before");
    }
}
