package io.heddle.tools;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A page that the two JVMs of a measurement share beside the transport that is measured: the receiver keeps its count
 * there, the measuring side ends the run, has allocations counted, and asks how far apart the cores are at the
 * moment.
 *
 * <pre>
 *  offset   0      256        512    768    1024    1280       1536
 *           +------+----------+------+------+-------+----------+---------+
 *           |      | RECEIVED | WORD | PING | PONG  | ANSWERED | ALLOCATED  longs, little endian, 256 bytes apart
 *           +------+----------+------+------+-------+----------+---------+
 *  written by       server     client client server  server     server
 * </pre>
 *
 * <p>WORD is {@code sequence << 8 | command}. The client side and the server side are each confined to one thread,
 * except {@link #received(long)}, which has a single writer of the server's choice.
 */
final class ControlPage {
    private static final int LENGTH = 4096;
    private static final int RECEIVED = 256;
    private static final int WORD = 512;
    private static final int PING = 768;
    private static final int PONG = 1024;
    private static final int ANSWERED = 1280;
    private static final int ALLOCATED = 1536;

    private static final int RUN = 0;
    private static final int STOP = 1;
    private static final int PROBE = 2;
    private static final int METER_BEGIN = 3;
    private static final int METER_END = 4;

    private static final int PROBE_TRIPS = 3000;
    private static final int PROBE_BATCH = 10;
    private static final long PROBE_LIMIT_NS = 20_000_000L;
    private static final long PATIENCE_NS = 5_000_000_000L;

    private final UnsafeBuffer page;
    private final AllocationMeter meter = new AllocationMeter();
    private long sequence;
    private long obeyed;
    private long trip;

    private ControlPage(final MappedByteBuffer mapped) {
        page = new UnsafeBuffer(mapped);
    }

    /** A new page, its memory there before anybody maps it, readable by this user alone. */
    static ControlPage create(final Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            channel.write(ByteBuffer.allocate(LENGTH));
            return new ControlPage(channel.map(MapMode.READ_WRITE, 0, LENGTH));
        }
    }

    static ControlPage open(final Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (channel.size() != LENGTH) {
                throw new IOException("not a control page: file=" + file + " length=" + channel.size());
            }
            return new ControlPage(channel.map(MapMode.READ_WRITE, 0, LENGTH));
        }
    }

    /** Server: how many messages have come. */
    void received(final long count) {
        page.putLongRelease(RECEIVED, count); // partner: received()
    }

    /** Client: what the server counted last. */
    long received() {
        return page.getLongAcquire(RECEIVED); // partner: received(long)
    }

    /** Server: the condition of its loop; obeys what the client asks for meanwhile. False at the end. */
    boolean running() {
        final long word = page.getLongOpaque(WORD); // partner: command(); no data comes with a command
        return word == RUN || obey(word);
    }

    private boolean obey(final long word) {
        switch ((int) (word & 0xFF)) {
            case STOP:
                return false;
            case PROBE:
                echo(word);
                return true;
            default:
                if (word != obeyed) {
                    obeyed = word;
                    meter(word);
                }
                return true;
        }
    }

    private void meter(final long word) {
        if ((word & 0xFF) == METER_BEGIN) {
            meter.begin();
        } else {
            page.putLong(ALLOCATED, meter.end()); // published by ANSWERED
        }
        page.putLongRelease(ANSWERED, word); // partner: awaitAnswer()
    }

    private void echo(final long word) {
        long last = page.getLong(PONG);
        while (page.getLongOpaque(WORD) == word) { // partner: command()
            final long ping = page.getLongAcquire(PING); // partner: roundTrips()
            if (ping != last) {
                page.putLongRelease(PONG, ping); // partner: roundTrips()
                last = ping;
            }
        }
    }

    /** Client: the server's loop ends. */
    void stop() {
        command(STOP);
    }

    /** Client: both JVMs begin to count what they allocate. */
    void beginMeter() {
        awaitAnswer(command(METER_BEGIN));
        page.putLongRelease(WORD, RUN); // partner: running()
        meter.begin();
    }

    /** Client: bytes allocated by both JVMs since {@link #beginMeter()}. */
    long endMeter() {
        final long ours = meter.end();
        awaitAnswer(command(METER_END));
        final long theirs = page.getLong(ALLOCATED); // after the acquire of ANSWERED
        page.putLongRelease(WORD, RUN); // partner: running()
        return ours + theirs;
    }

    /** Client: round trip of one cache line between the two hot threads. */
    Placement probe() {
        command(PROBE);
        try {
            roundTrips(1);
            final long start = System.nanoTime();
            int trips = 0;
            long elapsed = 0;
            // On a machine with more to run than processors each trip may take a time slice: then a few must do.
            while (trips < PROBE_TRIPS && elapsed < PROBE_LIMIT_NS) {
                roundTrips(PROBE_BATCH);
                trips += PROBE_BATCH;
                elapsed = System.nanoTime() - start;
            }
            return Placement.of((double) elapsed / trips);
        } finally {
            page.putLongRelease(WORD, RUN); // partner: running()
        }
    }

    private long command(final int code) {
        final long word = ++sequence << 8 | code;
        page.putLongRelease(WORD, word); // partner: running(), echo()
        return word;
    }

    private void awaitAnswer(final long word) {
        final long start = System.nanoTime();
        while (page.getLongAcquire(ANSWERED) != word) { // partner: meter()
            Thread.onSpinWait();
            giveUpAfter(start);
        }
    }

    private void roundTrips(final int count) {
        for (int i = 0; i < count; i++) {
            final long want = ++trip;
            page.putLongRelease(PING, want); // partner: echo()
            int spins = 0;
            long start = 0;
            while (page.getLongAcquire(PONG) != want) { // partner: echo()
                if ((++spins & 0xFFFFF) == 0) {
                    start = start == 0 ? System.nanoTime() : start;
                    giveUpAfter(start);
                }
            }
        }
    }

    private static void giveUpAfter(final long startNs) {
        if (System.nanoTime() - startNs > PATIENCE_NS) {
            throw new ToolException("the server does not answer on the control page");
        }
    }
}
