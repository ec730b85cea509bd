package io.heddle.context;

/** What every worker counts. Values are sums unless said otherwise. Immutable. */
public enum WorkerCounter {
    /** Messages handed to a lane. */
    MESSAGES_SENT("worker.messages.sent"),
    /** Payload of {@link #MESSAGES_SENT}. */
    BYTES_SENT("worker.bytes.sent"),
    /** Messages given to a handler or matched. */
    MESSAGES_RECEIVED("worker.messages.received"),
    /** Payload of {@link #MESSAGES_RECEIVED}. */
    BYTES_RECEIVED("worker.bytes.received"),
    /** Messages for an id without a handler. */
    MESSAGES_DROPPED("worker.messages.dropped"),
    /** Messages that a handler put off. */
    MESSAGES_POSTPONED("worker.messages.postponed"),
    /** Payload copied though it could have been handed over as it was. */
    BYTES_COPIED("worker.bytes.copied"),
    /** Sends that had to wait for room. */
    SENDS_QUEUED("worker.sends.queued"),
    /** Endpoints with sends that wait now. */
    ENDPOINTS_WAITING("worker.endpoints.waiting"),
    /** Sends refused with {@link Status#NO_RESOURCE}. */
    SENDS_REFUSED("worker.sends.refused"),
    /** Kept elements that came back, counted when the worker takes them in. */
    RELEASES("worker.releases"),
    /** Elements that the application keeps. */
    POOL_IN_USE("worker.pool.in.use"),
    /** The most that {@link #POOL_IN_USE} has been. */
    POOL_HIGH_WATER("worker.pool.high.water"),
    /** The limit of the receive pool in bytes. */
    POOL_LIMIT_BYTES("worker.pool.limit"),
    /** Times that the receive pool had no element left. */
    POOL_EXHAUSTED("worker.pool.exhausted"),
    /** Releases, reads and takes refused because of the element's state. */
    POOL_REFUSED("worker.pool.refused"),
    /** Handlers and completions that threw. */
    CALLBACKS_FAILED("worker.callbacks.failed"),
    /** Calls against the thread mode that were caught. */
    VIOLATIONS("worker.thread.violations"),
    /** Lanes that failed since the peer broke the layout's rules. */
    PROTOCOL_VIOLATIONS("worker.protocol.violations"),
    /** Times that the worker was woken. */
    WAKEUPS("worker.wakeups");

    private static final int FIRST_TYPE_ID = 200;

    private final String label;

    WorkerCounter(final String label) {
        this.label = label;
    }

    /** Its name in the counter file, before the worker's. */
    public String label() {
        return label;
    }

    /** Its type in the counter file: the same for every worker. */
    public int typeId() {
        return FIRST_TYPE_ID + ordinal();
    }
}
