package io.heddle.worker;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.WaitStrategy;
import io.heddle.context.CloseReport;
import io.heddle.context.Status;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;
import org.agrona.concurrent.OneToOneConcurrentArrayQueue;

/**
 * One handler thread of a {@link HandlerPool} and the ring that feeds it.
 *
 * <p>Single writer of the ring: the holder of the worker's dispatcher token. Single reader: the handler thread, which
 * gives slots back one by one, since a slot holds received data.
 */
final class HandlerLane implements EventHandler<HandlerLane.Slot> {
    /** What lies in the ring: a handle of the pool's own, filled by retainInto. */
    static final class Slot {
        final ReceivedData data = new ReceivedData();
        int id;
        Connection connection;
    }

    private static final int STALLED_CAPACITY = 1024;

    private final WorkerCore core;
    private final PooledHandler handler;
    private final ReleasePolicy policy;
    private final Lock applicationLock;
    private final RingBuffer<Slot> ring;
    private final BatchEventProcessor<Slot> processor;
    private final Thread thread;
    /** Connections whose message found this ring full; from the dispatcher to the handler thread. */
    private final OneToOneConcurrentArrayQueue<Connection> stalled = new OneToOneConcurrentArrayQueue<>(
        STALLED_CAPACITY);
    private final Queue<Connection> stalledBeyond = new ConcurrentLinkedQueue<>();
    private Sequence given;
    /** Written by the handler thread; read by any, a little late. */
    private volatile long handled;
    /** Set by who closes: what the ring still holds is let go, not handled. */
    private volatile boolean abandoned;
    /** Messages let go unhandled, by the handler thread; read after its end. */
    private int left;
    private long leftBytes;

    HandlerLane(final WorkerCore core, final HandlerPool.Builder options, final int index,
        final WaitStrategy waitStrategy) {
        this.core = core;
        handler = options.handler;
        policy = options.policy;
        applicationLock = options.applicationLock;
        ring = newRing(options.capacity, waitStrategy);
        processor = new BatchEventProcessorBuilder().build(ring, ring.newBarrier(), this);
        ring.addGatingSequences(processor.getSequence());
        thread = core.worker().context().config().threadFactory().newThread(this::run);
        thread.setName("heddle-handler-" + core.name() + '-' + index);
    }

    /**
     * The token orders the producers, whose thread may change. With assertions on, the ring for one producer refuses a
     * second thread all the same; the other kind works alike.
     */
    private static RingBuffer<Slot> newRing(final int capacity, final WaitStrategy waitStrategy) {
        return RingBuffer.class.desiredAssertionStatus()
            ? RingBuffer.createMultiProducer(Slot::new, capacity, waitStrategy)
            : RingBuffer.createSingleProducer(Slot::new, capacity, waitStrategy);
    }

    void start() {
        thread.start();
    }

    /** By the dispatcher, within the message's handler. False if the ring is full. */
    boolean offer(final ActiveMessage message) {
        if (!ring.hasAvailableCapacity(1)) {
            return false;
        }
        final long sequence = ring.next();
        try {
            final Slot slot = ring.get(sequence);
            slot.connection = null;
            message.retainInto(slot.data);
            slot.id = message.id();
            slot.connection = message.connection();
        } finally {
            ring.publish(sequence); // also if nothing could be kept: the slot is empty then, and passed over
        }
        return true;
    }

    /** By the dispatcher: the connection's message was postponed because this ring is full. */
    void stall(final Connection connection) {
        if (!stalled.offer(connection)) {
            stalledBeyond.add(connection);
        }
        // Orders the entry before the look; the handler thread gives a slot back, fences, and then looks for entries.
        VarHandle.fullFence();
        if (isRoomy(given())) {
            connection.resumeAsync();
        }
    }

    private long given() {
        return processor.getSequence().get();
    }

    private boolean isRoomy(final long givenBack) {
        return ring.getCursor() - givenBack <= ring.getBufferSize() / 2;
    }

    // ---- the handler thread

    private void run() {
        processor.run();
        for (long sequence = given() + 1; sequence <= ring.getCursor(); sequence++) {
            letGoUnhandled(ring.get(sequence));
        }
    }

    @Override
    public void setSequenceCallback(final Sequence sequence) {
        given = sequence;
    }

    @Override
    public void onEvent(final Slot slot, final long sequence, final boolean endOfBatch) {
        if (abandoned) {
            letGoUnhandled(slot);
        } else if (slot.connection != null) {
            handle(slot);
            slot.connection = null;
            handled++; // Only this thread writes it.
        }
        // Full fence: the slot is given back before the look for stalled connections; partner: stall().
        given.setVolatile(sequence);
        if (isRoomy(sequence)) {
            resume();
        }
    }

    private void handle(final Slot slot) {
        final ReceivedData data = slot.data;
        boolean isFine = false;
        try {
            handler.onMessage(slot.id, data, slot.connection);
            isFine = true;
        } catch (final Throwable ex) {
            core.reports().error(slot.connection, Status.CANCELED, ex);
        }
        if (data.isHeld()) {
            try {
                letGo(data, isFine);
            } catch (final Throwable ex) {
                core.reports().error(slot.connection, Status.CANCELED, ex); // A refused release has changed nothing.
                data.close();
            }
        }
    }

    private void letGoUnhandled(final Slot slot) {
        if (slot.connection != null) {
            left++;
            leftBytes += slot.data.lengthBytes();
            slot.data.close();
            slot.connection = null;
        }
    }

    private void letGo(final ReceivedData data, final boolean isFine) {
        if (policy == ReleasePolicy.DIRECT && isFine) {
            letGoDirect(data);
        } else {
            data.close();
        }
    }

    private void letGoDirect(final ReceivedData data) {
        if (applicationLock == null) {
            data.release();
        } else {
            applicationLock.lock();
            try {
                data.release();
            } finally {
                applicationLock.unlock();
            }
        }
    }

    private void resume() {
        for (Connection next = stalled.poll(); next != null; next = stalled.poll()) {
            next.resumeAsync();
        }
        for (Connection next = stalledBeyond.poll(); next != null; next = stalledBeyond.poll()) {
            next.resumeAsync();
        }
    }

    // ---- the pool

    long handled() {
        return handled;
    }

    /** Whether nothing more is going to be handled. */
    boolean isDrained() {
        return abandoned || given() == ring.getCursor();
    }

    /** Has the thread end after the message it is at; what is left in the ring is let go unhandled. Any thread. */
    void halt() {
        abandoned = true;
        processor.halt();
    }

    Thread thread() {
        return thread;
    }

    /** What was let go unhandled since the last taking. After the thread's end. */
    CloseReport takeLeft() {
        final CloseReport taken = new CloseReport(left, leftBytes, List.of(), false);
        left = 0;
        leftBytes = 0;
        return taken;
    }
}
