package io.heddle.context.internal;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A second thread that does as it is told, one thing at a time. */
final class OtherThread implements AutoCloseable {
    private final ExecutorService executor;
    private volatile Thread thread;

    OtherThread(final String name) {
        executor = Executors.newSingleThreadExecutor(task -> {
            thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        run(() -> { });
    }

    Thread thread() {
        return thread;
    }

    void run(final Runnable task) {
        final Throwable failure = failureOf(task);
        if (failure != null) {
            throw new AssertionError("the other thread failed", failure);
        }
    }

    /** What the task threw, or null. */
    Throwable failureOf(final Runnable task) {
        try {
            start(task).get();
            return null;
        } catch (final ExecutionException ex) {
            return ex.getCause();
        } catch (final InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    Future<?> start(final Runnable task) {
        return executor.submit(task);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
