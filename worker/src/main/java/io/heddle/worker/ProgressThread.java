package io.heddle.worker;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.context.internal.DispatchToken;
import io.heddle.context.internal.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;

/**
 * A thread that does nothing but progress one worker.
 *
 * <ul>
 * <li>MULTI: other threads use the worker as they like.
 * <li>SERIALIZED: {@link #start(Worker, Lock)} takes the application's lock around each round, never while idling;
 * whoever else uses the worker takes it too.
 * <li>SINGLE: the thread becomes the owner; others hand it work by {@link #execute}; {@link #close()} gives the
 * ownership to the closing thread.
 * </ul>
 *
 * <p>By default it spins briefly when there is nothing to do, then arms the worker and sleeps until woken. Only {@link
 * #close()} ends it: what a callback throws goes to the worker's error handler. Thread safe.
 */
public final class ProgressThread implements AutoCloseable {
    private static final long CLOSED_PARK_NS = 1_000_000;

    private final Worker worker;
    private final Lock applicationLock;
    private final IdleStrategy idleStrategy;
    private final Thread thread;
    private final ConcurrentLinkedQueue<FutureTask<?>> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean takenBack = new AtomicBoolean();
    private final AtomicBoolean running = new AtomicBoolean(true);
    /** No task is run any more. */
    private volatile boolean ended;

    private ProgressThread(final Worker worker, final Lock applicationLock, final IdleStrategy idleStrategy) {
        this.worker = worker;
        this.applicationLock = applicationLock;
        this.idleStrategy = idleStrategy == null ? new SleepingIdle(worker, applicationLock) : idleStrategy;
        thread = worker.context().config().threadFactory().newThread(this::run);
        thread.setName("heddle-progress-" + worker.name());
    }

    /** With the default idling. For MULTI and SINGLE; a SERIALIZED worker needs a lock. */
    public static ProgressThread start(final Worker worker) {
        return start(worker, null, null);
    }

    /** SERIALIZED: progress in turns with whoever takes the application's lock. */
    public static ProgressThread start(final Worker worker, final Lock applicationLock) {
        return start(worker, Objects.requireNonNull(applicationLock, "applicationLock"), null);
    }

    /**
     * With an idle strategy of the application's, such as Agrona's {@code BusySpinIdleStrategy}; it never sleeps in
     * the worker.
     */
    public static ProgressThread start(final Worker worker, final IdleStrategy idleStrategy) {
        return start(worker, null, Objects.requireNonNull(idleStrategy, "idleStrategy"));
    }

    /**
     * @param applicationLock for SERIALIZED, else null.
     * @param idleStrategy    null for the default.
     * @throws HeddleException if lock and mode do not fit, or the worker has a progress thread already.
     */
    public static ProgressThread start(final Worker worker, final Lock applicationLock,
        final IdleStrategy idleStrategy) {
        final boolean isSerialized = worker.threadMode() == ThreadMode.SERIALIZED;
        if (isSerialized != (applicationLock != null)) {
            throw new HeddleException(Status.INVALID_PARAM, "worker=" + worker.name() + " mode=" + worker.threadMode()
                + ": "
                + (isSerialized ? "a progress thread needs the lock under which this worker is used"
                : "only a SERIALIZED worker takes an application lock"));
        }
        final ProgressThread progress = new ProgressThread(worker, applicationLock, idleStrategy);
        synchronized (worker.core()) { // of several starts one succeeds
            if (worker.core().progressThread() != null) {
                throw new HeddleException(Status.ALREADY_EXISTS, "worker=" + worker.name()
                    + " has a progress thread already");
            }
            if (worker.threadMode() == ThreadMode.SINGLE) {
                worker.transferTo(progress.thread);
            }
            worker.core().progressThread(progress);
        }
        boolean isStarted = false;
        try {
            progress.thread.start();
            isStarted = true;
        } finally {
            if (!isStarted) { // no thread was to be had: nobody is to wait for it, and the caller owns the worker still
                worker.core().progressThread(null);
                worker.core().guard().takeBackFrom(progress.thread);
            }
        }
        return progress;
    }

    /** The thread. */
    public Thread thread() {
        return thread;
    }

    /** The worker. */
    public Worker worker() {
        return worker;
    }

