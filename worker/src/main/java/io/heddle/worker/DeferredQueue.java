package io.heddle.worker;

import java.util.Arrays;

/**
 * Notifications on their way to the dispatcher: added under the guard by whoever finished something, taken as a whole
 * by the holder of the dispatcher token, under the guard. Allocates only to grow.
 *
 * <p>Adding and taking are thread safe all the same: where thread modes are not checked, calls that overlap against the
 * rule must not make a completion vanish. No send that is done at once comes here, so that its way is no longer for it.
 */
final class DeferredQueue {
    private static final int INITIAL = 16;

    private Deferred[] added = new Deferred[INITIAL];
    /** Confined to the holder of the token between two takings. */
    private Deferred[] taken = new Deferred[INITIAL];
    private int addedCount;

    synchronized void add(final Deferred deferred) {
        if (addedCount == added.length) {
            added = Arrays.copyOf(added, addedCount * 2);
        }
        added[addedCount++] = deferred;
    }

    /** Plain: the guard orders it after what was added, and in its absence the post that follows each adding does. */
    boolean isEmpty() {
        return addedCount == 0;
    }

    /** Makes what was added available as {@link #taken(int)}; the former ones are forgotten. How many they are. */
    synchronized int take() {
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
