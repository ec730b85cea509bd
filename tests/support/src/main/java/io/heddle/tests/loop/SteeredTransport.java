package io.heddle.tests.loop;

import io.heddle.context.internal.LeakTracker;
import io.heddle.context.spi.InterfaceListener;
import io.heddle.context.spi.InterfaceOptions;
import io.heddle.context.spi.Transport;
import io.heddle.context.spi.TransportCapabilities;

import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The steered transport of one context: no threads of its own, no memory outside this JVM. What it is to execute it
 * runs at once, on the caller's thread; what is to wait waits for {@link #runDelayed()}. Thread safe.
 */
public final class SteeredTransport implements Transport {
    private final SteeredSettings settings;
    private final LeakTracker leakTracker;
    private final Steering steering = new Steering("transport", null);
    private final List<SteeredInterface> interfaces = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> delayed = new ConcurrentLinkedQueue<>();

    /** A transport without a context, for tests of the SPI alone. */
    public SteeredTransport(final SteeredSettings settings) {
        this(settings, null);
    }

    SteeredTransport(final SteeredSettings settings, final LeakTracker leakTracker) {
        this.settings = settings;
        this.leakTracker = leakTracker;
    }

    LeakTracker leakTracker() {
        return leakTracker;
    }

    /** The geometry of this transport's receiving sides. */
    public SteeredSettings settings() {
        return settings;
    }

    /** The test's hand on everything that was opened here. */
    public Steering steering() {
        return steering;
    }

    /** The interfaces not closed yet, in the order of their opening. A snapshot. */
    public List<SteeredInterface> interfaces() {
        return List.copyOf(interfaces);
    }

    /** @throws NoSuchElementException if no open interface belongs to a worker of this name. */
    public SteeredInterface interfaceOf(final String workerName) {
        return interfaces.stream().filter(side -> side.workerName().equals(workerName)).findFirst()
            .orElseThrow(() -> new NoSuchElementException("no open interface: worker=" + workerName));
    }

    @Override
    public String name() {
        return SteeredTransportProvider.NAME;
    }

    @Override
    public TransportCapabilities capabilities() {
        return new TransportCapabilities(settings.inlineBytes(), settings.maxFragmentBytes(),
            settings.keepsInPlace(), true, true, true);
    }

    @Override
    public String unreachableReason(final byte[] address) {
        return SteeredNetwork.unreachableReason(address);
    }

    @Override
    public SteeredInterface openInterface(final InterfaceOptions options, final InterfaceListener listener) {
        final long id = SteeredNetwork.nextInterfaceId();
        final SteeredInterface side = new SteeredInterface(this, id, options, listener);
        interfaces.add(side);
        SteeredNetwork.add(id, side);
        return side;
    }

    void forget(final SteeredInterface side) {
        interfaces.remove(side);
    }

    @Override
    public void execute(final Runnable task, final long delayNs) {
        if (delayNs == 0) {
            task.run();
        } else {
            delayed.add(task);
        }
    }

    /** Runs what waits for its time, whatever the time; what waits in consequence is left. How many there were. */
    public int runDelayed() {
        final int count = delayed.size();
        for (int i = 0; i < count; i++) {
            delayed.remove().run();
        }
        return count;
    }

    @Override
    public String describe() {
        return "transport=" + name() +
            "\ninline_bytes=" + settings.inlineBytes() +
            "\nmax_inline_bytes=" + settings.maxInlineBytes() +
            "\nmax_fragment_bytes=" + settings.maxFragmentBytes() +
            "\nring_records=" + settings.ringRecords() +
            "\ncredits=" + settings.credits() +
            "\npool_elements=" + settings.poolElements() +
            "\nkeeps_in_place=" + settings.keepsInPlace() +
            "\ninterfaces=" + interfaces.size();
    }

    @Override
    public void close() {
        // Nothing of its own to give back; an interface is closed by its worker, also later than this.
    }
}
