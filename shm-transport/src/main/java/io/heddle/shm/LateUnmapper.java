package io.heddle.shm;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

/**
 * Unmaps what is released after the control thread has ended: data kept past the context's close. A thread of its own,
 * only while there is something to wait for. Thread safe.
 */
final class LateUnmapper {
    private final ThreadFactory threadFactory;
    private final String name;
    private final Thread predecessor;
    private final long lingerNs;
    private final List<MappedSegment> waiting = new ArrayList<>();
    private boolean running;

    LateUnmapper(final ThreadFactory threadFactory, final String name, final Thread predecessor, final long lingerNs) {
        this.threadFactory = threadFactory;
        this.name = name;
        this.predecessor = predecessor;
        this.lingerNs = lingerNs;
    }

    synchronized void unmap(final MappedSegment segment) {
        waiting.add(segment);
        if (!running) {
            running = true;
            final Thread thread = threadFactory.newThread(this::run);
            thread.setName(name);
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void run() {
        joinPredecessor();
        List<MappedSegment> batch = take();
        while (!batch.isEmpty()) {
            for (int i = 0; i < UnmapQueue.STEPS; i++) {
                waitOut(lingerNs / UnmapQueue.STEPS); // in steps, see UnmapQueue
            }
            batch.forEach(MappedSegment::unmap);
            batch = take();
        }
    }

    private static void waitOut(final long stepNs) {
        final long startNs = System.nanoTime();
        for (long restNs = stepNs; restNs > 0; restNs = stepNs - (System.nanoTime() - startNs)) {
            LockSupport.parkNanos(restNs);
        }
    }

    private synchronized List<MappedSegment> take() {
        final List<MappedSegment> batch = new ArrayList<>(waiting);
        waiting.clear();
        running = !batch.isEmpty();
        return batch;
    }

    /** The thread before this one may be in its last round, with the same segment in its hands. */
    private void joinPredecessor() {
        boolean joined = false;
        while (!joined) {
            try {
                predecessor.join();
                joined = true;
            } catch (final InterruptedException ex) {
                Thread.interrupted();
            }
        }
    }
}
