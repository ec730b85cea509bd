package io.heddle.worker;

import java.util.Arrays;

/**
 * Notifications on their way to the dispatcher: added under the guard by whoever finished something, taken as a whole
 * by the holder of the dispatcher token, under the guard. Allocates only to grow.
 */
final class DeferredQueue {
    private static final int INITIAL = 16;

    private Deferred[] added = new Deferred[INITIAL];
    private Deferred[] taken = new Deferred[INITIAL];
    private int addedCount;

    void add(final Deferred deferred) {
        if (addedCount == added.length) {
            added = Arrays.copyOf(added, addedCount * 2);
        }
        added[addedCount++] = deferred;
    }

    boolean isEmpty() {
        return addedCount == 0;
    }

    /** Makes what was added available as {@link #taken(int)}; the former ones are forgotten. How many they are. */
    int take() {
        final Deferred[] batch = added;
        final int count = addedCount;
        added = taken;
        taken = batch;
        addedCount = 0;
        return count;
    }

    /** One of those taken last, which is dropped from the queue. */
    Deferred taken(final int index) {
        final Deferred deferred = taken[index];
        taken[index] = null;
        return deferred;
    }
}
