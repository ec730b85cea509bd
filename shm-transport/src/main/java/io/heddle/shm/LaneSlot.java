package io.heddle.shm;

import io.heddle.context.Status;

/**
 * The tie between what the control thread knows of a connection and the lane that the worker sees. The control thread
 * posts; what is posted runs under the worker's guard, in order, unless the worker has forgotten the lane, and then
 * gives back what came with it.
 */
final class LaneSlot implements ConnectionEvents {
    private final ShmInterface owner;
    private final ConnectAttempt attempt;
    /** Whether the worker has the lane already, since it connects or has accepted a request. */
    private final boolean expected;
    /** Under the worker's guard. Null until a connection by address is opened. */
    private ShmLane lane;
    /** Under the worker's guard. */
    private boolean forgotten;

    /**
     * @param lane    what connects or was accepted, or null for a connection that nobody here knows of yet.
     * @param attempt connects it, or null.
     */
    LaneSlot(final ShmInterface owner, final ShmLane lane, final ConnectAttempt attempt) {
        this.owner = owner;
        this.lane = lane;
        this.attempt = attempt;
        expected = lane != null;
    }

    ShmLane lane() {
        return lane;
    }

    /** The worker has dropped the lane. Under its guard. */
    void forget() {
        forgotten = true;
        if (attempt != null) {
            attempt.cancel();
        }
    }

    // ---- called by the control thread; what is posted runs under the guard

    @Override
    public void wake() {
        owner.wake();
    }

    void postOpened(
        final MappedSegment segment, final Geometry geometry, final boolean creator, final LaneLink link,
            final String peer) {
        final Runnable giveBack = () -> {
            link.close();
            link.unmap(segment);
        };
        owner.post(() -> {
            if (forgotten) {
                giveBack.run();
                return;
            }
            try {
                opened(segment, geometry, creator, link, peer);
            } catch (final RuntimeException | Error ex) { // the memory behind the segment may be gone: an InternalError
                giveBack.run();
                owner.complain(ex);
                if (expected) {
                    lane.failed(Status.SHMEM_SEGMENT, "the segment cannot be used: cause=" + ex);
                }
            }
        }, giveBack);
    }

    private void opened(
        final MappedSegment segment, final Geometry geometry, final boolean creator, final LaneLink link,
            final String peer) {
        final ShmLane opened = expected ? lane : new ShmLane(owner);
        opened.open(segment, geometry, creator, link, peer);
        lane = opened;
        owner.opened(this, expected, peer);
    }

    @Override
    public void postFailed(final Status status, final String reason) {
        owner.post(() -> {
            if (!forgotten && lane != null) {
                lane.failed(status, reason);
            }
        }, LaneSlot::nothing);
    }

    @Override
    public void postGrowthMapped(final Growth growth, final MappedSegment segment, final LaneLink link) {
        owner.post(() -> {
            if (forgotten || lane == null) {
                link.unmap(segment);
            } else {
                lane.growthMapped(growth.firstId(), growth.count(), growth.elementBytes(), segment);
            }
        }, () -> link.unmap(segment));
    }

    @Override
    public void postPeerGrowthMapped(final Growth growth, final MappedSegment segment, final LaneLink link) {
        owner.post(() -> {
            if (forgotten || lane == null) {
                link.unmap(segment);
            } else {
                lane.peerGrowthMapped(growth.firstId(), growth.count(), growth.elementBytes(), segment);
            }
        }, () -> link.unmap(segment));
    }

    @Override
    public void postGrowthRefused(final long elementBytes, final String reason) {
        owner.post(() -> {
            if (!forgotten && lane != null) {
                lane.growthRefused(elementBytes, reason);
            }
        }, LaneSlot::nothing);
    }

    @Override
    public void postGrowthDue() {
        owner.post(() -> {
            if (!forgotten && lane != null) {
                lane.growthDue();
            }
        }, LaneSlot::nothing);
    }

    @Override
    public void postPeerGrowthRefused(final long elementBytes) {
        owner.post(() -> {
            if (!forgotten && lane != null) {
                lane.peerGrowthRefused(elementBytes);
            }
        }, LaneSlot::nothing);
    }

    private static void nothing() {
        // nothing came with the event, so nothing is given back
    }
}
