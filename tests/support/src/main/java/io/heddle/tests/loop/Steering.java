package io.heddle.tests.loop;

import io.heddle.context.Status;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/**
 * The test's hand on one lane, on one interface with its lanes, or on a whole transport. What is steered here concerns
 * what this side calls and sees: its own sends, the records that arrive for it, the credits and the room that come back
 * to it. To steer the peer, take the peer's handle.
 *
 * <p>A wider handle holds for everything below it; of a call that several handles have plans for, the narrowest decides
 * and all count it.
 *
 * <p>Thread safe. Nothing here needs or takes a worker's guard; a held step that is let go wakes the worker that may
 * sleep on it.
 */
public final class Steering {
    private final String name;
    private final Steering wider;
    private final List<SteeredLane> lanes = new CopyOnWriteArrayList<>();
    private final List<SteeredInterface> interfaces = new CopyOnWriteArrayList<>();
    private final Map<SteeredCall, Long> counts = new EnumMap<>(SteeredCall.class);
    private final List<Plan> plans = new ArrayList<>();
    private final List<AssertionError> breaches = new ArrayList<>();
    private volatile BooleanSupplier guardHeld;
    private volatile boolean deliveryHeld;
    private volatile boolean creditsHeld;
    private volatile boolean roomHeld;
    private volatile boolean connectsHeld;
    private volatile boolean keepingDenied;
    private Corruption corruption;

    Steering(final String name, final Steering wider) {
        this.name = name;
        this.wider = wider;
    }

    // ---- refusing and failing

    /**
     * Refuses the next sends with NO_RESOURCE. {@code hasRoom()} then says yes at once, for the plan counts only what
     * is tried.
     */
    public void refuseSends(final int times) {
        plan(SteeredCall.SEND, 0, times, Status.NO_RESOURCE);
    }

    /** Refuses the next reservations with NO_RESOURCE. */
    public void refuseReserves(final int times) {
        plan(SteeredCall.RESERVE, 0, times, Status.NO_RESOURCE);
    }

    /** Lets the next connections of this side fail: the lane is told gone with the status, instead of connected. */
    public void refuseConnects(final int times, final Status status) {
        plan(SteeredCall.CONNECT, 0, times, status);
    }

    /**
     * Lets one call fail. NO_RESOURCE refuses it; any other error ends the connection: this side is told the status,
     * the peer CONNECTION_RESET.
     *
     * @param call   CONNECT, SEND, RESERVE, PUBLISH or COLLECT.
     * @param step   which of these calls from now on, 1 for the next.
     * @param status an error.
     */
    public void failAt(final SteeredCall call, final int step, final Status status) {
        plan(call, step - 1, 1, status);
    }

    private void plan(final SteeredCall call, final int skip, final int times, final Status status) {
        final boolean ends = status != Status.NO_RESOURCE;
        final boolean possible = switch (call) {
            case SEND, RESERVE -> true;
            case CONNECT, PUBLISH, COLLECT -> ends;
            default -> false;
        };
        if (!possible || !status.isError() || skip < 0 || times < 1) {
            throw new IllegalArgumentException(
                "cannot fail: call=" + call + " skip=" + skip + " times=" + times + " status=" + status);
        }
        synchronized (plans) {
            plans.add(new Plan(call, skip, times, status));
        }
    }

    // ---- holding back

    /** What is published to this side from now on stays invisible until it is delivered. */
    public void holdDelivery() {
        deliveryHeld = true;
    }

    /**
     * Makes held records visible, the oldest first over all lanes of this handle, whichever handle holds them. With a
     * handle per lane, the test chooses the order across lanes.
     *
     * @return how many were made visible: fewer if no more were published.
     */
    public int deliver(final int records) {
        int delivered = 0;
        while (delivered < records) {
            SteeredLane oldest = null;
            for (final SteeredLane lane : lanes) {
                if (oldest == null || lane.incoming().nextHidden() < oldest.incoming().nextHidden()) {
                    oldest = lane;
                }
            }
            if (oldest == null || !oldest.deliverOne()) {
                break;
            }
            delivered++;
        }
        return delivered;
    }

    /** Ends {@link #holdDelivery()} of this handle and delivers what waits, unless another handle holds it. */
    public void resumeDelivery() {
        deliveryHeld = false;
        lanes.forEach(SteeredLane::reconsiderIncoming);
    }

