package io.heddle.worker;

/**
 * Tells a connection's error handler of the peer's end, once: the handler that is there when the end has come, or else
 * the first that is set later. Setting is for any thread, telling for the dispatching one.
 */
final class EndNotice {
    private final Connection connection;
    private volatile ConnectionErrorHandler handler;
    /** The end came when there was no handler. */
    private volatile boolean untold;
    /** Confined to the holder of the dispatcher token. */
    private boolean isTold;

    EndNotice(final Connection connection) {
        this.connection = connection;
    }

    /** Null if there is none. */
    ConnectionErrorHandler handler() {
        return handler;
    }

    void handler(final ConnectionErrorHandler told) {
        handler = told;
        if (told != null && untold) { // Volatile, after the handler; partner: tell().
            connection.core().reports().endLater(connection);
        }
    }

    /** The end has come, or a handler after it. */
    void tell() {
        if (handler == null) {
            untold = true;
        }
        final ConnectionErrorHandler told = handler; // Volatile, after the mark; partner: handler().
        if (told != null && !isTold && !connection.isClosing()) { // whoever closes it is told by the close
            isTold = true;
            untold = false;
            told.onError(connection, connection.status(), connection.failure());
        }
    }
}
