package io.heddle.context.spi;

import io.heddle.context.PoolElement;
import io.heddle.context.Status;
import org.agrona.DirectBuffer;

/**
 * A connection to one peer worker: two directions, each with one writer and one reader; records arrive in the order
 * they were accepted.
 *
 * <p>Confined to the worker's guard, but where a method says otherwise. A record is {type, meta, data, header}: type
 * and meta belong to the worker, the bytes lie as data, then, at the next multiple of eight, the header. A lane never
 * throws for what a peer did: it tells {@link InterfaceListener#onPeerGone}.
 */
public interface Lane {
    /** Room kept free for the worker's own object. */
    Object attachment();

    /** Sets what {@link #attachment()} gives. */
    void attachment(Object attachment);

    /** Whether records may be offered: connected, and the peer is there. */
    @AnyThread
    boolean isReady();

    // ---- the dispatcher's read-only look: token held, guard not needed

    /** Whether something has arrived that {@link #collect} or {@link #control} would take. */
    boolean hasReceived();

    /**
     * Whether {@link #control} would take something although nothing is collected, as from a lane whose messages were
     * postponed. Then {@link #hasReceived} is true as well.
     */
    boolean hasControl();

    /** Whether something that was refused for want of room might be accepted now. */
    boolean hasRoom();

    // ---- receiving: token and guard

    /**
     * Handles control records: credits wanted, the peer's farewell. Never waits behind data.
     *
     * @return how many were handled; bounded.
     */
    int control();

    /**
     * Copies and checks the descriptions of arrived records, in order, into the batch; the bytes stay where they are
     * until {@link #retire}.
     *
     * @param limit the most records to add.
     * @return how many were added.
     */
    int collect(ReceiveBatch batch, int limit);

    /**
     * Gives back records of the batch {@code from} (inclusive) to {@code to} (exclusive), which this lane had added and
     * which are the oldest it has not retired. Descriptors that nobody kept are lent to the peer again.
     */
    void retire(ReceiveBatch batch, int from, int to);

    /** Takes back records that were collected and not delivered, so that the next {@link #collect} finds them again. */
    void rewind(ReceiveBatch batch, int from, int to);

    /**
     * A hint, after a record was collected: both sides send one record and wait for the other's, from now on or no
     * longer. Changes nothing but speed.
     */
    default void takingTurns(final boolean isOn) {
        // of no use to most
    }

    /**
     * Lends a released element (state TAKEN, see {@link PoolElement#reclaim()}) to the peer again, or puts it into its
     * pool.
     */
    void recycle(PoolElement element);

    /**
     * Whether the application may keep this element, or ought to take a copy because the peer would be left without
     * descriptors ({@code heddle.pool.exhausted=copy}).
     */
    boolean keepsInPlace(PoolElement element);

    // ---- sending: guard

    /** The largest record, data and header together with padding, that {@link #send} takes. */
    @AnyThread
    int maxFragmentBytes();

    /** The largest record that can be sent although no descriptor can be had; at least 1 KiB and 8 bytes. */
    int maxInlineBytes();

    /**
     * Offers one record: copied, published, or refused, at once.
     *
     * @param header may be null if headerLength is 0; likewise data.
     * @return {@link Status#OK}, {@link Status#NO_RESOURCE}, or the error that ended the lane. Nothing was sent unless
     *     OK.
     */
    Status send(int type, long meta, DirectBuffer data, int dataOffset, int dataLength, DirectBuffer header,
        int headerLength);

    /**
     * Reserves the next place for a record written by the caller. At most one reservation is open; until it is
     * published or abandoned, every send is refused with NO_RESOURCE.
     *
     * @param length bytes of the whole record, at most {@link #maxFragmentBytes()}.
     */
    Status reserve(int length);

    /** Native address of the open reservation; pinned until {@link #publish} or {@link #abandon}. */
    long reservedAddress();

    /** Publishes the open reservation with its first {@code length} bytes. */
    Status publish(int type, long meta, int length);

    /** Gives the open reservation up; the peer sees nothing. */
    void abandon();

    /** Records published and not yet retired by the peer. */
    int unretired();

    /**
     * Whether the peer must be woken for what was published since the last call. Under the guard; the caller then calls
     * {@link #signal()} after it has left the guard.
     */
    boolean signalNeeded();

    /** The same for room that was made since the last call, by retiring records or lending descriptors. */
    boolean signalNeededForRoom();

    /** Wakes the peer: a system call, so never under the worker's lock. Any thread; never throws. */
    @AnyThread
    void signal();

    // ---- the end

    /**
     * Under the guard, after an {@link InternalError} that nobody knows the origin of: ends this lane with
     * {@link io.heddle.context.Status#SHMEM_SEGMENT} if its memory is not there any more. Whether it did.
     */
    default boolean endIfMemoryLost() {
        return false;
    }

    /**
     * Announces that nothing more will be sent: the peer reads what was published, then is told {@link
     * Status#CONNECTION_RESET}. Idempotent.
     */
    void finish();

    /**
     * The worker has dropped every reference to the lane: batch, claim, views. Its memory is unmapped by the
     * transport's own thread, that of elements still kept when they are released. Idempotent.
     */
    void dispose();

    /** One line: transport, peer, geometry, credit and pool figures, what it waits for. */
    @AnyThread
    String describe();
}
