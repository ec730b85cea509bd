package io.heddle.context;

import io.heddle.context.internal.FailPoints;
import io.heddle.context.internal.HostProcess;
import io.heddle.context.internal.PrivateFile;
import io.heddle.context.internal.RuntimeDirectory;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;

/**
 * A context's counters, in a file of the runtime directory that {@link CountersFile} reads from outside, also after a
 * crash.
 *
 * <p>Allocating and freeing is thread safe. A worker's counters have a single writer at a time: whoever holds the
 * worker (its lock, its owner thread, or the caller's order). So they are counted with plain adds
 * ({@link AtomicCounter#incrementPlain()}, {@link AtomicCounter#getAndAddPlain(long)},
 * {@link AtomicCounter#setPlain(long)}), or with {@link AtomicCounter#incrementRelease()} where a reader pairs a value
 * with something else; never with a locked instruction, which every message would pay for. A context's counters are
 * off the data path; those that several threads write use {@link AtomicCounter#increment()}. Readers load volatile and
 * see a recent value of each, not one moment of all.
 *
 * <p>The mapping is never undone by hand: it stays as long as a counter refers to it, so a late count after
 * {@link #close()} goes nowhere and harms nothing.
 */
public final class Counters implements AutoCloseable {
    /** How many counters a file has room for: 320 KiB of shared memory. */
    static final int CAPACITY = 512;

    /**
     * A freed counter's place is not given to another for this long, so that its last reader and writer have let go.
     */
    private static final long REUSE_AFTER_MS = 10_000;

    private final Path file;
    private final CountersManager manager;
    private final Map<ContextCounter, AtomicCounter> contextCounters = new EnumMap<>(ContextCounter.class);

    private Counters(final Path file, final CountersManager manager) {
        this.file = file;
        this.manager = manager;
        for (final ContextCounter counter : ContextCounter.values()) {
            contextCounters.put(counter, allocate(counter.typeId(), counter.label()));
        }
    }

    /** The file is removed by {@link #close()}, or with {@code directory}. */
    static Counters create(final RuntimeDirectory directory, final EpochClock clock) {
        return create(directory, clock, CAPACITY);
    }

    static Counters create(final RuntimeDirectory directory, final EpochClock clock, final int capacity) {
        final Path file = directory.file(CountersFile.SUFFIX);
        final MappedByteBuffer mapped;
        try {
            mapped = PrivateFile.map(file, CountersFileDescriptor.fileLengthBytes(capacity));
        } catch (final IOException ex) {
            throw new HeddleException(Status.IO_ERROR, "cannot make counter file: file=" + file + " cause=" + ex, ex);
        }
        final UnsafeBuffer header = new UnsafeBuffer(mapped, 0, CountersFileDescriptor.METADATA_OFFSET);
        header.putInt(CountersFileDescriptor.VERSION_OFFSET, CountersFileDescriptor.LAYOUT_VERSION);
        header.putInt(CountersFileDescriptor.CAPACITY_OFFSET, capacity);
        header.putLong(CountersFileDescriptor.PID_OFFSET, HostProcess.pid());
        header.putLong(CountersFileDescriptor.START_TICKS_OFFSET, HostProcess.startTicks());
        FailPoints.at("counters.half-header");
        header.putInt(CountersFileDescriptor.CONTEXT_ID_OFFSET, directory.contextId());
        header.putLong(CountersFileDescriptor.CREATED_MS_OFFSET, clock.time());
        final CountersManager manager = new CountersManager(
            new UnsafeBuffer(
                mapped, CountersFileDescriptor.METADATA_OFFSET, CountersFileDescriptor.metadataLengthBytes(capacity)),
            new UnsafeBuffer(
                mapped,
                CountersFileDescriptor.valuesOffset(capacity),
                CountersFileDescriptor.valuesLengthBytes(capacity)),
            StandardCharsets.UTF_8,
            clock,
            REUSE_AFTER_MS);
        final Counters counters = new Counters(file, manager);
        FailPoints.at("counters.before-ready");
        // Pairs with CountersFile.read(), which looks at the magic before anything else.
        header.putLongRelease(CountersFileDescriptor.MAGIC_OFFSET, CountersFileDescriptor.MAGIC);
        return counters;
    }

    /** The counter of that kind; always the same object. */
    public AtomicCounter counter(final ContextCounter kind) {
        return contextCounters.get(kind);
    }

    /**
     * A set for a new worker, to be closed with it. If the file has no room they count all the same, but only for this
     * JVM to see.
     *
     * @param name of the worker, to tell it from others in the file
     */
    public synchronized WorkerCounters newWorkerCounters(final String name) {
        final Map<WorkerCounter, AtomicCounter> counters = new EnumMap<>(WorkerCounter.class);
        final boolean isListed = manager.available() >= WorkerCounter.values().length;
        if (!isListed) {
            // Single writer: under this monitor.
            counter(ContextCounter.UNLISTED).incrementPlain();
        }
        for (final WorkerCounter kind : WorkerCounter.values()) {
            counters.put(kind, isListed ? allocate(kind.typeId(), kind.label() + " worker=" + name) : unlisted());
        }
        return new WorkerCounters(this, counters, isListed);
    }

    /**
     * A counter of the caller's own, such as a mirror of a lane's state; given back by {@link #free}.
     *
     * @param typeId 1000 or more
     * @param label what it counts and for whom; cut at {@value CountersReader#MAX_LABEL_LENGTH} bytes
     * @return null if there is no room
     */
    public synchronized AtomicCounter tryAllocate(final int typeId, final String label) {
        return manager.available() == 0 ? null : allocate(typeId, label);
    }

    /** Gives back what {@link #tryAllocate} gave. The caller writes to it no more. */
    public synchronized void free(final AtomicCounter counter) {
        if (!counter.isClosed()) {
            counter.close();
            manager.free(counter.id());
        }
    }

    /** Where the counters are. */
    public Path file() {
        return file;
    }

    /** Removes the file. Idempotent; counters may still be written to. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(file);
        } catch (final IOException ex) {
            throw new HeddleException(Status.IO_ERROR, "cannot remove counter file: file=" + file + " cause=" + ex, ex);
        }
    }

    // The counter is not told its manager: it would free itself without this object's monitor.
    private AtomicCounter allocate(final int typeId, final String label) {
        final int id = manager.allocate(label, typeId);
        return new AtomicCounter(manager.valuesBuffer(), id);
    }

    private static AtomicCounter unlisted() {
        return new AtomicCounter(new UnsafeBuffer(new byte[CountersReader.COUNTER_LENGTH]), 0);
    }
}
