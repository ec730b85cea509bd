package io.heddle.context.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.AccessRefusedException;
import io.heddle.context.ClosedException;
import io.heddle.context.HeddleException;
import io.heddle.context.OwnerChild;
import io.heddle.tests.base.OtherJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RuntimeDirectoryTest {
    @TempDir
    private Path parent;
    private Path path;

    @BeforeEach
    void choosePath() throws IOException {
        path = parent.toRealPath().resolve("heddle");
    }

    @Test
    void shouldMakeADirectoryForItsOwnerOnly() throws IOException {
        try (RuntimeDirectory directory = RuntimeDirectory.open(path)) {
            final Path lock = path.resolve(directory.ownerId() + ".lock");
            assertEquals("rwx------", permissions(path));
            assertEquals("rw-------", permissions(lock));
            assertEquals(path, directory.path());
            assertTrue(directory.ownerId().matches("[0-9a-f]{16}"), directory.ownerId());
            // Read last: closing it again lets the lock go.
            final List<String> description = Files.readAllLines(lock);
            assertTrue(description.contains("pid=" + ProcessHandle.current().pid()), description::toString);
            assertTrue(description.contains("start_ticks=" + HostProcess.startTicks()), description::toString);
            assertTrue(description.contains("boot_id=" + HostProcess.bootId()), description::toString);
        }
        assertEquals(List.of(), names());
    }

    @ParameterizedTest
    @ValueSource(strings = {"000", "0777"})
    void shouldNotDependOnTheUmask(final String umask) throws IOException {
        try (OtherJvm child = OwnerChild.start(umask, "own", path)) {
            assertEquals("rwx------", permissions(path));
            final String ownerId = child.printed().get(0);
            assertEquals("rw-------", permissions(path.resolve(ownerId + ".lock")));
            assertEquals("rw-------", permissions(path.resolve(ownerId + "-1.counters")));
        }
    }

    @Test
    void shouldRefuseASymbolicLink() throws IOException {
        final Path target = Files.createDirectory(
            parent.resolve("target"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createSymbolicLink(path, target);

        assertRefused("symbolic links are not followed");
    }

    @Test
    void shouldRefuseAFile() throws IOException {
        Files.createFile(path);

        assertRefused("not a directory");
    }

    @Test
    void shouldRefuseADirectoryThatIsOpenToOthers() throws IOException {
        Files.createDirectory(path);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));

        assertRefused("permissions=755 must be 700");
    }

    @Test
    void shouldRefuseAnotherUsersDirectory() throws IOException {
        if (HostProcess.uid() == 0) {
            Files.createDirectory(path);
            Files.setAttribute(path, "unix:uid", 54321);
        } else {
            path = Path.of("/usr");
        }

        assertRefused("belongs to another user");
    }

    @Test
    void shouldSayThatTheParentIsMissing() {
        final Path orphan = parent.resolve("a").resolve("b");
        for (final Executable attempt : List.<Executable>of(
            () -> RuntimeDirectory.open(orphan), () -> RuntimeDirectory.check(orphan))) {
            final String refusal = assertThrows(HeddleException.class, attempt).getMessage();
            assertTrue(refusal.contains("its parent is missing: parent=" + parent.resolve("a")), refusal);
        }
    }

    @Test
    void shouldCheckWithoutMakingIt() {
        RuntimeDirectory.check(path);

        assertFalse(Files.exists(path));
        RuntimeDirectory.open(path).close();
        RuntimeDirectory.check(path);
    }

    @Test
    void shouldCheckThatASocketsPathWouldFit() {
        final Path longest = parent.resolve("x".repeat(
            RuntimeDirectory.SOCKET_PATH_MAX_BYTES - parent.toString().length() - "/".length() -
                "/0123456789abcdef-1.sock".length()));
        RuntimeDirectory.check(longest);

        final String refusal = assertThrows(HeddleException.class, () -> RuntimeDirectory.check(Path.of(longest + "x")))
            .getMessage();
        assertTrue(refusal.contains("lengthBytes=108 must be <= 107"), refusal);
    }

    @Test
    void shouldShareOneLockBetweenTheContextsOfAJvm() throws IOException {
        final RuntimeDirectory first = RuntimeDirectory.open(path);
        final RuntimeDirectory second = RuntimeDirectory.open(path);
        Files.createFile(first.file("-a"));
        Files.createFile(second.file(".b"));

        assertEquals(first.ownerId(), second.ownerId());
        assertNotEquals(first.contextId(), second.contextId());

        first.close();
        assertEquals(
            List.of(second.ownerId() + "-" + second.contextId() + ".b", second.ownerId() + ".lock"),
            names());
        second.close();
        assertEquals(List.of(), names());
    }

    @Test
    void shouldNotTakeContextTenForContextOne() throws IOException {
        final RuntimeDirectory first = RuntimeDirectory.open(path);
        try (RuntimeDirectory second = RuntimeDirectory.open(path)) {
            final Path other = Files.createFile(path.resolve(second.ownerId() + "-" + first.contextId() + "0-a"));
            first.close();
            assertTrue(Files.exists(other));
        }
    }

    @Test
    void shouldBecomeANewOwnerAfterTheLastContextClosed() {
        final RuntimeDirectory first = RuntimeDirectory.open(path);
        first.close();
        first.close();

        try (RuntimeDirectory second = RuntimeDirectory.open(path)) {
            assertNotEquals(first.ownerId(), second.ownerId());
        }
        assertThrows(ClosedException.class, () -> first.file("-a"));
    }

    @Test
    void shouldCloseThoughTheDirectoryIsGone() throws IOException {
        final RuntimeDirectory directory = RuntimeDirectory.open(path);
        Files.delete(path.resolve(directory.ownerId() + ".lock"));
        Files.delete(path);
        directory.close();

        try (RuntimeDirectory again = RuntimeDirectory.open(path)) {
            assertNotEquals(directory.ownerId(), again.ownerId());
        }
    }

    @Test
    void shouldBecomeANewOwnerIfItsLockWasRemoved() throws IOException {
        final RuntimeDirectory first = RuntimeDirectory.open(path);
        Files.delete(path.resolve(first.ownerId() + ".lock"));

        try (RuntimeDirectory second = RuntimeDirectory.open(path)) {
            assertNotEquals(first.ownerId(), second.ownerId());
            first.close();
            try (RuntimeDirectory third = RuntimeDirectory.open(path)) {
                assertEquals(second.ownerId(), third.ownerId());
            }
            assertLiveToOthers(second);
        }
        assertEquals(List.of(), names());
    }

    @Test
    void shouldOpenOnAnInterruptedThreadAndStayLocked() throws IOException {
        Thread.currentThread().interrupt();
        try (RuntimeDirectory directory = RuntimeDirectory.open(path)) {
            assertTrue(Thread.interrupted());
            assertLiveToOthers(directory);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "-", "-a/b", "../x"})
    void shouldRefuseAFileNameThatIsNotItsOwn(final String suffix) {
        try (RuntimeDirectory directory = RuntimeDirectory.open(path)) {
            assertThrows(HeddleException.class, () -> directory.file(suffix));
        }
    }

    @Test
    void shouldRefuseASocketPathThatTheSystemWouldCut() {
        final Path longest = Path.of("/" + "a".repeat(104) + "é");
        assertEquals(longest, RuntimeDirectory.requireSocketPath(longest));

        final Path tooLong = Path.of("/" + "a".repeat(105) + "é");
        final HeddleException refusal =
            assertThrows(HeddleException.class, () -> RuntimeDirectory.requireSocketPath(tooLong));
        assertTrue(
            refusal.getMessage().contains("path=" + tooLong + " lengthBytes=108 must be <= 107"), refusal::getMessage);
    }

    private void assertLiveToOthers(final RuntimeDirectory directory) throws IOException {
        try (OtherJvm other = OwnerChild.start("022", "sweep", path)) {
            assertEquals(List.of(), other.printed());
        }
        assertTrue(names().contains(directory.ownerId() + ".lock"), names()::toString);
    }

    private void assertRefused(final String reason) {
        final AccessRefusedException refusal =
            assertThrows(AccessRefusedException.class, () -> RuntimeDirectory.open(path));
        assertTrue(refusal.getMessage().contains(reason), refusal::getMessage);
        assertTrue(refusal.getMessage().contains("directory=" + path), refusal::getMessage);
        assertThrows(AccessRefusedException.class, () -> RuntimeDirectory.sweep(path, true));
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static String permissions(final Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
