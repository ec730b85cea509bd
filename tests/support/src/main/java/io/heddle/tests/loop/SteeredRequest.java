package io.heddle.tests.loop;

import io.heddle.context.Status;
import io.heddle.context.spi.IncomingConnection;
import io.heddle.context.spi.Lane;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A request to a listener of this JVM. Both sides of its lane exist already and are told of when it is accepted. Thread
 * safe but for {@link #accept()}, as the SPI says.
 */
final class SteeredRequest implements IncomingConnection {
    private final String name;
    private final byte[] data;
    private final SteeredInterface from;
    private final SteeredInterface to;
    private final SteeredLane near;
    private final SteeredLane far;
    private final AtomicBoolean answered = new AtomicBoolean();

    /**
     * @param near the connecting side of the lane.
     * @param far  the listening side.
     */
    SteeredRequest(final String name, final byte[] data, final SteeredInterface from, final SteeredInterface to,
        final SteeredLane near, final SteeredLane far) {
        this.name = name;
        this.data = data.clone();
        this.from = from;
        this.to = to;
        this.near = near;
        this.far = far;
    }

    @Override
    public String listenerName() {
        return name;
    }

    @Override
    public long peerProcessId() {
        return ProcessHandle.current().pid();
    }

    @Override
    public String peerUser() {
        return System.getProperty("user.name");
    }

    @Override
    public byte[] applicationData() {
        return data.clone();
    }

    @Override
    public String peer() {
        return SteeredInterface.describePeer(from);
    }

    @Override
    public boolean isWaiting() {
        return !answered.get() && !far.isEnded();
    }

    @Override
    public Lane accept() {
        if (answered.compareAndSet(false, true)) {
            to.postConnect(() -> far.announce(false, SteeredInterface.describePeer(from)));
            from.postConnect(() -> near.announce(false, SteeredInterface.describePeer(to)));
        }
        return far;
    }

    @Override
    public void reject(final Status status, final String reason) {
        if (answered.compareAndSet(false, true)) {
            near.end(status, "refused by the peer: " + reason);
            to.post(far::disposeNow);
        }
    }
}
