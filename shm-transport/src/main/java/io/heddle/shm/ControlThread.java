package io.heddle.shm;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.agrona.concurrent.NanoClock;

/**
 * The one thread of a context that makes system calls for its lanes: accept, handshake, end of stream, wake bytes,
 * making, mapping and unmapping. Asleep in a selector, without timeout when nothing is due. Runs no application code;
 * no exception ends it.
 *
 * <p>{@link #execute}, {@link #unmap} and {@link #close()} are for any thread; the rest is confined to the thread
 * itself.
 */
final class ControlThread {
    private static final int READ_BUFFER_BYTES = 64 * 1024;
    private static final int MAX_COMMANDS_PER_ROUND = 64;
    private static final int MAX_TIMERS_PER_ROUND = 64;
    private static final int MAX_UNMAPS_PER_ROUND = 16;
    private static final long FAILED_SELECT_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long CLOSE_WAIT_MS = 5_000;

    private final Selector selector;
    private final NanoClock clock;
    private final ControlTimings timings;
    private final ControlReports reports;
    private final ManyToOneConcurrentLinkedQueue<Runnable> commands = new ManyToOneConcurrentLinkedQueue<>();
    private final ControlTimers timers = new ControlTimers();
    private final UnmapQueue lingering = new UnmapQueue();
    private final ByteBuffer readBuffer = ByteBuffer.allocateDirect(READ_BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final Thread thread;
    private final LateUnmapper late;
    private boolean closing;
    private volatile boolean ended;

    /** What a channel does when the selector says so. Called by the control thread only. */
    interface Ready {
        /** Reads, writes or accepts, a bounded amount. */
        void onReady(SelectionKey key) throws IOException;

        /** {@link #onReady} has thrown. */
        void onFailure(Throwable error);

        /** The context closes. */
        void onShutdown();
    }

    ControlThread(
        final String contextName, final ThreadFactory threadFactory, final NanoClock clock,
            final ControlTimings timings,
        final ControlReports reports) {
        this.clock = clock;
        this.timings = timings;
        this.reports = reports;
        try {
            selector = Selector.open();
        } catch (final IOException ex) {
            throw new HeddleException(Status.IO_ERROR,
                "cannot open a selector; are file descriptors left (ulimit -n)?", ex);
        }
        thread = threadFactory.newThread(this::run);
        thread.setName("heddle-control-" + contextName);
        thread.setDaemon(true);
        late = new LateUnmapper(threadFactory, "heddle-unmap-" + contextName, thread, timings.closeLingerNs());
    }

    void start() {
        thread.start();
    }

    /** Has the control thread do something soon. Any thread; never blocks. After the end it is not done. */
    void execute(final Runnable command) {
        commands.offer(command);
        if (Thread.currentThread() != thread) { // else it is found before the next select
            selector.wakeup();
        }
    }

    /** Unmaps a segment after the linger. Any thread; never blocks. */
    void unmap(final MappedSegment segment) {
        execute(() -> lingering.add(segment, clock.nanoTime(), lingerNs()));
        if (ended) { // acquire of run()'s last store: the command above may have come too late for the last drain
            late.unmap(segment);
        }
    }

    ControlTimers.Timer schedule(final long delayNs, final Runnable action) {
        return timers.add(clock.nanoTime() + delayNs, action);
    }

    void cancel(final ControlTimers.Timer timer) {
        timers.cancel(timer);
    }

    SelectionKey register(final SelectableChannel channel, final int ops, final Ready ready)
        throws ClosedChannelException {
        return channel.register(selector, ops, ready);
    }

    /** Scratch for one read of one channel. */
    ByteBuffer readBuffer() {
        return readBuffer;
    }

    /** Whether the context closes, so that nothing new may begin. */
    boolean isClosing() {
        return closing;
    }

    ControlTimings timings() {
        return timings;
    }

    ControlReports reports() {
        return reports;
    }

    NanoClock clock() {
        return clock;
    }

    /**
     * Shuts every channel, waits out the shorter linger, ends. Returns when the thread has ended, or after five
     * seconds, which is reported.
     */
    void close() {
        execute(this::shutdown);
        boolean interrupted = false;
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_WAIT_MS);
        long restMs = CLOSE_WAIT_MS;
        while (thread.isAlive() && restMs > 0) {
            try {
                thread.join(restMs);
            } catch (final InterruptedException ex) {
                interrupted = true;
            }
            restMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
        }
        if (thread.isAlive()) {
            reports.error(new HeddleException(Status.TIMED_OUT, "the control thread has not ended: thread=" +
                thread.getName()));
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void shutdown() {
        closing = true;
        for (final SelectionKey key : new ArrayList<>(selector.keys())) {
            guarded(((Ready) key.attachment())::onShutdown);
        }
    }

    private void run() {
        while (!closing || !lingering.isEmpty()) {
            Thread.interrupted(); // an interrupt would turn every select into a spin
            try {
                select();
            } catch (final IOException | RuntimeException | Error ex) {
                reports.error(ex);
                LockSupport.parkNanos(FAILED_SELECT_PAUSE_NS);
            }
            runCommands();
            runTimers();
            runUnmaps();
        }
        end();
    }

    private void end() {
        guarded(this::shutdown); // what was registered since
        try {
            selector.close();
        } catch (final IOException ex) {
            reports.error(ex);
        }
        ended = true; // volatile; pairs with the read in unmap()
        final List<Runnable> rest = new ArrayList<>();
        for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
            rest.add(command);
        }
        rest.forEach(this::guarded);
        while (!lingering.isEmpty()) {
            LockSupport.parkNanos(lingering.delayNs(clock.nanoTime(), timings.closeLingerNs()));
            runUnmaps();
        }
    }

    private void select() throws IOException {
        final long delayNs = Math.min(timers.delayNs(clock.nanoTime()),
            lingering.delayNs(clock.nanoTime(), lingerNs()));
        if (delayNs == 0 || !commands.isEmpty()) {
            selector.selectNow(this::ready);
        } else if (delayNs == ControlTimers.NONE) {
            selector.select(this::ready);
        } else {
            selector.select(this::ready, TimeUnit.NANOSECONDS.toMillis(delayNs) + 1);
        }
    }

    private void ready(final SelectionKey key) {
        final Ready ready = (Ready) key.attachment();
        try {
            ready.onReady(key);
        } catch (final CancelledKeyException ex) {
            // closed by an event before it in this round: nothing is left to do
        } catch (final Throwable ex) {
            guarded(() -> ready.onFailure(ex));
        }
    }

    private void runCommands() {
        for (int i = 0; i < MAX_COMMANDS_PER_ROUND; i++) {
            final Runnable command = commands.poll();
            if (command == null) {
                return;
            }
            guarded(command);
        }
    }

    private void runTimers() {
        final long nowNs = clock.nanoTime();
        for (int i = 0; i < MAX_TIMERS_PER_ROUND; i++) {
            final Runnable action = timers.poll(nowNs);
            if (action == null) {
                return;
            }
            guarded(action);
        }
    }

    private void runUnmaps() {
        final long nowNs = clock.nanoTime();
        lingering.unmapDue(nowNs, lingerNs(), MAX_UNMAPS_PER_ROUND);
    }

    private long lingerNs() {
        return closing ? timings.closeLingerNs() : timings.lingerNs();
    }

    private void guarded(final Runnable action) {
        try {
            action.run();
        } catch (final UncheckedIOException ex) {
            reports.error(ex.getCause());
        } catch (final Throwable ex) {
            reports.error(ex);
        }
    }
}
