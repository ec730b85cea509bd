package io.heddle.tests.faults;

import io.heddle.tests.base.TestSeed;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;

/** Eight threads that make calls of a table at random, for a while. */
final class RandomCallers {
    private static final int THREADS = 8;

    private RandomCallers() {
    }

    /** Returns when all threads have ended; {@code caller} makes one call and deals with what it throws. */
    static <T> void run(final TestSeed seed, final long lengthNs, final Collection<T> table,
        final BiConsumer<T, Random> caller) throws InterruptedException {
        final List<T> calls = List.copyOf(table);
        final long startNs = System.nanoTime();
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            final Random random = seed.random(i);
            threads.add(new Thread(() -> {
                while (System.nanoTime() - startNs < lengthNs) {
                    caller.accept(calls.get(random.nextInt(calls.size())), random);
                }
            }, "caller-" + i));
            threads.get(i).start();
        }
        for (final Thread thread : threads) {
            thread.join();
        }
    }
}
