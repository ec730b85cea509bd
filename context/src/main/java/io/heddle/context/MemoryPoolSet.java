package io.heddle.context;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Pools of sizes that are powers of two, and one of the largest size whatever it is: an element is taken from the
 * smallest class that holds the bytes, so that short data does not pin a long element.
 *
 * <p>Threads: as {@link ElementPool}. An element goes back by {@code element.pool().put(element)} or {@link #put}.
 */
public final class MemoryPoolSet implements AutoCloseable {
    private static final int LARGE_CHUNK_BYTES = 256 << 10;
    private static final int MIN_ELEMENTS_PER_CHUNK = 4;
    private static final int MAX_ELEMENTS_PER_CHUNK = 128;

    private final long maxBytes;
    private final int minShift;
    private final MemoryPool[] classes;

    private MemoryPoolSet(final long minBytes, final long maxBytes, final MemoryPool[] classes) {
        this.maxBytes = maxBytes;
        this.classes = classes;
        minShift = Long.numberOfTrailingZeros(minBytes);
    }

    /**
     * Pools named {@code name-64}, {@code name-128} and so on.
     *
     * @param name      for reports.
     * @param minBytes  size of the smallest class, a power of two.
     * @param maxBytes  size of the largest class, at least {@code minBytes}; need not be a power of two.
     * @param configure called with the builder of each class, which has its element size and a chunk of about 256 KiB
     *                  (4 to 128 elements) set.
     * @throws IllegalArgumentException naming the value that is out of its range.
     */
    public static MemoryPoolSet create(final String name, final long minBytes, final long maxBytes,
                                       final Consumer<? super MemoryPoolBuilder> configure) {
        if (minBytes <= 0 || Long.bitCount(minBytes) != 1) {
            throw new IllegalArgumentException("minBytes=" + minBytes + " must be a power of two");
        }
        if (maxBytes < minBytes || maxBytes > 1L << 30) {
            throw new IllegalArgumentException("maxBytes=" + maxBytes + " must be >= minBytes=" + minBytes +
                " and <= " + (1L << 30));
        }
        final int minShift = Long.numberOfTrailingZeros(minBytes);
        final MemoryPool[] classes = new MemoryPool[classOf(maxBytes, minShift) + 1];
        for (int i = 0; i < classes.length; i++) {
            final long bytes = Math.min(minBytes << i, maxBytes);
            final long perChunk =
                Math.max(MIN_ELEMENTS_PER_CHUNK, Math.min(MAX_ELEMENTS_PER_CHUNK, LARGE_CHUNK_BYTES / bytes));
            final MemoryPoolBuilder builder =
                MemoryPool.builder(name + '-' + bytes).elementBytes(bytes).elementsPerChunk((int) perChunk);
            configure.accept(builder);
            classes[i] = builder.build();
        }
        return new MemoryPoolSet(minBytes, maxBytes, classes);
    }

    /** The smallest power of two that holds the bytes, counted from the smallest class. */
    private static int classOf(final long bytes, final int minShift) {
        return Math.max(Long.SIZE - Long.numberOfLeadingZeros(bytes - 1) - minShift, 0);
    }

    /** The most bytes {@link #take} can be asked for. */
    public long maxBytes() {
        return maxBytes;
    }

    /**
     * An element of at least so many bytes, in TAKEN.
     *
     * @param bytes 0 to {@link #maxBytes}.
     * @return null if its class is exhausted: larger classes are not asked.
     * @throws IllegalArgumentException if bytes is out of range.
     */
    public PoolElement take(final long bytes) {
        return poolFor(bytes).take();
    }

    /** The pool that {@link #take} uses for so many bytes. */
    public MemoryPool poolFor(final long bytes) {
        if (bytes < 0 || bytes > maxBytes) {
            throw new IllegalArgumentException("bytes=" + bytes + " must be >= 0 and <= maxBytes=" + maxBytes);
        }
        return bytes == 0 ? classes[0] : classes[classOf(bytes, minShift)];
    }

    /** As {@link ElementPool#put}, to the class the element came from. */
    public void put(final PoolElement element) {
        element.pool().put(element);
    }

    /** The classes, smallest first. */
    public List<MemoryPool> pools() {
        return List.of(classes);
    }

    /** Elements of all classes in use. Any thread. */
    public long inUse() {
        long sum = 0;
        for (final MemoryPool pool : classes) {
            sum += pool.inUse();
        }
        return sum;
    }

    /** Bytes of all classes' chunks. Any thread. */
    public long chunkBytes() {
        long sum = 0;
        for (final MemoryPool pool : classes) {
            sum += pool.chunkBytes();
        }
        return sum;
    }

    /** Frees every chunk none of whose elements is in use; returns bytes freed. */
    public long trim() {
        long sum = 0;
        for (final MemoryPool pool : classes) {
            sum += pool.trim();
        }
        return sum;
    }

    /** Closes all classes, and says what was out. Idempotent. */
    public List<Leak> closeAndReport() {
        final List<Leak> leaks = new ArrayList<>();
        for (final MemoryPool pool : classes) {
            leaks.addAll(pool.closeAndReport());
        }
        return leaks;
    }

    @Override
    public void close() {
        closeAndReport();
    }
}
