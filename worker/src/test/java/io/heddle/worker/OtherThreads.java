package io.heddle.worker;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A thread of its own for each task: the common pool has but one on a small machine, and tasks here wait for one
 * another. Stateless.
 */
final class OtherThreads {
    private OtherThreads() {
    }

    static CompletableFuture<Void> run(final Runnable task) {
        return CompletableFuture.runAsync(task, OtherThreads::start);
    }

    static <T> CompletableFuture<T> supply(final Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, OtherThreads::start);
    }

    private static void start(final Runnable task) {
        final Thread thread = new Thread(task, "test-other");
        thread.setDaemon(true);
        thread.start();
    }
}
