package io.heddle.tests.loop;

import io.heddle.context.spi.Transport;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Two interfaces with one connection between them, driven by the calling thread. Works for transports with threads of
 * their own too: what they post is waited for.
 *
 * <p>Confined.
 */
public final class LanePair implements AutoCloseable {
    private static final long WAIT_LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    private final LaneSide left;
    private final LaneSide right;

    private LanePair(final LaneSide left, final LaneSide right) {
        this.left = left;
        this.right = right;
    }

    /**
     * Opens one interface on each transport, which may be the same, and connects; to be followed by {@link #awaitOpen}.
     *
     * @param connector the left side's; it connects.
     * @param acceptor  the right side's.
     */
    public static LanePair connect(final Transport connector, final Transport acceptor) {
        final LaneSide left = new LaneSide(connector, "left");
        final LaneSide right = new LaneSide(acceptor, "right");
        left.lane(left.side().connect(right.side().address()));
        return new LanePair(left, right);
    }

    /** Steps until both sides have been told of the connection. */
    public LanePair awaitOpen() throws TimeoutException {
        await("connection", () -> left.isConnected() && right.isConnected());
        return this;
    }

    /** The side that connected. */
    public LaneSide left() {
        return left;
    }

    /** The side that accepted. */
    public LaneSide right() {
        return right;
    }

    /** One round of both sides: events, control records, released elements. Nothing is collected. */
    public int step() {
        return left.step() + right.step();
    }

    /**
     * Steps until something holds.
     *
     * @param what named in the exception.
     * @throws TimeoutException if it does not hold after ten seconds.
     */
    public void await(final String what, final BooleanSupplier holds) throws TimeoutException {
        final long startNs = System.nanoTime();
        while (!holds.getAsBoolean()) {
            if (step() == 0) {
                Thread.yield();
            }
            if (System.nanoTime() - startNs > WAIT_LIMIT_NS) {
                throw new TimeoutException("waited in vain: " + what + " left={" + left + "} right={" + right + '}');
            }
        }
    }

    @Override
    public void close() {
        left.close();
        right.close();
    }
}
