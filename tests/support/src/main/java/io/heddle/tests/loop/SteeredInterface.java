package io.heddle.tests.loop;

import io.heddle.context.Leak;
import io.heddle.context.MemoryPool;
import io.heddle.context.Status;
import io.heddle.context.internal.LeakTracker;
import io.heddle.context.spi.InterfaceListener;
import io.heddle.context.spi.InterfaceOptions;
import io.heddle.context.spi.Lane;
import io.heddle.context.spi.Transport;
import io.heddle.context.spi.TransportInterface;
import io.heddle.context.spi.WaitState;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One worker's side of the steered transport.
 *
 * <p>Confined to its worker's guard, as {@link TransportInterface} says, but for {@link #steering}, {@link #lanes} and
 * what peers and the test post, which are thread safe.
 */
public final class SteeredInterface implements TransportInterface {
    /** The most events of one step. */
    static final int STEP_LIMIT = 16;

    private final SteeredTransport transport;
    private final InterfaceOptions options;
    private final InterfaceListener listener;
    private final Steering steering;
    private final long id;
    private final AtomicInteger nextLane = new AtomicInteger();
    /** Its monitor orders a peer's connect and the close of this side. */
    private final List<SteeredLane> lanes = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> homecoming = new ConcurrentLinkedQueue<>();
    private final List<LaneElements> elements = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> heldConnects = new ConcurrentLinkedQueue<>();
    /** Written by the owner; read by peers after they have published. */
    private volatile long waitState = WaitState.POLLING;
    private volatile boolean closed;
    private long nowNs;

    SteeredInterface(final SteeredTransport transport, final long id, final InterfaceOptions options,
        final InterfaceListener listener) {
        this.transport = transport;
        this.id = id;
        this.options = options;
        this.listener = listener;
        steering = new Steering("interface " + options.workerName(), transport.steering());
        steering.add(this);
    }

    /** The test's hand on this interface and its lanes. */
    public Steering steering() {
        return steering;
    }

    /** The lanes not disposed of, in the order of their making. A snapshot. */
    public List<SteeredLane> lanes() {
        return List.copyOf(lanes);
    }

    /** The worker's name, as given when the interface was opened. */
    public String workerName() {
        return options.workerName();
    }

    /** The word the worker showed its peers last. */
    public long waitState() {
        return waitState;
    }

    @Override
    public Transport transport() {
        return transport;
    }

    @Override
    public byte[] address() {
        return SteeredNetwork.addressOf(id);
    }

    @Override
    public Lane connect(final byte[] remoteAddress) {
        steering.enter(SteeredCall.CONNECT);
        final SteeredInterface remote = SteeredNetwork.find(remoteAddress);
        final Status planned = steering.outcome(SteeredCall.CONNECT);
        final SteeredLane near = newLane(remote == null ? "nobody" : remote.workerName());
        final SteeredLane far = planned == null && remote != null ? remote.accept(this, near) : null;
        if (far == null) {
            near.joinNothing();
            near.end(planned == null ? Status.UNREACHABLE : planned,
                planned == null ? "nobody has this address" : "steered to fail at connect");
        } else {
            remote.postConnect(() -> far.announce(true, describePeer(this)));
            postConnect(() -> near.announce(false, describePeer(remote)));
        }
        return near;
    }

    /** As the SPI says, but for the waiting: where nobody listens it fails at once. */
    @Override
    public Lane connect(final String name, final byte[] applicationData, final long waitNs) {
        steering.enter(SteeredCall.CONNECT);
        final SteeredInterface remote = SteeredNetwork.listenerOf(name);
        final Status planned = steering.outcome(SteeredCall.CONNECT);
        final SteeredLane near = newLane(remote == null ? "nobody" : remote.workerName());
        final SteeredLane far = planned == null && remote != null ? remote.accept(this, near) : null;
        if (far == null) {
            near.joinNothing();
            near.end(planned == null ? Status.UNREACHABLE : planned,
                planned == null ? "no listener named " + name : "steered to fail at connect");
        } else {
            final SteeredRequest request = new SteeredRequest(name, applicationData, this, remote, near, far);
            remote.post(() -> remote.listener.onConnectionRequest(request));
        }
        return near;
    }

    @Override
    public void listen(final String name) {
        steering.enter(SteeredCall.LISTEN);
        SteeredNetwork.listen(name, this);
    }

    @Override
    public void unlisten(final String name) {
        steering.enter(SteeredCall.UNLISTEN);
        SteeredNetwork.unlisten(name, this);
    }

