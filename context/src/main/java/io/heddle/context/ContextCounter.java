package io.heddle.context;

/** What every context counts. Values are sums unless said otherwise. Immutable. */
public enum ContextCounter {
    /** Workers that are open now. */
    WORKERS_OPEN("context.workers.open"),
    /** Connections that are open now, both ways of being made together. */
    CONNECTIONS_OPEN("context.connections.open"),
    /** Connections that failed after they had been made. */
    CONNECTIONS_FAILED("context.connections.failed"),
    /** Peers turned away: another user's, another layout, no memory. */
    CONNECTIONS_REFUSED("context.connections.refused"),
    /** Bytes of shared memory in use now. */
    SHARED_MEMORY_BYTES("context.shm.bytes"),
    /** The limit of {@link #SHARED_MEMORY_BYTES}. */
    SHARED_MEMORY_LIMIT_BYTES("context.shm.limit"),
    /** Times that shared memory was refused, by the limit or by the system. */
    SHARED_MEMORY_REFUSED("context.shm.refused"),
    /** Errors that went to the error handler. */
    ERRORS("context.errors"),
    /** Workers whose counters found no room in the file, so that nobody outside sees them. */
    UNLISTED("context.counters.unlisted");

    private static final int FIRST_TYPE_ID = 100;

    private final String label;

    ContextCounter(final String label) {
        this.label = label;
    }

    /** Its name in the counter file. */
    public String label() {
        return label;
    }

    /** Its type in the counter file: the same in every context. */
    public int typeId() {
        return FIRST_TYPE_ID + ordinal();
    }
}
