package io.heddle.worker;

/** Handles kept messages on the threads of a {@link HandlerPool}. Several threads call it at once. */
@FunctionalInterface
public interface PooledHandler {
    /**
     * Reads the payload in place. When this returns the pool lets go of it, unless this has done so already; whoever
     * needs it longer calls {@link ReceivedData#retain()} first, where the mode allows this thread to use the worker.
     *
     * @param id         what it was sent to.
     * @param data       valid until this returns; the object is used again.
     * @param connection where it came from; using it is a use of the worker.
     */
    void onMessage(int id, ReceivedData data, Connection connection);
}
