package io.heddle.shm;

import static io.heddle.shm.TestWorker.stepUntil;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.AccessRefusedException;
import io.heddle.context.Status;
import io.heddle.context.VersionMismatchException;
import io.heddle.tests.base.StandsFor;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class HostileControlTest {
    @TempDir
    Path temp;

    private Path directory() {
        return temp.resolve("heddle");
    }

    @Test
    void shouldCloseOnlyTheConnectionThatSendsGarbage() throws IOException {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        try (TestHost host = new TestHost(directory())) {
            final TestWorker worker = host.worker("worker");
            worker.connect(worker.shm.address());
            stepUntil("connected", () -> !worker.connected.isEmpty() && !worker.accepted.isEmpty(), worker);
            for (int i = 0; i < 50; i++) {
                try (SocketChannel hostile = SocketChannel.open(UnixDomainSocketAddress.of(host.socketPath()))) {
                    final byte[] garbage = new byte[1 + random.nextInt(8192)];
                    random.nextBytes(garbage);
                    garbage[0] = (byte) (0x80 | garbage[0]);
                    hostile.write(ByteBuffer.wrap(garbage));
                    readToEnd(hostile);
                }
            }
            await("seed=" + seed).atMost(TestWorker.LIMIT)
                .until(() -> host.transport.control().reports().violations() >= 50);
            worker.step();
            assertTrue(worker.connected.get(0).isReady(), "seed=" + seed);
            assertEquals(List.of(), worker.gone);
            worker.connect(worker.shm.address());
            stepUntil("still accepts", () -> worker.connected.size() == 2 && worker.accepted.size() == 2, worker);
        }
    }

    @Test
    void shouldNameTheFieldThatIsImpossible() throws IOException {
        assertViolation("opcode", new byte[] {0x7f});
        assertViolation("opcode", frame(FrameDescriptor.WELCOME, 1, new byte[0]));
        assertViolation("bodyLength", new byte[] {FrameDescriptor.HELLO, 1, (byte) 0xff, (byte) 0xff});
        assertViolation("version", frame(FrameDescriptor.GROW, 9, new byte[8]));
        assertViolation("hello.magic", frame(FrameDescriptor.HELLO, 1, new byte[64]));
        assertViolation("hello.layoutVersion", frame(FrameDescriptor.HELLO, 1,
            "HEDL".getBytes(StandardCharsets.US_ASCII)));
        assertViolation("hello.segmentName", hello(1, 4096, "../../etc/passwd.seg"));
        assertViolation("hello.segmentBytes", hello(1, 1L << 40, "x.seg"));
        assertViolation("hello.segmentBytes", hello(1, -1, "x.seg"));
        assertViolation("hello.listener", helloTo("a/b", 0));
        assertViolation("hello.listener", helloTo("x".repeat(65), 0));
        assertViolation("hello.data.length", helloTo("prices", 1025));
        assertViolation("hello.data", helloTo("", 1));
        assertViolation("hello.data.length", cut(helloTo("prices", 9), 1));
        assertViolation("hello.data.length", cut(helloTo("prices", 0), 2));
        assertViolation("hello.listener.length", cut(helloTo("prices", 0), 3));
        assertViolation("bodyLength", cut(helloTo("prices", 9), -1));
    }

    private static byte[] helloTo(final String listener, final int dataBytes) {
        final ByteBuffer encoded =
            new Hello(1, 1, 1, 4096, "x.seg", "hostile", listener, new byte[dataBytes]).encode();
        final byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        return bytes;
    }

    /** The message without its last bytes, or with more of them, and with a header that says so. */
    private static byte[] cut(final byte[] message, final int bytes) {
        final byte[] less = java.util.Arrays.copyOf(message, message.length - bytes);
        ByteBuffer.wrap(less).order(ByteOrder.LITTLE_ENDIAN)
            .putShort(FrameDescriptor.LENGTH_OFFSET, (short) (less.length - FrameDescriptor.HEADER_BYTES));
        return less;
    }

    private void assertViolation(final String field, final byte[] bytes) throws IOException {
        try (TestHost host = new TestHost(directory())) {
            try (SocketChannel hostile = SocketChannel.open(UnixDomainSocketAddress.of(host.socketPath()))) {
                hostile.write(ByteBuffer.wrap(bytes));
                readToEnd(hostile);
            }
            await(field).atMost(TestWorker.LIMIT).until(() -> !host.errors.isEmpty());
            assertTrue(host.errors.get(0).getMessage().contains("field=" + field + " "),
                host.errors.get(0).getMessage());
        }
    }

    @Test
    @StandsFor({"6.3/wrong_api_version", "O2"})
    void shouldTellBothVersionsToBothSides() throws IOException {
        try (TestHost host = new TestHost(directory());
            SocketChannel newer = SocketChannel.open(UnixDomainSocketAddress.of(host.socketPath()))) {
            final byte[] body = ByteBuffer.allocate(6).order(ByteOrder.LITTLE_ENDIAN)
                .putInt(FrameDescriptor.MAGIC).putShort((short) 77).array();
            newer.write(ByteBuffer.wrap(frame(FrameDescriptor.HELLO, 9, body)));
            final String answer = readToEnd(newer);
            assertTrue(answer.contains("protocol=9 layout=77"), answer);
            assertTrue(answer.contains("protocol=" + FrameDescriptor.PROTOCOL_VERSION), answer);
            assertEquals(VersionMismatchException.class, host.errors.get(0).getClass());
        }
    }

    @Test
    @StandsFor("O2")
    void shouldRefuseASegmentThatIsNone() throws IOException {
        try (TestHost host = new TestHost(directory())) {
            final TestWorker worker = host.worker("worker");
            final Path forged = directory().resolve("forged.seg");
            Files.write(forged, new byte[8192]);
            Files.setPosixFilePermissions(forged, PosixFilePermissions.fromString("rw-------"));
            try (SocketChannel hostile = SocketChannel.open(UnixDomainSocketAddress.of(host.socketPath()))) {
                hostile.write(ByteBuffer.wrap(hello(worker.shm.interfaceId(), 8192, "forged.seg")));
                final String answer = readToEnd(hostile);
                assertTrue(answer.contains("segment header"), answer);
            }
            assertEquals(List.of(), host.segmentFiles());
            assertEquals(0, host.transport.gauge().liveMaps());
            worker.step();
            assertEquals(List.of(), worker.accepted);
        }
    }

    @Test
    void shouldNotFollowASymbolicLinkInAHello() throws IOException {
        try (TestHost host = new TestHost(directory())) {
            final TestWorker worker = host.worker("worker");
            final Path target = Files.write(temp.resolve("target"), new byte[8192]);
            Files.createSymbolicLink(directory().resolve("planted.seg"), target);
            try (SocketChannel hostile = SocketChannel.open(UnixDomainSocketAddress.of(host.socketPath()))) {
                hostile.write(ByteBuffer.wrap(hello(worker.shm.interfaceId(), 8192, "planted.seg")));
                final String answer = readToEnd(hostile);
                assertTrue(answer.contains("symbolic links are not followed"), answer);
            }
            assertTrue(Files.exists(target));
        }
    }

    @Test
    void shouldFailOnlyTheLaneWhosePeerAnswersGarbage() throws IOException {
        try (TestHost host = new TestHost(directory());
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(directory().resolve("hostile.sock")));
            final TestWorker client = host.worker("client");
            client.connect(
                new ShmAddress(LaneLayout.LAYOUT_VERSION, 0, 1, directory().toString(), "hostile.sock").encode());
            try (SocketChannel accepted = server.accept()) {
                accepted.write(ByteBuffer.wrap(frame(FrameDescriptor.GROW_ACK, 1, new byte[8])));
                stepUntil("failed", () -> !client.gone.isEmpty(), client);
            }
            assertEquals(Status.PROTOCOL_VIOLATION, client.gone.get(0).status());
            assertTrue(client.gone.get(0).reason().contains("field=opcode"), client.gone.get(0).reason());
            assertEquals(List.of(), host.segmentFiles());
        }
    }

    @Test
    @StandsFor("O2")
    void shouldReportARefusalOfAnotherVersion() throws IOException {
        try (TestHost host = new TestHost(directory());
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(directory().resolve("newer.sock")));
            final TestWorker client = host.worker("client");
            client.connect(
                new ShmAddress(LaneLayout.LAYOUT_VERSION, 0, 1, directory().toString(), "newer.sock").encode());
            try (SocketChannel accepted = server.accept()) {
                final ByteBuffer refused = new Refused(Status.UNREACHABLE,
                    "local=[layout=9] remote=[layout=1]").encode();
                accepted.write(refused.put(FrameDescriptor.VERSION_OFFSET, (byte) 9));
                stepUntil("failed", () -> !client.gone.isEmpty(), client);
            }
            assertEquals(Status.UNREACHABLE, client.gone.get(0).status());
            assertTrue(client.gone.get(0).reason().contains("layout=9"), client.gone.get(0).reason());
        }
    }

    @Test
    void shouldTellAnotherUserFromOurs() throws IOException {
        final UserPrincipalLookupService users = temp.getFileSystem().getUserPrincipalLookupService();
        final UserPrincipal ours = Files.getOwner(temp);
        final UserPrincipal other = users.lookupPrincipalByName(ours.getName().equals("nobody") ? "root" : "nobody");
        PeerIdentity.require(ours, Files.getOwner(temp));
        final AccessRefusedException refused =
            assertThrows(AccessRefusedException.class, () -> PeerIdentity.require(other, ours));
        assertEquals(Status.REJECTED, refused.status());
        assertTrue(refused.getMessage().contains("peerUser=" + other.getName()), refused.getMessage());
        assertTrue(refused.getMessage().contains("user=" + ours.getName()), refused.getMessage());
    }

    @Test
    void shouldTellARefusalOncePerPeerAndCountAll() {
        final List<Throwable> told = new ArrayList<>();
        final ControlReports reports = new ControlReports(told::add);
        for (int i = 0; i < 1000; i++) {
            reports.refusal("user=" + i % 100, new AccessRefusedException("user=" + i % 100));
        }
        assertEquals(1000, reports.refusals());
        assertEquals(64, told.size());
    }

    @Test
    void shouldUnderstandAMessageThatComesByteByByte() throws IOException {
        try (TestHost host = new TestHost(directory());
            SocketChannel slow = SocketChannel.open(UnixDomainSocketAddress.of(host.socketPath()))) {
            for (final byte one : hello(4711, 8192, "x.seg")) {
                slow.write(ByteBuffer.wrap(new byte[] {one}));
                slow.write(ByteBuffer.wrap(new byte[0]));
            }
            final String answer = readToEnd(slow);
            assertTrue(answer.contains("no such worker"), answer);
        }
    }

    private static byte[] hello(final long interfaceId, final long segmentBytes, final String name) {
        final ByteBuffer encoded = new Hello(interfaceId, 1, 1, segmentBytes, name, "hostile").encode();
        final byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        return bytes;
    }

    private static byte[] frame(final byte opcode, final int version, final byte[] body) {
        return ByteBuffer.allocate(FrameDescriptor.HEADER_BYTES + body.length).order(ByteOrder.LITTLE_ENDIAN)
            .put(opcode).put((byte) version).putShort((short) body.length).put(body).array();
    }

    private static String readToEnd(final SocketChannel channel) {
        final ByteBuffer answer = ByteBuffer.allocate(8192);
        try {
            while (channel.read(answer) >= 0) {
                assertTrue(answer.hasRemaining());
            }
        } catch (final IOException ex) {
            // reset: closed with bytes of ours unread, which is an end too
        }
        return new String(answer.array(), 0, answer.position(), StandardCharsets.UTF_8);
    }
}
