package io.heddle.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.agrona.UnsafeApi;

/**
 * The segment of one live lane of this process, at whose shared words a test writes what no honest peer would. Found in
 * the process's own map, since the file has no name any more. {@code creator} below is the side that connected.
 *
 * <p>Any thread; stores are release stores, as a peer's would be.
 */
public final class HostileHand {
    private final long address;
    private final long bytes;
    private final Geometry geometry;

    private HostileHand(final long address, final long bytes) {
        this.address = address;
        this.bytes = bytes;
        geometry = SegmentHeader.verify(address, bytes);
    }

    /** Names of the segments that this process has mapped from a directory. */
    public static Set<String> segments(final Path directory) {
        return lines(directory).stream().map(HostileHand::name).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The one segment that is mapped now and was not then. */
    public static HostileHand onNewSegment(final Path directory, final Set<String> before) {
        final Set<String> now = segments(directory);
        now.removeAll(before);
        if (now.size() != 1) {
            throw new IllegalStateException("segments=" + now);
        }
        for (final String line : lines(directory)) {
            if (now.contains(name(line))) {
                final String[] range = line.substring(0, line.indexOf(' ')).split("-");
                final long from = Long.parseUnsignedLong(range[0], 16);
                return new HostileHand(from, Long.parseUnsignedLong(range[1], 16) - from);
            }
        }
        throw new IllegalStateException("segments=" + now);
    }

    private static Set<String> lines(final Path directory) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(directory + "/") && line.contains(SegmentFile.SUFFIX))
                .collect(Collectors.toCollection(TreeSet::new));
        } catch (final IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String name(final String line) {
        final String file = line.substring(line.indexOf('/'));
        return file.substring(0, file.indexOf(SegmentFile.SUFFIX));
    }

    /** Length of the segment. */
    public long bytes() {
        return bytes;
    }

    /** Slots of the data ring. */
    public int slots() {
        return geometry.slots();
    }

    /** Bytes of the byte ring. */
    public int ringBytes() {
        return geometry.ringBytes();
    }

    /** Any word of the segment. */
    public void word(final long offset, final long value) {
        UnsafeApi.putLongRelease(null, address + offset, value);
    }

    /** Where the ready word of the header ends. */
    public static long bodyOffset() {
        return SegmentHeader.HEADER_BYTES;
    }

    private long direction(final boolean byCreator) {
        return SegmentHeader.HEADER_BYTES + (byCreator ? 0 : geometry.directionBytes());
    }

    /** A record as the writer of a direction would publish it at a position. */
    public void record(final boolean byCreator, final long position, final int kind, final int type, final int length,
        final long meta, final long reference) {
        final long slot = direction(byCreator) + LaneLayout.slotsOffset(geometry)
            + (position & geometry.slots() - 1) * LaneLayout.SLOT_BYTES;
        word(slot + LaneLayout.SLOT_META_OFFSET, meta);
        word(slot + LaneLayout.SLOT_PAYLOAD_OFFSET, reference);
        word(slot, LaneLayout.word(LaneLayout.lap(position, Integer.numberOfTrailingZeros(geometry.slots())), kind,
            type, length));
    }

    /** A control record as the writer of a direction would publish it at a position. */
    public void control(final boolean byCreator, final long position, final int kind, final long meta) {
        final long slot = direction(byCreator) + LaneLayout.controlOffset(geometry)
            + (position & geometry.controlSlots() - 1) * LaneLayout.SLOT_BYTES;
        word(slot + LaneLayout.SLOT_META_OFFSET, meta);
        word(slot, LaneLayout.word(LaneLayout.lap(position, Integer.numberOfTrailingZeros(geometry.controlSlots())),
            kind, 0, 0));
    }

    /** The count of retired records of the direction that the creator writes. */
    public void head(final long value) {
        word(direction(true) + LaneLayout.HEAD_OFFSET, value);
    }

    /** The count of handled control records of the direction that the creator writes. */
    public void controlHead(final long value) {
        word(direction(true) + LaneLayout.CONTROL_HEAD_OFFSET, value);
    }

    /** What the acceptor says of its waiting. */
    public void waitState(final long value) {
        word(direction(true) + LaneLayout.WAIT_STATE_OFFSET, value);
    }

    /** A credit for the creator, of a size class, at a position. */
    public void credit(final int sizeClass, final long position, final int descriptor) {
        word(direction(true) + LaneLayout.CREDITS_OFFSET
            + (sizeClass * (long) geometry.creditSlots() + (position & geometry.creditSlots() - 1)) * Long.BYTES,
            LaneLayout.creditWord(LaneLayout.lap(position, Integer.numberOfTrailingZeros(geometry.creditSlots())),
                descriptor));
    }
}
