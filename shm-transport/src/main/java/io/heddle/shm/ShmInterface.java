package io.heddle.shm;

import io.heddle.context.ClosedException;
import io.heddle.context.HeddleException;
import io.heddle.context.Leak;
import io.heddle.context.MemoryPool;
import io.heddle.context.Status;
import io.heddle.context.internal.ListenerName;
import io.heddle.context.internal.PoolBudget;
import io.heddle.context.spi.InterfaceListener;
import io.heddle.context.spi.InterfaceOptions;
import io.heddle.context.spi.Lane;
import io.heddle.context.spi.Transport;
import io.heddle.context.spi.TransportInterface;
import io.heddle.context.spi.WaitState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

/**
 * One worker's side of the shared-memory transport: its address, its lanes, and the inbox in which the control thread
 * leaves what happened.
 *
 * <p>Confined to the worker's guard, but for {@link #hasEvents()}, {@link #address()}, the gauges, and {@link #post},
 * {@link #wake} and {@link #complain}, which are for any thread.
 */
final class ShmInterface implements TransportInterface {
    private static final int MAX_EVENTS_PER_STEP = 64;

    private final ShmTransport transport;
    private final long interfaceId;
    private final InterfaceOptions options;
    private final InterfaceListener listener;
    private final ManyToOneConcurrentLinkedQueue<Event> inbox = new ManyToOneConcurrentLinkedQueue<>();
    private final Object discarding = new Object();
    private final List<LaneSlot> connecting = new ArrayList<>();
    private final List<LaneSlot> open = new ArrayList<>();
    private final InterfacePools pools;
    /** Any thread. */
    private final Map<String, ShmListener> listeners = new ConcurrentHashMap<>();
    private int unservedLanes;
    private long waitState = WaitState.POLLING;
    private volatile boolean closed;

    /** What to do under the guard, and what to give back if that will not come. */
    private record Event(Runnable apply, Runnable discard) {
    }

    ShmInterface(
        final ShmTransport transport, final long interfaceId, final InterfaceOptions options,
            final InterfaceListener listener) {
        this.transport = transport;
        this.interfaceId = interfaceId;
        this.options = options;
        this.listener = listener;
        this.pools = new InterfacePools(options, transport.config());
    }

    @Override
    public Transport transport() {
        return transport;
    }

    long interfaceId() {
        return interfaceId;
    }

    InterfaceOptions options() {
        return options;
    }

    InterfaceListener listener() {
        return listener;
    }

    @Override
    public byte[] address() {
        return transport.addressOf(interfaceId).encode();
    }

    @Override
    public Lane connect(final byte[] remoteAddress) {
        ShmAddress address = null;
        String malformed = null;
        try {
            address = ShmAddress.decode(remoteAddress);
        } catch (final IllegalArgumentException ex) {
            malformed = ex.getMessage();
        }
        final ConnectAttempt attempt =
            address == null ? null : new ConnectAttempt(transport, this, new ConnectTarget.Address(address));
        final LaneSlot slot = expect(attempt);
        if (attempt == null) {
            slot.postFailed(Status.INVALID_ADDR, malformed);
        } else {
            attempt.begin(slot);
        }
        return slot.lane();
    }

    @Override
    public Lane connect(final String name, final byte[] applicationData, final long waitNs) {
        final ConnectAttempt attempt =
            new ConnectAttempt(transport, this, new ConnectTarget.Name(name, applicationData.clone(), waitNs));
        final LaneSlot slot = expect(attempt);
        attempt.begin(slot);
        return slot.lane();
    }

    /** A lane that the worker knows before it is open, since it was asked for here. */
    LaneSlot expect(final ConnectAttempt attempt) {
        final LaneSlot slot = new LaneSlot(this, new ShmLane(this), attempt);
        connecting.add(slot);
        return slot;
    }

    @Override
    public void listen(final String name) {
        final ShmListener made = new ShmListener(name);
        // Known before it can be found by others.
        if (listeners.putIfAbsent(name, made) != null) {
            throw new HeddleException(Status.ALREADY_EXISTS, "listener name is taken: name=" + name +
                " holderPid=" + ProcessHandle.current().pid() + " worker=" + options.workerName());
        }
        try {
            made.hold(ListenerName.claim(transport.directory(), name, address()));
        } catch (final RuntimeException ex) {
            listeners.remove(name, made);
            throw ex;
        }
        if (closed) { // pairs with the store in close()
            unlisten(name);
            throw new ClosedException("worker " + options.workerName(), "listen");
        }
    }

    @Override
    public void unlisten(final String name) {
        final ShmListener listening = listeners.remove(name);
        if (listening != null) {
            listening.close();
        }
    }

    /** Null if there is none of that name. Any thread. */
    ShmListener listenerOf(final String name) {
        return listeners.get(name);
    }

