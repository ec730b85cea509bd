package io.heddle.shm;

import static org.awaitility.Awaitility.await;

import io.heddle.context.Status;
import io.heddle.context.internal.ReturnStack;
import io.heddle.context.spi.IncomingConnection;
import io.heddle.context.spi.InterfaceListener;
import io.heddle.context.spi.InterfaceOptions;
import io.heddle.context.spi.Lane;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * The least of a worker: steps its interface on the test's thread and writes down what it is told. Confined to the
 * test's thread.
 */
final class TestWorker implements InterfaceListener {
    static final Duration LIMIT = Duration.ofSeconds(30);

    /** The end of a lane. */
    record Gone(Lane lane, Status status, String reason) {
    }

    final List<Lane> accepted = new ArrayList<>();
    final List<IncomingConnection> requests = new ArrayList<>();
    final List<Lane> connected = new ArrayList<>();
    final List<String> peers = new ArrayList<>();
    final List<Gone> gone = new ArrayList<>();
    final AtomicInteger wakes = new AtomicInteger();
    final ShmInterface shm;
    private final List<Lane> lanes = new ArrayList<>();

    TestWorker(final ShmTransport transport, final String name) {
        shm = (ShmInterface) transport.openInterface(
            new InterfaceOptions(
                ThreadLocalRandom.current().nextLong(), name, this, new ReturnStack(element -> { }),
                    wakes::incrementAndGet),
            this);
    }

    Lane connect(final byte[] address) {
        final Lane lane = shm.connect(address);
        lanes.add(lane);
        return lane;
    }

    Lane connect(final String name, final String data, final Duration wait) {
        final Lane lane = shm.connect(name, data.getBytes(StandardCharsets.UTF_8), wait.toNanos());
        lanes.add(lane);
        return lane;
    }

    Lane accept(final IncomingConnection request) {
        final Lane lane = request.accept();
        lanes.add(lane);
        return lane;
    }

    int step() {
        return shm.step(System.nanoTime());
    }

    /** Steps all until the condition holds. */
    static void stepUntil(final String what, final BooleanSupplier condition, final TestWorker... workers) {
        await(what).pollInSameThread().pollInterval(Duration.ofMillis(1)).atMost(LIMIT).until(() -> {
            for (final TestWorker worker : workers) {
                worker.step();
            }
            return condition.getAsBoolean();
        });
    }

    void dispose(final Lane lane) {
        lanes.remove(lane);
        lane.dispose();
    }

    void close() {
        lanes.forEach(Lane::dispose);
        lanes.clear();
        shm.close();
    }

    @Override
    public void onAccepted(final Lane lane, final String peer) {
        accepted.add(lane);
        peers.add(peer);
        lanes.add(lane);
    }

    @Override
    public void onConnectionRequest(final IncomingConnection request) {
        requests.add(request);
    }

    @Override
    public void onConnected(final Lane lane, final String peer) {
        connected.add(lane);
        peers.add(peer);
    }

    @Override
    public void onPeerGone(final Lane lane, final Status status, final String reason) {
        gone.add(new Gone(lane, status, reason));
    }

    @Override
    public void onDrained(final Lane lane) {
        // the data side's business
    }
}
