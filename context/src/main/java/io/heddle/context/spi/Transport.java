package io.heddle.context.spi;

/** A transport opened for one context. Thread safe. */
@AnyThread
public interface Transport extends AutoCloseable {
    /** The provider's name. */
    String name();

    /** What this transport can do beyond moving records. */
    TransportCapabilities capabilities();

    /**
     * Why an interface cannot be reached from here, or null if nothing speaks against it. Looks at the address only;
     * asks no peer.
     *
     * @param address what {@link TransportInterface#address()} gave on the other side.
     */
    String unreachableReason(byte[] address);

    /**
     * Opens the worker's side of this transport.
     *
     * @param options  what the worker fixes.
     * @param listener told of connections, always from within {@link TransportInterface#step}.
     */
    TransportInterface openInterface(InterfaceOptions options, InterfaceListener listener);

    /**
     * Has the transport's own thread run a task, soon or after a delay: system calls that no thread which uses a worker
     * is to make, and what watches workers. Never blocks.
     *
     * @param task    short; what it throws goes to the context's error handler. Not run once the transport has ended.
     * @param delayNs by the clock of the configuration; 0 for soon, in the order of the calls.
     */
    void execute(Runnable task, long delayNs);

    /** One line per fact, {@code key=value}, for {@code heddle info -d}. */
    String describe();

    /**
     * The layout of what it shares with peers, for people, printed from the constants it uses; empty if there is none.
     */
    default String describeLayout() {
        return "";
    }

    /**
     * Ends the transport's threads and gives back what it holds. Interfaces are closed before, but for that of a worker
     * whose callback did not return in time: its worker closes it later. Idempotent.
     */
    @Override
    void close();
}
