package io.heddle.context.internal;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;

/**
 * Runs file operations on threads that may be interrupted at any time. The JDK closes a channel under an interrupted
 * thread, which would fail a creation half way, so the flag is put aside meanwhile and set again at the end. Stateless.
 */
final class Uninterrupted {
    private Uninterrupted() {
    }

    /** A piece of work that can be repeated from its start: it cleans up when it fails. */
    interface Work<T> {
        T run() throws IOException;
    }

    static <T> T call(final Work<T> work) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return work.run();
                } catch (final ClosedByInterruptException ex) {
                    interrupted = true;
                    Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
