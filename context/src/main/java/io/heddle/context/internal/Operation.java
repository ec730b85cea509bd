package io.heddle.context.internal;

/**
 * The guarded operations of a worker: every call that is a use of it in the sense of {@code ThreadMode}. Immutable.
 *
 * <p>The readable name is what reports show; it is the name of the public call where there is one.
 */
public enum Operation {
    PROGRESS("progress"),
    ARM("arm"),
    SEND("send"),
    TRY_SEND("try_send"),
    CLAIM("claim"),
    COMMIT("commit"),
    ABORT("abort"),
    RELEASE("release"),
    RETAIN("retain"),
    RESUME("resume"),
    FLUSH("flush"),
    CANCEL("cancel"),
    CREATE_ENDPOINT("create_endpoint"),
    CLOSE_ENDPOINT("close_endpoint"),
    CLOSE_WORKER("close_worker"),
    REGISTER_HANDLER("register_handler"),
    TRANSFER("transfer"),
    CREATE_LISTENER("create_listener"),
    CLOSE_LISTENER("close_listener"),
    ANSWER_REQUEST("answer_request"),
    POSTPONE("postpone"),
    PUT("put"),
    GET("get"),
    ATOMIC("atomic"),
    EXECUTE("execute"),
    IS_WRITABLE("is_writable"),
    ON_WRITABLE("on_writable"),
    CLOSE_PROGRESS_THREAD("close_progress_thread"),
    CLOSE_HANDLER_POOL("close_handler_pool");

    private static final Operation[] ALL = values();

    private final String readableName;

    Operation(final String readableName) {
        this.readableName = readableName;
    }

    /** Whether any thread may do this to a SINGLE worker whose owner thread has ended. */
    public boolean isClosing() {
        return this == CLOSE_WORKER || this == CLOSE_ENDPOINT || this == CLOSE_LISTENER;
    }

    /** The operation with this ordinal, without the copy that {@code values()} makes. */
    static Operation of(final int ordinal) {
        return ALL[ordinal];
    }

    @Override
    public String toString() {
        return readableName;
    }
}