    /** Descriptors the peers lend to this side from now on stay invisible until they are given. */
    public void holdCredits() {
        creditsHeld = true;
    }

    /** Gives held descriptors to this side's lanes. @return how many there were, up to the number asked for. */
    public int giveCredits(final int credits) {
        int given = 0;
        for (final SteeredLane lane : lanes) {
            given += lane.giveCredits(credits - given);
        }
        return given;
    }

    /** Ends {@link #holdCredits()} of this handle. */
    public void resumeCredits() {
        creditsHeld = false;
        lanes.forEach(SteeredLane::reconsiderOutgoing);
    }

    /** Room that the peers give back by retiring stays invisible to this side until it is given. */
    public void holdRoom() {
        roomHeld = true;
    }

    /** Gives held room, in records, to this side's lanes. @return how much there was, up to what was asked for. */
    public int giveRoom(final int records) {
        int given = 0;
        for (final SteeredLane lane : lanes) {
            given += lane.giveRoom(records - given);
        }
        return given;
    }

    /** Ends {@link #holdRoom()} of this handle. */
    public void resumeRoom() {
        roomHeld = false;
        lanes.forEach(SteeredLane::reconsiderOutgoing);
    }

    /**
     * This side's worker is not told of connections, neither of its own nor of accepted ones, until they are completed.
     */
    public void holdConnects() {
        connectsHeld = true;
    }

    /** Lets held tidings of connections through, in order. @return how many there were, up to the number asked for. */
    public int completeConnects(final int connections) {
        int completed = 0;
        for (final SteeredInterface side : interfaces) {
            completed += side.completeConnects(connections - completed);
        }
        return completed;
    }

    /** Ends {@link #holdConnects()} of this handle and lets through what waits, unless another handle holds it. */
    public void resumeConnects() {
        connectsHeld = false;
        interfaces.stream().filter(side -> !side.steering().isConnectsHeld())
            .forEach(side -> side.completeConnects(Integer.MAX_VALUE));
    }

    // ---- keeping

    /**
     * From now on, or no longer, {@code keepsInPlace} says no: kept records ought to be copied, as when a pool is
     * exhausted.
     */
    public void denyKeeping(final boolean denied) {
        keepingDenied = denied;
    }

    // ---- breaking

    /**
     * Ends the peers of this handle's lanes as death would: nothing more can be sent, what was published can still be
     * collected. The other side is told the same, as if the connection were cut, so that its worker can be closed.
     */
    public void killPeer() {
        lanes.forEach(SteeredLane::killPeer);
    }

    /** Flips these bits in the meta word of the next record collected here for the first time. */
    public synchronized void corruptMeta(final long bits) {
        corruption = new Corruption(bits, -1, -1);
    }

    /**
     * Changes the length of the next record collected here for the first time; over its room, it is a violation that
     * ends the lane.
     */
    public synchronized void corruptLength(final int lengthBytes) {
        corruption = new Corruption(0L, lengthBytes, -1);
    }

    /**
     * Changes the type of the next record collected here for the first time; over 127, it is a violation that ends the
     * lane.
     */
    public synchronized void corruptType(final int type) {
        corruption = new Corruption(0L, -1, type);
    }

    // ---- counting

    /** How often this call was made, over all lanes of this handle. */
    public long count(final SteeredCall call) {
        synchronized (counts) {
            return counts.getOrDefault(call, 0L);
        }
    }

    /** How many read-only looks were made: {@code hasReceived}, {@code hasRoom}, {@code hasEvents}. */
    public long looks() {
        return sum(true);
    }

    /** How many calls were made that are not looks. */
    public long steps() {
        return sum(false);
    }

    private long sum(final boolean looks) {
        long sum = 0;
        synchronized (counts) {
            for (final Map.Entry<SteeredCall, Long> entry : counts.entrySet()) {
                sum += entry.getKey().isLook() == looks ? entry.getValue() : 0;
            }
        }
        return sum;
    }

    /**
     * From now on every call that the SPI wants under the guard is refused with an AssertionError, at the offending
     * call and before it does anything, if the guard is not held; likewise {@code signal()} if it is held.
     *
     * @param held whether the calling thread holds the worker's guard; null ends the check.
     */
    public void guardHeld(final BooleanSupplier held) {
        guardHeld = held;
    }

