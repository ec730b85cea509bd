package io.heddle.worker;

import io.heddle.context.DescriptorStateException;
import io.heddle.context.PoolElement;
import io.heddle.context.internal.Operation;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A message in its handler's hands. One object per worker, pointed at one message after the other: valid on the
 * dispatching thread until the handler returns; then its views throw.
 *
 * <p>Payload is aligned to 8 bytes in the ring, to 64 in descriptors and copies. A peer that breaks its own promises
 * can change the bytes of an in-place message while they are read; who must not be fooled takes a copy first.
 */
public final class ActiveMessage {
    private final WorkerCore core;
    private final MessageView header = new MessageView();
    private final MessageView data = new MessageView();
    private Connection connection;
    private PoolElement element;
    private long address;
    private long headerAddress;
    private long meta;
    private int dataBytes;
    private boolean isCurrent;
    private boolean isPostponed;
    private boolean isDataShown;
    private boolean isHeaderShown;

    ActiveMessage(final WorkerCore core) {
        this.core = core;
    }

    /** Dispatching thread. The element, if any, is HELD with a reference that is not this message's to give. */
    void begin(final Connection from, final long messageMeta, final long dataAddress, final int lengthBytes,
        final long addressOfHeader,
        final PoolElement holder) {
        connection = from;
        meta = messageMeta;
        address = dataAddress;
        dataBytes = lengthBytes;
        headerAddress = addressOfHeader;
        element = holder;
        isPostponed = false;
        isCurrent = true;
    }

    /** Dispatching thread: the handler has returned. Whether it postponed the message. */
    boolean end() {
        isCurrent = false;
        if (isDataShown) {
            data.hide();
            isDataShown = false;
        }
        if (isHeaderShown) {
            header.hide();
            isHeaderShown = false;
        }
        return isPostponed;
    }

    /** The id it was sent to. */
    public int id() {
        return ActiveMessageMeta.id(meta);
    }

    /** The header's bytes; empty if there is none. Not kept by {@link #retain()}. */
    public DirectBuffer header() {
        requireCurrent("header");
        if (!isHeaderShown) {
            header.show(headerAddress, ActiveMessageMeta.headerBytes(meta));
            isHeaderShown = true;
        }
        return header;
    }

    /** The payload's bytes, where the peer wrote them. */
    public DirectBuffer data() {
        requireCurrent("data");
        if (!isDataShown) {
            data.show(address, dataBytes);
            isDataShown = true;
        }
        return data;
    }

    /** Length of the payload. */
    public long lengthBytes() {
        return dataBytes;
    }

    /** Whether the sender may be replied to. */
    public boolean isReplyWanted() {
        return ActiveMessageMeta.isReplyWanted(meta);
    }

    /** Where it came from; for {@code Endpoint.replyTo}. */
    public Connection connection() {
        return connection;
    }

    /**
     * Keeps the payload beyond the handler: in place if it fills at least half of a descriptor, or of what it was put
     * together in, else as a copy of the right size.
     * Allocates one object of 32 bytes. A use of the worker.
     *
     * @throws io.heddle.context.HeddleException with NO_MEMORY if what is kept has reached {@code heddle.pool.limit}
     *     and a copy would be needed.
     */
    public ReceivedData retain() {
        final ReceivedData handle = core.keeping().newHandle();
        retainInto(handle);
        return handle;
    }

    /**
     * As {@link #retain()}, into an object of the caller's; allocates nothing.
     *
     * @throws DescriptorStateException if that object still holds something.
     */
    public void retainInto(final ReceivedData mine) {
        requireCurrent("retain");
        if (mine.isHeld()) {
            throw new DescriptorStateException(DescriptorStateException.Kind.WRONG_STATE,
                "retain refused: the handle given still holds lengthBytes=" + mine.capacity());
        }
        core.guard().enter(Operation.RETAIN);
        try {
            core.keeping().keep(connection, element, address, dataBytes, mine);
        } finally {
            core.guard().exit(Operation.RETAIN);
        }
    }

    /**
     * Copies the payload.
     *
     * @return how many bytes.
     */
    public int copyTo(final MutableDirectBuffer target, final int offset) {
        data().getBytes(0, target, offset, dataBytes);
        return dataBytes;
    }

    /**
     * Leaves the message where it is and pauses its connection until it is resumed; then the message is delivered
     * again. What was kept of it in this handler stays kept.
     */
    public void postpone() {
        requireCurrent("postpone");
        isPostponed = true;
    }

    private void requireCurrent(final String operation) {
        if (!isCurrent) {
            throw new DescriptorStateException(DescriptorStateException.Kind.STALE_HANDLE,
                operation + " refused: the message's handler has returned; keep what is needed with retain()");
        }
    }
}