    @Override
    public boolean hasEvents() {
        return !inbox.isEmpty();
    }

    @Override
    public int step(final long nowNs) {
        pools.now(nowNs);
        int handled = 0;
        while (handled < MAX_EVENTS_PER_STEP && !closed) {
            final Event event = inbox.poll();
            if (event == null) {
                break;
            }
            handled++;
            try {
                event.apply.run();
            } catch (final RuntimeException | Error ex) {
                complain(ex); // one lane's trouble is not the others'
            }
        }
        return handled;
    }

    @Override
    public void waitState(final long state) {
        waitState = state;
        for (int i = 0; i < open.size(); i++) {
            open.get(i).lane().waitState(state);
        }
    }

    /** What {@link #waitState(long)} was told last. */
    long currentWaitState() {
        return waitState;
    }

    @Override
    public List<MemoryPool> pools() {
        return pools.all();
    }

    @Override
    public long heldElements() {
        return pools.held();
    }

    // ---- receive pools, for lanes

    /** What is left of {@code heddle.pool.limit}. */
    PoolBudget budget() {
        return pools.budget();
    }

    MemoryPool newPool(final int elementBytes, final ShmLane lane) {
        return pools.create(elementBytes, lane);
    }

    boolean copiesWhenExhausted() {
        return pools.copiesWhenExhausted();
    }

    int inlineMaxBytes() {
        return transport.config().inlineMaxBytes();
    }

    void held(final long change) {
        pools.held(change);
    }

    void orphan(final MemoryPool pool) {
        pools.orphan(pool);
    }

    void closeIfIdle(final MemoryPool pool) {
        pools.closeIfIdle(pool);
    }

    /** Counts lanes with a peer that waits for more descriptors than the budget allowed. */
    void unserved(final int change) {
        unservedLanes += change;
    }

    /**
     * Some of the budget may be free again: whoever waits for it gets it, the lane that has been open longest first.
     */
    void budgetFreed() {
        if (unservedLanes > 0 && !closed) {
            for (int i = 0; i < open.size(); i++) {
                open.get(i).lane().budgetFreed();
            }
        }
    }

    @Override
    public List<Leak> close() {
        if (closed) {
            return List.of();
        }
        // volatile; pairs with the read in post(): what is offered after the discard below is discarded there
        closed = true;
        transport.forget(this);
        listeners.keySet().forEach(this::unlisten);
        connecting.forEach(LaneSlot::forget);
        connecting.clear();
        open.forEach(LaneSlot::forget);
        open.clear();
        discardEvents();
        return pools.close();
    }

    /** {@link ShmLane#dispose()} calls it, once per lane: nothing is told to the lane any more. Under the guard. */
    void disposed(final ShmLane lane) {
        if (!forgetIn(open, lane)) {
            forgetIn(connecting, lane);
        }
    }

    private static boolean forgetIn(final List<LaneSlot> slots, final ShmLane lane) {
        for (int i = slots.size() - 1; i >= 0; i--) {
            if (slots.get(i).lane() == lane) {
                slots.get(i).forget();
                final LaneSlot last = slots.remove(slots.size() - 1);
                if (i < slots.size()) {
                    slots.set(i, last);
                }
                return true;
            }
        }
        return false;
    }

    /**
     * A lane was opened, and has taken {@link #currentWaitState()}: it follows the changes from now on, and the worker
     * is told. Under the guard, from {@link #step(long)}.
     */
    void opened(final LaneSlot slot, final boolean connected, final String peer) {
        connecting.remove(slot);
        open.add(slot);
        if (connected) {
            listener.onConnected(slot.lane(), peer);
        } else {
            listener.onAccepted(slot.lane(), peer);
        }
    }

    /**
     * Leaves something to be done by {@link #step(long)}, and wakes the worker. Any thread; never blocks while the
     * interface is open.
     */
    void post(final Runnable apply, final Runnable discard) {
        inbox.offer(new Event(apply, discard));
        if (closed) { // pairs with the store in close()
            discardEvents();
        } else {
            wake();
        }
    }

    /** Wakes the worker. Any thread. */
    void wake() {
        try {
            options.wakeUp().run();
        } catch (final RuntimeException ex) { // it must not throw; if it does, that is no fault of the connection
            complain(ex);
        }
    }

    /** Has an error told by the control thread, since nothing of the application may run under the guard. */
    void complain(final Throwable error) {
        transport.control().execute(() -> transport.control().reports().error(error));
    }

    /** Wakes the peer of a lane, from under the guard, where no system call is made. */
    void signalSoon(final LaneLink link) {
        transport.control().execute(link::signal);
    }

    private void discardEvents() {
        synchronized (discarding) {
            for (Event event = inbox.poll(); event != null; event = inbox.poll()) {
                event.discard.run();
            }
        }
    }
}
