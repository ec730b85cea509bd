package io.heddle.shm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.tests.base.StandsFor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two control threads and one connection between them, without lanes. */
@Timeout(60)
class GrowthTest {
    private static final int COUNT = 16;
    private static final long ELEMENT_BYTES = 4096;

    @TempDir
    Path temp;

    private TestHost left;
    private TestHost right;
    private final Recorder leftEvents = new Recorder();
    private final Recorder rightEvents = new Recorder();
    private ShmConnection leftLink;
    private ShmConnection rightLink;

    /** Writes down what a lane would be told. */
    private static final class Recorder implements ConnectionEvents {
        private final List<String> told = new CopyOnWriteArrayList<>();
        private final List<MappedSegment> segments = new CopyOnWriteArrayList<>();

        @Override
        public void wake() {
            told.add("wake");
        }

        @Override
        public void postFailed(final Status status, final String reason) {
            told.add("failed " + status + " " + reason);
        }

        @Override
        public void postGrowthMapped(final Growth growth, final MappedSegment segment, final LaneLink link) {
            segments.add(segment);
            told.add("mapped " + growth.firstId() + " " + growth.count() + " " + growth.elementBytes());
        }

        @Override
        public void postPeerGrowthMapped(final Growth growth, final MappedSegment segment, final LaneLink link) {
            segments.add(segment);
            told.add("peer mapped " + growth.firstId() + " " + growth.count() + " " + growth.elementBytes());
        }

        @Override
        public void postGrowthRefused(final long elementBytes, final String reason) {
            told.add("refused " + elementBytes + " " + reason);
        }

        @Override
        public void postGrowthDue() {
            told.add("due");
        }

        @Override
        public void postPeerGrowthRefused(final long elementBytes) {
            told.add("peer refused " + elementBytes);
        }

        String await(final int count) {
            Awaitility.await("event " + count).atMost(TestWorker.LIMIT).until(() -> told.size() >= count);
            return told.get(count - 1);
        }
    }

