package io.heddle.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class ControlPageTest {
    @TempDir
    private Path directory;
    private ControlPage client;
    private ControlPage server;
    private Thread serving;

    @BeforeEach
    void bothSides() throws IOException {
        client = ControlPage.create(directory.resolve("page"));
        server = ControlPage.open(directory.resolve("page"));
        serving = new Thread(() -> {
            while (server.running()) {
                Thread.onSpinWait();
            }
        }, "control-page-test-server");
    }

    @AfterEach
    void ends() throws InterruptedException {
        client.stop();
        serving.join();
    }

    @Test
    void shouldCarryTheCount() {
        server.received(42);

        assertEquals(42, client.received());
    }

    @Test
    void shouldRunUntilStopped() {
        assertTrue(server.running());
        client.stop();

        assertFalse(server.running());
    }

    @Test
    void shouldAnswerProbes() {
        serving.start();

        assertNotNull(client.probe());
        assertNotNull(client.probe());
    }

    @Test
    void shouldCountAllocationsOnceForEachSide() {
        serving.start();
        client.beginMeter();
        final byte[][] kept = new byte[1][1_000_000];
        final long bytes = client.endMeter();

        assertTrue(bytes >= 2L * kept[0].length, "one JVM plays both sides, so both count the array: bytes=" + bytes);
    }

    @Test
    void shouldBeReadableByTheUserAlone() throws IOException {
        assertEquals("rw-------", java.nio.file.attribute.PosixFilePermissions.toString(
            Files.getPosixFilePermissions(directory.resolve("page"))));
    }

    @Test
    void shouldNotTakeOverAPageThatIsThere() {
        assertThrows(FileAlreadyExistsException.class, () -> ControlPage.create(directory.resolve("page")));
    }

    @Test
    void shouldRefuseAFileThatIsNoPage() throws IOException {
        final Path other = Files.writeString(directory.resolve("other"), "text");

        assertThrows(IOException.class, () -> ControlPage.open(other));
    }
}
