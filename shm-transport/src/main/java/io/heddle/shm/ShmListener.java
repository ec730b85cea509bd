package io.heddle.shm;

import io.heddle.context.internal.ListenerName;

/** A name of an interface, and how many peers wait there for an answer. */
final class ShmListener {
    /**
     * More than that are refused: each costs a descriptor and what the peer sent, up to a few kilobytes. A worker that
     * does not progress for a moment is behind by no more.
     */
    static final int MAX_WAITING = 4096;

    private final String name;
    private volatile ListenerName file;
    /** Confined to the control thread. */
    private int waiting;

    ShmListener(final String name) {
        this.name = name;
    }

    /** What others find it by; once. */
    void hold(final ListenerName found) {
        file = found; // volatile; pairs with the read in close(), by whichever thread
    }

    String name() {
        return name;
    }

    /** False if there are too many. Control thread. */
    boolean enter() {
        if (waiting == MAX_WAITING) {
            return false;
        }
        waiting++;
        return true;
    }

    /** Control thread. */
    void leave() {
        waiting--;
    }

    /** Gives the name back. Any thread. */
    void close() {
        final ListenerName held = file;
        if (held != null) {
            held.close();
        }
    }
}