    @BeforeEach
    void connect() throws IOException {
        final Path directory = temp.resolve("heddle");
        left = new TestHost(
            directory, new ContextConfig().sharedMemoryLimitBytes(1 << 20).poolLimitBytes(1 << 20), TestHost.TIMINGS);
        right = new TestHost(directory);
        final Path path = temp.resolve("pair.sock");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
            leftLink = link(left, SocketChannel.open(UnixDomainSocketAddress.of(path)), leftEvents);
            rightLink = link(right, server.accept(), rightEvents);
        }
    }

    private ShmConnection link(final TestHost host, final SocketChannel channel, final Recorder events)
        throws IOException {
        channel.configureBlocking(false);
        final AtomicReference<ShmConnection> made = new AtomicReference<>();
        host.transport.control().execute(() -> {
            try {
                final ControlSocket socket = new ControlSocket(host.transport.control(), channel, null);
                final ShmConnection link = new ShmConnection(host.transport, socket, events, temp.resolve("heddle"));
                socket.listener(link);
                made.set(link);
            } catch (final IOException ex) {
                throw new UncheckedIOException(ex);
            }
        });
        await("registered").atMost(TestWorker.LIMIT).until(() -> made.get() != null);
        return made.get();
    }

    @AfterEach
    void close() {
        leftEvents.segments.forEach(leftLink::unmap);
        rightEvents.segments.forEach(rightLink::unmap);
        leftLink.close();
        rightLink.close();
        try (TestHost first = left; TestHost second = right) {
            assertEquals(List.of(), first.segmentFiles());
            assertEquals(List.of(), second.segmentFiles());
        }
    }

    @Test
    @StandsFor("6.10/mm.alloc")
    void shouldMapAFurtherSegmentOnBothSidesThereAndBack() {
        leftLink.requestGrowth(0, COUNT, ELEMENT_BYTES);
        assertEquals("peer mapped 0 16 4096", rightEvents.await(1));
        assertEquals("mapped 0 16 4096", leftEvents.await(1));
        rightLink.requestGrowth(7, COUNT, ELEMENT_BYTES);
        assertEquals("peer mapped 7 16 4096", leftEvents.await(2));
        assertEquals("mapped 7 16 4096", rightEvents.await(2));
        final MappedSegment lent = leftEvents.segments.get(0);
        final MappedSegment borrowed = rightEvents.segments.get(0);
        assertEquals(COUNT * ELEMENT_BYTES, lent.bytes());
        borrowed.buffer().put((int) lent.bytes() - 1, (byte) 42);
        assertEquals(42, lent.buffer().get((int) lent.bytes() - 1));
        assertEquals(2, left.transport.gauge().liveMaps());
        assertEquals(COUNT * ELEMENT_BYTES, left.transport.budget().usedBytes());
    }

    @Test
    void shouldTellBothSidesThatTheLimitIsReached() {
        leftLink.requestGrowth(0, 1024, ELEMENT_BYTES);
        final String refused = leftEvents.await(1);
        assertTrue(refused.startsWith("refused 4096 "), refused);
        assertTrue(refused.contains("heddle.shm.limit"), refused);
        assertEquals("peer refused 4096", rightEvents.await(1));
        leftLink.requestGrowth(0, COUNT, ELEMENT_BYTES);
        assertEquals("mapped 0 16 4096", leftEvents.await(2));
    }

    @Test
    void shouldRefuseAnImpossibleGrowth() {
        leftLink.requestGrowth(-1, COUNT, ELEMENT_BYTES);
        assertTrue(leftEvents.await(1).contains("impossible growth"));
        leftLink.requestGrowth(Integer.MAX_VALUE, COUNT, ELEMENT_BYTES);
        leftLink.requestGrowth(0, COUNT, Long.MAX_VALUE);
        assertTrue(leftEvents.await(3).contains("impossible growth"));
    }

    @Test
    void shouldRefuseWhatThePeerCannotMap() throws IOException {
        final byte[] forged = new byte[4096];
        final Path file = temp.resolve("heddle").resolve("forged.seg");
        Files.write(file, forged);
        final ConnectionEvents events = rightEvents;
        right.transport.control().execute(() -> {
            try {
                rightLink.onFrame(
                    FrameDescriptor.GROW, FrameDescriptor.PROTOCOL_VERSION,
                        body(new Growth(0, 1, 4096, 8192, "forged.seg")));
            } catch (final ControlViolation ex) {
                events.postFailed(Status.PROTOCOL_VIOLATION, ex.getMessage());
            }
        });
        assertEquals("peer refused 4096", rightEvents.await(1));
        // The refusal answers what was never asked, so the other side ends the connection.
        final String failed = leftEvents.await(1);
        assertTrue(failed.startsWith("failed PROTOCOL_VIOLATION"), failed);
        assertTrue(failed.contains("field=growAnswer.firstId"), failed);
        assertTrue(Files.notExists(file));
    }

    private static ByteBuffer body(final Growth growth) {
        return growth.encode().position(FrameDescriptor.HEADER_BYTES).slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void shouldDropGrowthsUnderWayWhenThePeerEnds() {
        rightLink.close();
        assertEquals("failed CONNECTION_RESET closed", leftEvents.await(2));
        leftLink.requestGrowth(0, COUNT, ELEMENT_BYTES);
        leftLink.signal();
        leftLink.finish();
        await("nothing kept").atMost(TestWorker.LIMIT).until(() -> left.transport.gauge().liveMaps() == 0);
        assertEquals(List.of("wake", "failed CONNECTION_RESET closed"), List.copyOf(leftEvents.told),
            "the farewell wakes: the lane's last record was not signalled");
    }

    @Test
    void shouldWakeThePeerBetweenMessages() {
        for (int i = 0; i < 50; i++) {
            leftLink.signal();
            leftLink.requestGrowth(i * COUNT, 1, ELEMENT_BYTES);
            leftLink.signal();
        }
        await("all mapped").atMost(TestWorker.LIMIT).until(
            () -> leftEvents.told.stream().filter(told -> told.startsWith("mapped")).count() == 50);
        assertTrue(rightEvents.told.contains("wake"));
        assertEquals(List.of(), right.errors);
    }
}
