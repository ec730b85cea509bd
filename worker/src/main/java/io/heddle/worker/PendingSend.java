package io.heddle.worker;

import io.heddle.context.Status;
import io.heddle.context.internal.Guarded;
import io.heddle.context.internal.ThreadGuard;
import io.heddle.context.spi.Lane;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A message that did not fit at once, or that is longer than a lane's largest record: sent fragment by fragment, in its
 * place in the connection's order. It refers to the payload and owns a copy of the header.
 *
 * <p>Where thread modes are checked, so is a payload in one piece: a CRC of it is taken when the send is queued and
 * compared when it goes out.
 */
final class PendingSend extends PendingOperation {
    private static final int CRC_CHUNK_BYTES = 16 * 1024;

    private final Connection connection;
    private final int id;
    private final int flags;
    private final DirectBuffer header;
    private final int headerBytes;
    /** The payload, or null if it is a vector. */
    private final DirectBuffer data;
    private final BufferVector vector;
    private final int dataOffset;
    private final int dataBytes;
    private int sentBytes;
    private boolean begun;
    private boolean queued;
    private int crc;

    PendingSend(final Request request, final Connection connection, final int id, final int flags,
        final DirectBuffer header,
        final DirectBuffer data, final int dataOffset, final int dataBytes) {
        super(request);
        this.connection = connection;
        this.id = id;
        this.flags = flags;
        this.headerBytes = header == null ? 0 : header.capacity();
        this.header = headerBytes == 0 ? null : copyOf(header);
        this.data = data;
        this.vector = null;
        this.dataOffset = dataOffset;
        this.dataBytes = dataBytes;
    }

    PendingSend(final Request request, final Connection connection, final int id, final int flags,
        final DirectBuffer header,
        final BufferVector vector) {
        super(request);
        this.connection = connection;
        this.id = id;
        this.flags = flags;
        this.headerBytes = header == null ? 0 : header.capacity();
        this.header = headerBytes == 0 ? null : copyOf(header);
        this.data = null;
        this.vector = vector;
        this.dataOffset = 0;
        this.dataBytes = vector.lengthBytes();
    }

    private static DirectBuffer copyOf(final DirectBuffer source) {
        final byte[] bytes = new byte[source.capacity()];
        source.getBytes(0, bytes);
        return new UnsafeBuffer(bytes);
    }

    /** It has to wait: from now on the payload must not be changed. */
    void queued() {
        queued = true;
        if (ThreadGuard.CHECKS && data != null && dataBytes > 0) {
            crc = crcOfData();
        }
    }

    @Override
    @Guarded
    Status advance(final Connection on) {
        if (queued && !begun && ThreadGuard.CHECKS && data != null && dataBytes > 0 && crcOfData() != crc) {
            connection.core().reports().payloadChangedLater(connection, id, dataBytes);
        }
        final Lane lane = connection.lane();
        for (;;) {
            final int room = lane.maxFragmentBytes();
            final boolean isFirst = !begun;
            final int headerHere = isFirst ? headerBytes : 0;
            final int left = dataBytes - sentBytes;
            final boolean isWhole = isFirst && ActiveMessageMeta.recordBytes(left, headerBytes) <= room;
            final int fragment = isWhole ? left : Math.min(left, (room & -8) - ActiveMessageMeta.align8(headerHere));
            final int type = isWhole ? ActiveMessageMeta.TYPE_ONLY : isFirst ? ActiveMessageMeta.TYPE_FIRST
                : ActiveMessageMeta.TYPE_MORE;
            final long meta = ActiveMessageMeta.of(id, headerHere, isFirst ? dataBytes : sentBytes, flags);
            final Status status = data == null && dataBytes > 0 ? gather(lane, type, meta, fragment, headerHere)
                : lane.send(type, meta, data, dataOffset + sentBytes, fragment, isFirst ? header : null, headerHere);
            on.starved(status == Status.NO_RESOURCE);
            if (status != Status.OK) {
                return status;
            }
            begun = true;
            sentBytes += fragment;
            if (sentBytes == dataBytes) {
                connection.countSent(dataBytes);
                return Status.OK;
            }
        }
    }

    @Guarded
    private Status gather(final Lane lane, final int type, final long meta, final int fragment, final int headerHere) {
        final int length = ActiveMessageMeta.recordBytes(fragment, headerHere);
        final Status status = lane.reserve(length);
        if (status != Status.OK) {
            return status;
        }
        final long target = lane.reservedAddress();
        boolean isCopied = false;
        try {
            vector.copyTo(sentBytes, target, fragment);
            if (headerHere > 0) {
                UnsafeApi.copyMemory(header.byteArray(), header.addressOffset(), null, target + length - headerHere,
                    headerHere);
            }
            isCopied = true;
        } finally {
            if (!isCopied) {
                lane.abandon(); // a stretch was released, or shrank: the lane must not stay reserved
            }
        }
        return lane.publish(type, meta, length);
    }

    @Override
    boolean isBegun() {
        return begun;
    }

    @Override
    long leftBytes() {
        return dataBytes - sentBytes;
    }

    @Override
    Connection connection() {
        return connection;
    }

    @Override
    public String toString() {
        return "send id=" + id + " lengthBytes=" + dataBytes + " leftBytes=" + leftBytes() + " peer=["
            + connection.peer() + ']';
    }

    private int crcOfData() {
        final CRC32C sum = new CRC32C();
        final byte[] chunk = new byte[Math.min(dataBytes, CRC_CHUNK_BYTES)];
        for (int done = 0; done < dataBytes; done += chunk.length) {
            final int length = Math.min(chunk.length, dataBytes - done);
            data.getBytes(dataOffset + done, chunk, 0, length);
            sum.update(chunk, 0, length);
        }
        return (int) sum.getValue();
    }
}
