package io.heddle.worker;

/** How a {@link HandlerPool} lets go of what its handlers have handled. */
public enum ReleasePolicy {
    /** {@link ReceivedData#releaseAsync()}: allowed in every mode, takes no lock. */
    ASYNC,
    /**
     * {@link ReceivedData#release()} on the handler's thread, a use of the worker: MULTI takes the worker lock,
     * SERIALIZED the application's lock given to the pool; not for SINGLE.
     */
    DIRECT
}