    /**
     * Makes the other side of a lane that leads here, or null if the interface has been closed. The connecting thread.
     */
    private SteeredLane accept(final SteeredInterface from, final SteeredLane near) {
        synchronized (lanes) {
            if (closed) {
                return null;
            }
            final SteeredLane far = new SteeredLane(this, laneName(from.workerName()), transport.settings());
            far.hide();
            SteeredLane.join(near, far);
            lanes.add(far);
            return far;
        }
    }

    private String laneName(final String peerName) {
        return workerName() + '-' + peerName + '-' + nextLane.getAndIncrement();
    }

    private SteeredLane newLane(final String peerName) {
        final SteeredLane lane = new SteeredLane(this, laneName(peerName), transport.settings());
        lanes.add(lane);
        return lane;
    }

    static String describePeer(final SteeredInterface peer) {
        return "pid=" + ProcessHandle.current().pid() + " worker=" + peer.workerName() + " transport=" +
            SteeredTransportProvider.NAME;
    }

    @Override
    public boolean hasEvents() {
        steering.enter(SteeredCall.HAS_EVENTS);
        return !events.isEmpty() || !homecoming.isEmpty();
    }

    @Override
    public int step(final long nowNs) {
        steering.enter(SteeredCall.STEP);
        this.nowNs = nowNs;
        int handled = 0;
        while (handled < STEP_LIMIT) {
            final Runnable event = events.poll();
            if (event == null) {
                break;
            }
            event.run();
            handled++;
        }
        return handled + runHomecoming();
    }

    @Override
    public void waitState(final long state) {
        steering.enter(SteeredCall.WAIT_STATE);
        waitState = state; // volatile; pairs with the read in SteeredLane.signalNeeded
    }

    @Override
    public List<MemoryPool> pools() {
        return elements.stream().map(LaneElements::pool).toList();
    }

    @Override
    public long heldElements() {
        return elements.stream().mapToLong(LaneElements::kept).sum();
    }

    @Override
    public List<Leak> close() {
        steering.enter(SteeredCall.CLOSE);
        final List<Leak> leaks = new ArrayList<>();
        if (markClosed()) {
            SteeredNetwork.remove(id, this);
            transport.forget(this);
            steering.remove(this);
            lanes.forEach(SteeredLane::disposeNow);
            events.clear();
            heldConnects.clear();
            elements.forEach(owned -> leaks.addAll(owned.close()));
            runHomecoming();
        }
        return leaks;
    }

    private boolean markClosed() {
        synchronized (lanes) {
            final boolean first = !closed;
            closed = true;
            return first;
        }
    }

    // ---- within the transport

    InterfaceOptions options() {
        return options;
    }

    InterfaceListener listener() {
        return listener;
    }

    void forget(final SteeredLane lane) {
        lanes.remove(lane);
    }

    /** Leaves something for the next step, and wakes the worker. Any thread. */
    void post(final Runnable event) {
        if (!closed) {
            events.add(event);
            wakeUp();
        }
    }

    void postConnect(final Runnable event) {
        if (steering.isConnectsHeld() || !heldConnects.isEmpty()) {
            heldConnects.add(event);
        } else {
            post(event);
        }
    }

    int completeConnects(final int most) {
        int completed = 0;
        while (completed < most) {
            final Runnable event = heldConnects.poll();
            if (event == null) {
                break;
            }
            post(event);
            completed++;
        }
        return completed;
    }

    /** Takes back what a peer held on to: at the next step, or at once after close. Any thread; wakes nobody. */
    void bringHome(final Runnable event) {
        homecoming.add(event);
        if (closed) {
            runHomecoming();
        }
    }

    private int runHomecoming() {
        int handled = 0;
        synchronized (homecoming) {
            for (Runnable event = homecoming.poll(); event != null; event = homecoming.poll()) {
                event.run();
                handled++;
            }
        }
        return handled;
    }

    void add(final LaneElements owned) {
        elements.add(owned);
    }

    /** Closes the pool of a lane that is gone, when everything has come back. */
    void closeIfIdle(final LaneElements owned) {
        if (owned.isIdle() && elements.remove(owned)) {
            owned.close();
        }
    }

    /** The worker's clock, as of its last step. */
    long nowNs() {
        return nowNs;
    }

    /** What tracks kept elements, or null. */
    LeakTracker leakTracker() {
        return transport.leakTracker();
    }

    void wakeUp() {
        options.wakeUp().run();
    }

    void wakeUpIfArmed() {
        if (waitState >= WaitState.ARMED) {
            wakeUp();
        }
    }
}