    /**
     * @throws AssertionError the first breach that was found, the others suppressed in it; for callers that swallow
     * what is thrown.
     */
    public void assertGuardKept() {
        synchronized (breaches) {
            if (!breaches.isEmpty()) {
                final AssertionError all = new AssertionError("breaches=" + breaches.size(), breaches.get(0));
                breaches.subList(1, breaches.size()).forEach(all::addSuppressed);
                throw all;
            }
        }
    }

    @Override
    public String toString() {
        return "Steering{" + name + '}';
    }

    // ---- asked by the transport

    /** Counts a call, and checks the guard. */
    void enter(final SteeredCall call) {
        for (Steering s = this; s != null; s = s.wider) {
            synchronized (s.counts) {
                s.counts.merge(call, 1L, Long::sum);
            }
        }
        for (Steering s = this; s != null; s = s.wider) {
            s.checkGuard(call);
        }
    }

    private void checkGuard(final SteeredCall call) {
        final BooleanSupplier held = guardHeld;
        if (held == null || call.rule() == SteeredCall.Rule.LOOK) {
            return;
        }
        final boolean wanted = call.rule() == SteeredCall.Rule.GUARDED;
        if (held.getAsBoolean() != wanted) {
            final AssertionError breach = new AssertionError("call=" + call + " on=" + name + " thread=" +
                Thread.currentThread().getName() + " guard_held=" + !wanted + " wanted=" + wanted);
            synchronized (breaches) {
                breaches.add(breach);
            }
            throw breach;
        }
    }

    /** What the plans say of this call, which is counted against them; null for nothing. */
    Status outcome(final SteeredCall call) {
        Status outcome = null;
        for (Steering s = this; s != null; s = s.wider) {
            final Status planned = s.ownOutcome(call);
            outcome = outcome == null ? planned : outcome;
        }
        return outcome;
    }

    private Status ownOutcome(final SteeredCall call) {
        Status outcome = null;
        synchronized (plans) {
            for (final Iterator<Plan> i = plans.iterator(); i.hasNext(); ) {
                final Plan plan = i.next();
                if (plan.call == call && plan.count()) {
                    outcome = Objects.requireNonNullElse(outcome, plan.status);
                }
                if (plan.times == 0) {
                    i.remove();
                }
            }
        }
        return outcome;
    }

    boolean isDeliveryHeld() {
        return deliveryHeld || wider != null && wider.isDeliveryHeld();
    }

    boolean areCreditsHeld() {
        return creditsHeld || wider != null && wider.areCreditsHeld();
    }

    boolean isRoomHeld() {
        return roomHeld || wider != null && wider.isRoomHeld();
    }

    boolean isKeepingDenied() {
        return keepingDenied || wider != null && wider.isKeepingDenied();
    }

    boolean isConnectsHeld() {
        return connectsHeld || wider != null && wider.isConnectsHeld();
    }

    /** The corruption meant for the next record, or null; taken once. */
    Corruption takeCorruption() {
        final Corruption own;
        synchronized (this) {
            own = corruption;
            corruption = null;
        }
        return own == null && wider != null ? wider.takeCorruption() : own;
    }

    void add(final SteeredLane lane) {
        for (Steering s = this; s != null; s = s.wider) {
            s.lanes.add(lane);
        }
    }

    void remove(final SteeredLane lane) {
        for (Steering s = this; s != null; s = s.wider) {
            s.lanes.remove(lane);
        }
    }

    void add(final SteeredInterface side) {
        for (Steering s = this; s != null; s = s.wider) {
            s.interfaces.add(side);
        }
    }

    void remove(final SteeredInterface side) {
        for (Steering s = this; s != null; s = s.wider) {
            s.interfaces.remove(side);
        }
    }

    /** What becomes of one record; a negative number leaves the field as it is. Immutable. */
    record Corruption(long metaBits, int lengthBytes, int type) {
    }

    /** Some calls of one kind that shall not succeed. Guarded by the list it is in. */
    private static final class Plan {
        private final SteeredCall call;
        private final Status status;
        private int skip;
        private int times;

        private Plan(final SteeredCall call, final int skip, final int times, final Status status) {
            this.call = call;
            this.skip = skip;
            this.times = times;
            this.status = status;
        }

        /** Counts one call; whether it is one that shall not succeed. */
        private boolean count() {
            if (skip > 0) {
                skip--;
                return false;
            }
            times--;
            return true;
        }
    }
}
