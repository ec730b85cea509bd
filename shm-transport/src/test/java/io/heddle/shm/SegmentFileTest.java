package io.heddle.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.AccessRefusedException;
import io.heddle.context.HeddleException;
import io.heddle.context.NoSharedMemoryException;
import io.heddle.context.Status;
import io.heddle.tests.base.StandsFor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class SegmentFileTest {
    private static final String NAME = "0123456789abcdef-1-2.seg";

    @TempDir
    Path temp;

    private final SegmentGauge gauge = new SegmentGauge();
    private final SegmentBudget budget = new SegmentBudget(1 << 20);

    private MappedSegment create(final long bytes) {
        return SegmentFile.create(temp, NAME, bytes, budget, gauge);
    }

    private MappedSegment open(final String name, final long minBytes) throws IOException {
        return SegmentFile.open(temp, name, minBytes, Files.getOwner(temp), gauge);
    }

    @Test
    @StandsFor("6.10/mm.alloc")
    void shouldShareWhatBothSidesMap() throws IOException {
        final MappedSegment mine = create(5000);
        final MappedSegment theirs = open(NAME, 5000);
        assertEquals(8192, mine.bytes());
        assertEquals(8192, theirs.bytes());
        assertEquals(0, mine.buffer().get(8191));
        mine.buffer().put(8191, (byte) 7);
        assertEquals(7, theirs.buffer().get(8191));
        assertEquals(2, gauge.liveMaps());
        mine.unmap();
        mine.unmap();
        theirs.unmap();
        assertEquals(0, gauge.liveMaps());
        assertEquals(0, gauge.liveBytes());
        assertEquals(0, budget.usedBytes());
    }

    @Test
    void shouldBeTheOwnersAlone() throws IOException {
        final MappedSegment segment = create(4096);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(temp.resolve(NAME))));
        segment.unmap();
    }

    @Test
    void shouldBackEveryPage() throws IOException {
        final MappedSegment segment = create(600 * 1024);
        final Process du = new ProcessBuilder("du", "-k", temp.resolve(NAME).toString()).start();
        final String kib = new String(du.getInputStream().readAllBytes()).split("\\s")[0];
        assertTrue(Integer.parseInt(kib) >= 600, kib);
        segment.unmap();
    }

    @Test
    void shouldRefuseOverTheLimitAndLeaveNothing() {
        final NoSharedMemoryException refused = assertThrows(NoSharedMemoryException.class, () -> create(2 << 20));
        assertEquals(2 << 20, refused.neededBytes());
        assertEquals(1 << 20, refused.availableBytes());
        assertTrue(refused.getMessage().contains("heddle.shm.limit"), refused.getMessage());
        assertTrue(refused.getMessage().contains(temp.toString()), refused.getMessage());
        assertFalse(Files.exists(temp.resolve(NAME)));
        assertEquals(0, budget.usedBytes());
    }

    @Test
    void shouldNotTakeANameThatExists() throws IOException {
        Files.writeString(temp.resolve(NAME), "somebody's");
        assertThrows(HeddleException.class, () -> create(4096));
        assertEquals(0, budget.usedBytes());
    }

    @Test
    void shouldNotFollowAPlantedSymbolicLink() throws IOException {
        final Path target = Files.writeString(temp.resolve("target"), "x".repeat(8192));
        Files.createSymbolicLink(temp.resolve(NAME), target);
        assertThrows(AccessRefusedException.class, () -> open(NAME, 4096));
        assertThrows(HeddleException.class, () -> create(4096));
        assertEquals("x".repeat(8192), Files.readString(target));
        assertEquals(0, gauge.liveMaps());
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x.seg", "a/b.seg", "/etc/x.seg", ".seg", "x.segment", "x.seg\n", ""})
    void shouldRefuseWhatIsNoName(final String name) {
        final HeddleException refused = assertThrows(HeddleException.class, () -> open(name, 4096));
        assertEquals(Status.PROTOCOL_VIOLATION, refused.status());
    }

    @Test
    void shouldRefuseAFileThatOthersMayRead() throws IOException {
        final MappedSegment segment = create(4096);
        Files.setPosixFilePermissions(temp.resolve(NAME), PosixFilePermissions.fromString("rw-r--r--"));
        final AccessRefusedException refused = assertThrows(AccessRefusedException.class, () -> open(NAME, 4096));
        assertTrue(refused.getMessage().contains("rw-r--r--"), refused.getMessage());
        segment.unmap();
    }

    @Test
    void shouldRefuseAFileThatIsTooShort() {
        final MappedSegment segment = create(4096);
        assertThrows(HeddleException.class, () -> open(NAME, 8192));
        assertThrows(HeddleException.class, () -> open("missing.seg", 4096));
        segment.unmap();
    }

    @Test
    void shouldRefuseADirectoryAsSegment() throws IOException {
        Files.createDirectory(temp.resolve(NAME));
        assertThrows(AccessRefusedException.class, () -> open(NAME, 4096));
    }
}
