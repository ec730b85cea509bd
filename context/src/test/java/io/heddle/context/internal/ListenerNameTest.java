package io.heddle.context.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.HeddleException;
import io.heddle.context.OwnerChild;
import io.heddle.context.Status;
import io.heddle.context.SweepReport;
import io.heddle.tests.base.OtherJvm;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ListenerNameTest {
    private static final String NAME = OwnerChild.NAME;
    private static final byte[] ADDRESS = {7, 8};

    @TempDir
    private Path parent;
    private Path path;

    @BeforeEach
    void makeDirectory() throws IOException {
        path = parent.toRealPath().resolve("heddle");
        Files.createDirectory(
            path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    @Test
    void shouldBeFoundAsLongAsItIsHeld() throws IOException {
        assertNull(ListenerName.find(path, NAME));
        try (ListenerName name = ListenerName.claim(path, NAME, ADDRESS)) {
            final NameHolder holder = ListenerName.find(path, NAME);
            assertArrayEquals(ADDRESS, holder.address());
            assertEquals(ProcessHandle.current().pid(), holder.pid());
            assertEquals(List.of("name-prices.addr", "name-prices.lock"), names());
            for (final String file : names()) {
                assertEquals("rw-------",
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(path.resolve(file))));
            }
            assertNotNull(name);
        }
        assertNull(ListenerName.find(path, NAME));
        assertEquals(List.of(), names());
    }

    @Test
    void shouldNameTheHolderOfATakenName() throws IOException {
        try (OtherJvm child = OwnerChild.start("022", "name", path)) {
            assertEquals(List.of("claimed"), child.printed());
            final HeddleException taken =
                assertThrows(HeddleException.class, () -> ListenerName.claim(path, NAME, ADDRESS));
            assertEquals(Status.ALREADY_EXISTS, taken.status());
            assertTrue(taken.getMessage().contains("holderPid=" + child.pid() + " "), taken.getMessage());
            assertArrayEquals(new byte[] {1, 2, 3}, ListenerName.find(path, NAME).address());
        }
    }

    @Test
    void shouldBeFreeAtOnceWhenItsHolderWasKilled() throws IOException {
        OwnerChild.start("022", "name", path).close();

        assertEquals(List.of("name-prices.addr", "name-prices.lock"), names());
        assertNull(ListenerName.find(path, NAME));
        try (ListenerName name = ListenerName.claim(path, NAME, ADDRESS)) {
            assertArrayEquals(ADDRESS, ListenerName.find(path, NAME).address());
            assertNotNull(name);
        }
        assertEquals(List.of(), names());
    }

    @Test
    void shouldBeTakenWhileSomebodySweepsItAndFreeAfterwards() throws IOException {
        OwnerChild.start("022", "name", path).close();
        try (OtherJvm sweeper = OwnerChild.start("022", "lock", path.resolve("name-prices.lock"))) {
            assertThrows(HeddleException.class, () -> ListenerName.claim(path, NAME, ADDRESS));
            assertEquals(List.of(), RuntimeDirectory.sweep(path, false).removed());
            assertTrue(sweeper.isAlive());
        }
        ListenerName.claim(path, NAME, ADDRESS).close();
        assertEquals(List.of(), names());
    }

    @Test
    void shouldKeepItsLockWhateverThisJvmDoesWithTheName() throws Exception {
        try (ListenerName name = ListenerName.claim(path, NAME, ADDRESS);
            URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            ListenerName.find(path, NAME);
            assertThrows(HeddleException.class, () -> ListenerName.claim(path, NAME, ADDRESS));
            RuntimeDirectory.sweep(path, false);
            final Class<?> copy = loader.loadClass(ListenerName.class.getName());
            assertNotNull(copy.getMethod("find", Path.class, String.class).invoke(null, path, NAME));
            assertThrows(java.lang.reflect.InvocationTargetException.class, () ->
                copy.getMethod("claim", Path.class, String.class, byte[].class).invoke(null, path, NAME, ADDRESS));
            loader.loadClass(RuntimeDirectory.class.getName()).getMethod("sweep", Path.class, boolean.class)
                .invoke(null, path, false);

            assertOtherProcessFindsItTaken();
            Files.delete(path.resolve("name-prices.addr")); // so that nothing but the open file tells whose it is
            assertThrows(HeddleException.class, () -> ListenerName.claim(path, NAME, ADDRESS));
            assertOtherProcessFindsItTaken();
            assertNotNull(name);
        }
    }

    private void assertOtherProcessFindsItTaken() throws IOException {
        try (OtherJvm child = OwnerChild.start("022", "name", path)) {
            assertTrue(child.printed().get(0).startsWith("ALREADY_EXISTS "), child.printed().get(0));
        }
    }

    @Test
    void shouldBeSweptWhenDeadAndSparedWhenLive() throws IOException {
        OwnerChild.start("022", "name", path).close();
        Files.createFile(path.resolve("name-other~0123.tmp"));
        try (ListenerName mine = ListenerName.claim(path, "mine", ADDRESS)) {
            final SweepReport dry = RuntimeDirectory.sweep(path, true);
            assertEquals(5, names().size(), names()::toString);

            final SweepReport report = RuntimeDirectory.sweep(path, false);

            assertEquals(List.of("name-other~0123.tmp", "name-prices.addr", "name-prices.lock"), report.removed());
            assertEquals(dry.removed(), report.removed());
            assertEquals(List.of("name-mine.addr", "name-mine.lock"), report.kept());
            assertEquals(report.kept(), names());
            assertNotNull(mine);
        }
        try (OtherJvm child = OwnerChild.start("022", "name", path)) {
            assertEquals(List.of(), RuntimeDirectory.sweep(path, false).removed());
            assertTrue(child.isAlive());
            assertNotNull(ListenerName.find(path, NAME));
        }
    }

    @Test
    void shouldGiveANameToOneOfManyWhoWantIt() throws Exception {
        final int threads = 4;
        final int rounds = 25;
        final ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            for (int round = 0; round < rounds; round++) {
                final List<Future<ListenerName>> claims = new ArrayList<>();
                for (int i = 0; i < threads; i++) {
                    claims.add(pool.submit(() -> {
                        try {
                            return ListenerName.claim(path, NAME, ADDRESS);
                        } catch (final HeddleException ex) {
                            assertEquals(Status.ALREADY_EXISTS, ex.status());
                            return null;
                        }
                    }));
                }
                int winners = 0;
                for (final Future<ListenerName> claim : claims) {
                    final ListenerName won = claim.get();
                    if (won != null) {
                        winners++;
                        won.close();
                    }
                }
                assertEquals(0, names().size(), names()::toString);
                assertTrue(winners >= 1);
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void shouldLeaveALaterHoldersFilesAlone() throws IOException {
        final ListenerName first = ListenerName.claim(path, NAME, ADDRESS);
        Files.delete(path.resolve("name-prices.lock"));
        Files.delete(path.resolve("name-prices.addr"));
        try (OtherJvm child = OwnerChild.start("022", "name", path)) {
            assertEquals(List.of("claimed"), child.printed());
            first.close();
            first.close();
            assertEquals(child.pid(), ListenerName.find(path, NAME).pid());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a/b", "..\u0000", "a b", "\u00e9",
        "0123456789012345678901234567890123456789012345678901234567890123x"})
    void shouldRefuseWhatIsNoName(final String name) {
        assertFalse(ListenerName.isValid(name));
        assertEquals(Status.INVALID_PARAM,
            assertThrows(HeddleException.class, () -> ListenerName.claim(path, name, ADDRESS)).status());
        assertThrows(HeddleException.class, () -> ListenerName.find(path, name));
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "..", "a.lock", "a.addr", "-", "_A-z.09"})
    void shouldTakeEveryName(final String text) throws IOException {
        try (ListenerName name = ListenerName.claim(path, text, ADDRESS)) {
            assertNotNull(ListenerName.find(path, text));
            assertEquals(List.of(), RuntimeDirectory.sweep(path, false).removed());
            assertNotNull(name);
        }
        assertEquals(List.of(), names());
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static URL[] classPath() throws MalformedURLException {
        final List<URL> urls = new ArrayList<>();
        for (final String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(new URL[0]);
    }
}
