package io.heddle.shm;

/**
 * What a lane asks of the control thread. Any thread may call any method; none blocks and none throws. After the
 * connection has ended the calls do nothing, except {@link #unmap}, which always counts.
 */
interface LaneLink {
    /**
     * Asks for a further segment of {@code count * elementBytes} bytes of zeros, which this side lends to the peer:
     * elements lie one after another from offset 0. The answer is {@code growthMapped} here and {@code
     * peerGrowthMapped} there, or the refusals of the same names; none comes if the connection ends before.
     */
    void requestGrowth(int firstId, int count, long elementBytes);

    /** Has {@code growthDue} told after that time, so that a growth that was refused is asked for again. */
    void growthLater(long delayNs);

    /**
     * Wakes the peer's worker: one byte, written by the calling thread. That the socket is full is success, for then
     * the peer has unread bytes that will wake it.
     */
    void signal();

    /** Tells the peer's control thread that the end of this connection, when it comes, is meant. */
    void finish();

    /** Closes the socket once the messages before have gone out. Nothing is posted about this connection any more. */
    void close();

    /**
     * Gives a segment back, after a linger: a thread may still be inside a read that it began before the last release.
     * Idempotent per segment.
     */
    void unmap(MappedSegment segment);
}
