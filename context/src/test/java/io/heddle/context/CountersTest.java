package io.heddle.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.context.internal.HostProcess;
import io.heddle.context.internal.RuntimeDirectory;
import io.heddle.tests.base.OtherJvm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.agrona.concurrent.CachedEpochClock;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CountersTest {
    private static final int WORKER_COUNTERS = WorkerCounter.values().length;
    private static final int CONTEXT_COUNTERS = ContextCounter.values().length;

    private final CachedEpochClock clock = new CachedEpochClock();
    @TempDir
    private Path parent;
    private RuntimeDirectory directory;

    @BeforeEach
    void open() {
        clock.update(1234);
        directory = RuntimeDirectory.open(parent.resolve("heddle"));
    }

    @AfterEach
    void close() {
        directory.close();
    }

    @Test
    void shouldShowCountsInTheFile() {
        final Counters counters = Counters.create(directory, clock);
        counters.counter(ContextCounter.ERRORS).incrementPlain();
        counters.newWorkerCounters("w-1").counter(WorkerCounter.BYTES_RECEIVED).getAndAddPlain(4096);
        counters.newWorkerCounters("w-2").counter(WorkerCounter.BYTES_RECEIVED).getAndAddPlain(1);

        final Map<String, Long> values = values(counters);

        assertEquals(CONTEXT_COUNTERS + 2 * WORKER_COUNTERS, values.size());
        assertEquals(1, values.get("context.errors"));
        assertEquals(4096, values.get("worker.bytes.received worker=w-1"));
        assertEquals(1, values.get("worker.bytes.received worker=w-2"));
        assertEquals(0, values.get("worker.bytes.sent worker=w-1"));
    }

    @Test
    void shouldSayWhoseTheFileIs() throws IOException {
        final Counters counters = Counters.create(directory, clock);
        final CountersFile file = CountersFile.read(counters.file());

        assertEquals(counters.file(), file.file());
        assertEquals(
            directory.ownerId() + "-" + directory.contextId() + ".counters", file.file().getFileName().toString());
        assertEquals(HostProcess.pid(), file.pid());
        assertEquals(HostProcess.startTicks(), file.startTicks());
        assertEquals(directory.contextId(), file.contextId());
        assertEquals(1234, file.createdMs());
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file.file())));
    }

    @Test
    void shouldKeepTheContextsOfAJvmApart() {
        try (RuntimeDirectory other = RuntimeDirectory.open(directory.path())) {
            final Counters first = Counters.create(directory, clock);
            final Counters second = Counters.create(other, clock);
            first.counter(ContextCounter.ERRORS).setPlain(1);
            second.counter(ContextCounter.ERRORS).setPlain(2);

            assertEquals(1, values(first).get("context.errors"));
            assertEquals(2, values(second).get("context.errors"));
        }
    }

    @Test
    void shouldGiveEachKindItsOwnTypeAndLabel() {
        final Counters counters = Counters.create(directory, clock);
        counters.newWorkerCounters("w");
        final CountersFile file = CountersFile.read(counters.file());

        assertEquals(
            CONTEXT_COUNTERS + WORKER_COUNTERS,
            file.samples().stream().map(CountersFile.Sample::typeId).distinct().count());
        assertEquals(
            Stream.concat(
                Arrays.stream(ContextCounter.values()).map(ContextCounter::label),
                Arrays.stream(WorkerCounter.values()).map(kind -> kind.label() + " worker=w")).toList(),
            file.samples().stream().map(CountersFile.Sample::label).toList());
    }

    @Test
    void shouldHandOutTheSameCounterEachTime() {
        final Counters counters = Counters.create(directory, clock);
        final WorkerCounters worker = counters.newWorkerCounters("w");

        assertSame(counters.counter(ContextCounter.ERRORS), counters.counter(ContextCounter.ERRORS));
        assertSame(worker.counter(WorkerCounter.WAKEUPS), worker.counter(WorkerCounter.WAKEUPS));
    }

    @Test
    void shouldCountUnseenWhenTheFileHasNoRoom() {
        final Counters counters = Counters.create(directory, clock, CONTEXT_COUNTERS + WORKER_COUNTERS);
        final WorkerCounters listed = counters.newWorkerCounters("w-1");
        final WorkerCounters unlisted = counters.newWorkerCounters("w-2");
        unlisted.counter(WorkerCounter.WAKEUPS).getAndAddPlain(3);

        assertTrue(listed.isListed());
        assertFalse(unlisted.isListed());
        assertEquals(3, unlisted.counter(WorkerCounter.WAKEUPS).get());
        assertEquals(1, values(counters).get("context.counters.unlisted"));
        assertNull(counters.tryAllocate(1000, "one more"));
    }

    @Test
    void shouldGiveAClosedWorkersPlacesToAnotherAfterAWhile() {
        final Counters counters = Counters.create(directory, clock, CONTEXT_COUNTERS + WORKER_COUNTERS);
        final WorkerCounters first = counters.newWorkerCounters("w-1");
        first.counter(WorkerCounter.WAKEUPS).setPlain(5);
        first.close();
        first.close();

        assertFalse(values(counters).containsKey("worker.wakeups worker=w-1"));
        clock.advance(9_999);
        assertFalse(counters.newWorkerCounters("w-2").isListed());
        clock.advance(1);
        assertTrue(counters.newWorkerCounters("w-3").isListed());
        assertEquals(0, values(counters).get("worker.wakeups worker=w-3"));
    }

    @Test
    void shouldMirrorWhatOthersAllocate() {
        final Counters counters = Counters.create(directory, clock);
        final AtomicCounter own = counters.tryAllocate(1000, "lane.tail lane=1");
        assertNotNull(own);
        own.setRelease(9);
        assertEquals(9, values(counters).get("lane.tail lane=1"));

        counters.free(own);
        counters.free(own);
        assertFalse(values(counters).containsKey("lane.tail lane=1"));
    }

    @Test
    void shouldCutALabelThatIsTooLong() {
        final Counters counters = Counters.create(directory, clock);
        counters.tryAllocate(1000, "x".repeat(CountersReader.MAX_LABEL_LENGTH + 1));

        assertTrue(values(counters).containsKey("x".repeat(CountersReader.MAX_LABEL_LENGTH)));
    }

    @Test
    void shouldTakeLateCountsAfterClose() {
        final Counters counters = Counters.create(directory, clock);
        final AtomicCounter errors = counters.counter(ContextCounter.ERRORS);
        counters.close();
        counters.close();

        assertFalse(Files.exists(counters.file()));
        errors.incrementPlain();
        assertEquals(1, errors.get());
    }

    @Test
    void shouldSayWhatIsMissingWhenTheFileSystemIsFullAndLeaveNothing() throws Exception {
        final int outcome = new ProcessBuilder("unshare", "-rm", "true").start().waitFor();
        assumeTrue(outcome == 0, "user namespaces are not allowed");
        final Path path = Files.createDirectory(parent.toRealPath().resolve("small")).resolve("heddle");
        try (OtherJvm child = OwnerChild.startOnSmallFileSystem(64, "fill", path)) {
            final String message = child.printed().get(0);
            assertTrue(message.startsWith("not enough shared memory: directory=" + path + " neededBytes="), message);
            assertTrue(message.contains("docker run --shm-size"), message);
            assertEquals(List.of("true", "0"), child.printed().subList(1, 3));
        }
    }

    @Test
    void shouldRefuseAFileThatIsNone() throws IOException {
        final Path empty = Files.createFile(parent.resolve("empty"));
        final Path text = Files.writeString(parent.resolve("text"), "x".repeat(1000));
        final Path link = Files.createSymbolicLink(parent.resolve("link"), text);

        assertEquals(Status.INVALID_PARAM, refusal(empty).status());
        assertEquals(Status.INVALID_PARAM, refusal(text).status());
        assertEquals(Status.IO_ERROR, refusal(link).status());
        assertEquals(Status.IO_ERROR, refusal(parent.resolve("none")).status());
    }

    @Test
    void shouldRefuseAnotherLayout() throws IOException {
        final Counters counters = Counters.create(directory, clock);
        overwriteInt(counters.file(), CountersFileDescriptor.VERSION_OFFSET, 77);

        final VersionMismatchException mismatch =
            assertThrows(VersionMismatchException.class, () -> CountersFile.read(counters.file()));
        assertTrue(mismatch.remote().contains("77"), mismatch::remote);
    }

    @Test
    void shouldRefuseADamagedFile() throws IOException {
        final Counters counters = Counters.create(directory, clock);
        final int labelLengthOffset = CountersFileDescriptor.METADATA_OFFSET + CountersReader.LABEL_OFFSET;
        overwriteInt(counters.file(), labelLengthOffset, Integer.MAX_VALUE);
        assertTrue(refusal(counters.file()).getMessage().contains("labelLength="));

        overwriteInt(counters.file(), CountersFileDescriptor.CAPACITY_OFFSET, Integer.MAX_VALUE);
        assertTrue(refusal(counters.file()).getMessage().contains("capacity="));

        overwriteInt(counters.file(), CountersFileDescriptor.MAGIC_OFFSET, 0);
        assertTrue(refusal(counters.file()).getMessage().contains("magic="));
    }

    private static HeddleException refusal(final Path file) {
        return assertThrows(HeddleException.class, () -> CountersFile.read(file));
    }

    private static void overwriteInt(final Path file, final int offset, final int value) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(value).flip(), offset);
        }
    }

    private static Map<String, Long> values(final Counters counters) {
        return CountersFile.read(counters.file()).samples().stream()
            .collect(Collectors.toMap(CountersFile.Sample::label, CountersFile.Sample::value));
    }
}
