package io.heddle.context;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * A copy of a context's counter file, taken from outside while the context lives or after its process died. The values
 * are recent, not of one moment. Immutable.
 */
public final class CountersFile {
    /** What the names of counter files end with. */
    public static final String SUFFIX = ".counters";

    private static final int ALIGNMENT = 64;

    private final Path file;
    private final UnsafeBuffer header;
    private final List<Sample> samples;

    /**
     * One counter.
     *
     * @param typeId says what is counted: {@link ContextCounter#typeId()}, {@link WorkerCounter#typeId()}, or the
     *     allocator's own
     * @param label what is counted and for whom
     * @param value at the time of the copy
     */
    public record Sample(int typeId, String label, long value) {
    }

    private CountersFile(final Path file, final UnsafeBuffer header, final List<Sample> samples) {
        this.file = file;
        this.header = header;
        this.samples = samples;
    }

    /**
     * Copies {@code file}, which is not followed if it is a symbolic link.
     *
     * @throws VersionMismatchException if it is another version's
     * @throws HeddleException with {@link Status#INVALID_PARAM} if it is no counter file, not finished, or damaged;
     *     with
     *     {@link Status#IO_ERROR} if it cannot be read
     */
    public static CountersFile read(final Path file) {
        final ByteBuffer copy = copy(file);
        if (copy.limit() < CountersFileDescriptor.METADATA_OFFSET) {
            throw damaged(file, "lengthBytes", copy.limit());
        }
        final UnsafeBuffer header = new UnsafeBuffer(copy, 0, CountersFileDescriptor.METADATA_OFFSET);
        final long magic = header.getLong(CountersFileDescriptor.MAGIC_OFFSET);
        if (magic != CountersFileDescriptor.MAGIC) {
            throw damaged(file, "magic", magic);
        }
        final int version = header.getInt(CountersFileDescriptor.VERSION_OFFSET);
        if (version != CountersFileDescriptor.LAYOUT_VERSION) {
            throw new VersionMismatchException(
                "layoutVersion",
                "counters=" + CountersFileDescriptor.LAYOUT_VERSION,
                "file=" + file + " counters=" + version);
        }
        final int capacity = header.getInt(CountersFileDescriptor.CAPACITY_OFFSET);
        if (capacity < 1 || capacity > CountersFileDescriptor.CAPACITY_MAX ||
            copy.limit() != CountersFileDescriptor.fileLengthBytes(capacity)) {
            throw damaged(file, "capacity", capacity);
        }
        final CountersReader reader = new CountersReader(
            new UnsafeBuffer(
                copy, CountersFileDescriptor.METADATA_OFFSET, CountersFileDescriptor.metadataLengthBytes(capacity)),
            new UnsafeBuffer(
                copy,
                CountersFileDescriptor.valuesOffset(capacity),
                CountersFileDescriptor.valuesLengthBytes(capacity)),
            StandardCharsets.UTF_8);
        return new CountersFile(file, header, samples(file, reader));
    }

    /** The file that was read. */
    public Path file() {
        return file;
    }

    /** Of the process that wrote it, as that process sees itself. */
    public long pid() {
        return header.getLong(CountersFileDescriptor.PID_OFFSET);
    }

    /**
     * When that process started, in clock ticks since boot; with {@link #pid()} it tells processes apart until the next
     * boot.
     */
    public long startTicks() {
        return header.getLong(CountersFileDescriptor.START_TICKS_OFFSET);
    }

    /** Tells the contexts of one process apart. */
    public int contextId() {
        return header.getInt(CountersFileDescriptor.CONTEXT_ID_OFFSET);
    }

    /** When the context was created, in milliseconds since 1970 by its own clock. */
    public long createdMs() {
        return header.getLong(CountersFileDescriptor.CREATED_MS_OFFSET);
    }

    /** All counters in the order of their places; unmodifiable. */
    public List<Sample> samples() {
        return samples;
    }

    private static ByteBuffer copy(final Path file) {
        try (SeekableByteChannel channel =
            Files.newByteChannel(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
            final long lengthBytes = channel.size();
            if (lengthBytes > CountersFileDescriptor.fileLengthBytes(CountersFileDescriptor.CAPACITY_MAX)) {
                throw damaged(file, "lengthBytes", lengthBytes);
            }
            final ByteBuffer copy = BufferUtil.allocateDirectAligned((int)lengthBytes, ALIGNMENT);
            while (copy.hasRemaining() && channel.read(copy) >= 0) {
                continue;
            }
            return copy.flip();
        } catch (final IOException ex) {
            throw new HeddleException(Status.IO_ERROR, "cannot read counter file: file=" + file + " cause=" + ex, ex);
        }
    }

    private static List<Sample> samples(final Path file, final CountersReader reader) {
        final List<Sample> samples = new ArrayList<>();
        for (int id = 0; id <= reader.maxCounterId(); id++) {
            final int state = reader.getCounterState(id);
            if (state == CountersReader.RECORD_UNUSED) {
                break;
            }
            if (state == CountersReader.RECORD_ALLOCATED) {
                final int labelLength =
                    reader.metaDataBuffer().getInt(CountersReader.metaDataOffset(id) + CountersReader.LABEL_OFFSET);
                if (labelLength < 0 || labelLength > CountersReader.MAX_LABEL_LENGTH) {
                    throw damaged(file, "labelLength", labelLength);
                }
                samples.add(
                    new Sample(reader.getCounterTypeId(id), reader.getCounterLabel(id), reader.getCounterValue(id)));
            }
        }
        return List.copyOf(samples);
    }

    private static HeddleException damaged(final Path file, final String field, final long value) {
        return new HeddleException(
            Status.INVALID_PARAM, "not a counter file, or damaged: file=" + file + " " + field + "=" + value);
    }
}
