package io.heddle.context.spi;

import io.heddle.context.Leak;
import io.heddle.context.MemoryPool;
import java.util.List;

/**
 * One worker's side of one transport.
 *
 * <p>Confined to the worker's guard, but for {@link #hasEvents()} (dispatcher token, no guard) and {@link #address()}
 * (any thread).
 */
public interface TransportInterface {
    /** The transport that opened it. */
    @AnyThread
    Transport transport();

    /** The bytes by which a peer's transport of the same name reaches this interface. A fresh copy. */
    @AnyThread
    byte[] address();

    /**
     * Begins to connect; returns at once. The outcome is {@link InterfaceListener#onConnected} or {@link
     * InterfaceListener#onPeerGone}. Until then the lane accepts nothing.
     */
    Lane connect(byte[] remoteAddress);

    /**
     * Whether {@link #step} has something to do. Read only; for the holder of the dispatcher token, without the guard.
     */
    boolean hasEvents();

    /**
     * Handles what the transport's own threads have posted: connections, ends of peers, memory that was mapped.
     *
     * @param nowNs the worker's clock, read once per round; what kept elements are dated with.
     * @return how many events were handled; bounded per call.
     */
    int step(long nowNs);

    /**
     * Tells every peer whether this worker polls or may sleep, so that a sender knows whether it must signal.
     *
     * @param state a {@link WaitState} word.
     */
    void waitState(long state);

    /**
     * The receive pools of every lane, disposed ones with elements out among them; for their gauges. Any thread; a
     * fresh list.
     */
    @AnyThread
    List<MemoryPool> pools();

    /** Elements of those pools that the application keeps, as of the last round. Any thread. */
    @AnyThread
    long heldElements();

    /**
     * Refuses further connections and forgets every lane; lanes were disposed of before. Idempotent.
     *
     * @return what the application still keeps; it stays readable until released.
     */
    List<Leak> close();
}
