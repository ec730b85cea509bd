package io.heddle.shm;

import io.heddle.context.Status;

/**
 * What a connection tells the lane's side. Called by the control thread; each call only leaves a note and wakes the
 * worker.
 */
interface ConnectionEvents {
    /** Wakes the worker: the peer has signalled. */
    void wake();

    /** The connection is over. */
    void postFailed(Status status, String reason);

    /** The peer has mapped the segment that this side lends. */
    void postGrowthMapped(Growth growth, MappedSegment segment, LaneLink link);

    /** The segment that the peer lends is mapped here. */
    void postPeerGrowthMapped(Growth growth, MappedSegment segment, LaneLink link);

    /** This side lends nothing more for now. */
    void postGrowthRefused(long elementBytes, String reason);

    /** The time that {@link LaneLink#growthLater} was given is over. */
    void postGrowthDue();

    /** The peer wanted to lend more and could not. */
    void postPeerGrowthRefused(long elementBytes);
}