    /**
     * Runs a task on the progress thread between two rounds, where the worker may be used in every mode: in SINGLE the
     * way for other threads to use it. Any thread.
     *
     * @return done when the task is; carries what it throws. Canceled or failed if the thread is closed before.
     */
    public Future<?> execute(final Runnable task) {
        if (!running.get()) {
            return refused();
        }
        final FutureTask<Object> future = new FutureTask<>(task, null);
        tasks.add(future);
        // Volatile load after the entry; partner: endTasks(), which stores it before its last look for entries.
        if (ended && tasks.remove(future)) {
            return refused();
        }
        worker.signal();
        return future;
    }

    private Future<?> refused() {
        return CompletableFuture.failedFuture(new HeddleException(Status.CANCELED,
            "the progress thread was closed: worker=" + worker.name()));
    }

    private void run() {
        try {
            while (running.get()) {
                idle(round());
            }
            round();
        } finally {
            endTasks();
            worker.core().progressThread(null);
            if (worker.threadMode() == ThreadMode.SINGLE && worker.ownerThread() == Thread.currentThread()) {
                worker.detach();
            }
        }
    }

    private void idle(final int done) {
        try {
            if (worker.isClosed()) {
                LockSupport.parkNanos(CLOSED_PARK_NS); // for tasks only, until close()
            } else {
                idleStrategy.idle(done);
            }
        } catch (final Throwable ex) {
            // As in round(): not even a rule that somebody else broke. A worker closed meanwhile is no error.
            if (!worker.isClosed()) {
                worker.core().reports().error(null, Status.CANCELED, ex);
            }
        }
    }

    /** How many were not begun. */
    private int endTasks() {
        ended = true;
        int canceled = 0;
        for (FutureTask<?> task = tasks.poll(); task != null; task = tasks.poll()) {
            canceled += task.cancel(false) ? 1 : 0;
        }
        return canceled;
    }

    private int round() {
        if (applicationLock != null) {
            applicationLock.lock();
        }
        try {
            int done = 0;
            for (FutureTask<?> task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
                done++;
            }
            return done + worker.progress();
        } catch (final Throwable ex) {
            // Only close ends this thread: not even a broken thread-mode rule of somebody else.
            worker.core().reports().error(null, Status.CANCELED, ex);
            return 1;
        } finally {
            if (applicationLock != null) {
                applicationLock.unlock();
            }
        }
    }

    /** {@link #close(CloseMode, Duration)} with FLUSH and {@code heddle.close.timeout}; what is late is logged. */
    @Override
    public void close() {
        final long timeoutNs = worker.context().config().closeTimeoutNs();
        if (close(CloseMode.FLUSH, Duration.ofNanos(timeoutNs)).isTimedOut()) {
            worker.core().reports().warn("progress thread has not ended yet: worker={} "
                + "heddle.close.timeout={}ns; a callback or task does not return", worker.name(), timeoutNs);
        }
    }

    /**
     * Ends the thread after its round and waits for it. In SINGLE the calling thread owns the worker then. Idempotent.
     * From the thread itself (a callback or task) it only asks for the end. FLUSH lets the tasks run that were given
     * before, FORCE cancels those not begun. In SERIALIZED not by who holds the lock, without which the round never
     * ends.
     *
     * <p>If the round does not end in time, since a callback does not return, the thread ends after it, and in SINGLE
     * the worker is without an owner until this is called again, or {@link Worker#attach()}.
     *
     * @return as cut requests, the tasks that were canceled here.
     * @throws io.heddle.context.CallbackException inside a callback on another thread.
     */
    public CloseReport close(final CloseMode mode, final Duration deadline) {
        final boolean isOwn = Thread.currentThread() == thread;
        if (!isOwn) {
            DispatchToken.checkThreadNotInCallback(Operation.CLOSE_PROGRESS_THREAD); // before anything is changed
        }
        running.set(false);
        final int canceled = mode == CloseMode.FORCE ? endTasks() : 0;
        worker.signal();
        if (isOwn) {
            return new CloseReport(canceled, 0, List.of(), false);
        }
        final boolean hasEnded = Ended.within(thread, TimeUnit.NANOSECONDS.convert(deadline));
        if (hasEnded && takenBack.compareAndSet(false, true) && worker.threadMode() == ThreadMode.SINGLE
            && worker.ownerThread() == null) {
            worker.attach();
        }
        return new CloseReport(canceled, 0, List.of(), !hasEnded);
    }
}
