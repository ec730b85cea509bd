package io.heddle.context.internal;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CountersFile;
import io.heddle.context.OwnerChild;
import io.heddle.context.SweepReport;
import io.heddle.context.SweepReport.Reason;
import io.heddle.tests.base.OtherJvm;
import io.heddle.tests.base.StandsFor;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SweepTest {
    private static final String DEAD = "00000000000000aa";

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
    void shouldRemoveWhatAKilledProcessLeft() throws IOException {
        final String ownerId;
        try (OtherJvm child = OwnerChild.start("022", "own", path)) {
            ownerId = child.printed().get(0);
        }

        final SweepReport report = RuntimeDirectory.sweep(path, false);

        assertEquals(List.of(ownerId + "-1-segment", ownerId + ".lock"), report.removed());
        assertEquals(List.of(ownerId + "-1.counters"), report.kept());
        assertEquals(report.kept(), names());
        assertTrue(report.removedBytes() > "data".length(), report::toString);
        final CountersFile counters = CountersFile.read(path.resolve(ownerId + "-1.counters"));
        assertTrue(
            counters.samples().stream().anyMatch(
                sample -> sample.label().equals("worker.messages.received worker=w-1") && sample.value() == 42),
            () -> counters.samples().toString());
    }

    @Test
    void shouldSayOfEachFileWhyItWentOrStayed() throws IOException {
        try (RuntimeDirectory directory = RuntimeDirectory.open(path)) {
            create(DEAD + "-1-segment", 0);
            create("name-old.lock", 0);
            create("README", 0);
            for (int i = 1; i <= 3; i++) {
                create("00000000000000a" + i + "-1.counters", i * 1_000);
            }

            assertEquals(
                Map.of(DEAD + "-1-segment", Reason.DEAD_OWNER, "name-old.lock", Reason.FREE_NAME,
                    "README", Reason.NOT_HEDDLES, "00000000000000a1-1.counters", Reason.OLDER_COUNTERS,
                    "00000000000000a2-1.counters", Reason.NEWEST_COUNTERS,
                    "00000000000000a3-1.counters", Reason.NEWEST_COUNTERS,
                    directory.ownerId() + ".lock", Reason.LIVE_OWNER),
                RuntimeDirectory.sweep(path, true).files().stream()
                    .collect(Collectors.toMap(SweepReport.Entry::name, SweepReport.Entry::reason)));
        }
    }

    @Test
    void shouldNeverRemoveALiveProcessesFiles() throws IOException {
        try (OtherJvm child = OwnerChild.start("022", "own", path)) {
            final List<String> before = names();
            assertEquals(3, before.size());

            for (int round = 0; round < 3; round++) {
                try (RuntimeDirectory directory = RuntimeDirectory.open(path)) {
                    assertEquals(List.of(), directory.leftovers().removed());
                    assertEquals(before, directory.leftovers().kept());
                }
            }

            assertEquals(before, names());
            assertTrue(before.contains(child.printed().get(0) + ".lock"), before::toString);
        }
    }

    @Test
    void shouldStandProcessesThatComeAndGo() throws IOException {
        try (OtherJvm first = OwnerChild.start("022", "churn", path);
            OtherJvm second = OwnerChild.start("022", "churn", path)) {
            for (int round = 0; round < 50; round++) {
                try (RuntimeDirectory directory = RuntimeDirectory.open(path)) {
                    final Path file = Files.createFile(directory.file("-segment"));
                    for (int look = 0; look < 5; look++) {
                        RuntimeDirectory.sweep(path, false);
                        assertTrue(Files.exists(file), () -> "removed though its owner lives: file=" + file);
                    }
                }
            }
            assertTrue(first.isAlive());
            assertTrue(second.isAlive());
        }

        RuntimeDirectory.sweep(path, false);
        assertEquals(List.of(), names());
    }

    @Test
    void shouldSweepWhenAContextIsOpened() throws IOException {
        create(DEAD + "-1-segment", 0);

        try (RuntimeDirectory directory = RuntimeDirectory.open(path)) {
            assertEquals(List.of(DEAD + "-1-segment"), directory.leftovers().removed());
            assertEquals(List.of(directory.ownerId() + ".lock"), names());
        }
    }

    @Test
    void shouldNotLoseItsOwnLockBySweeping() throws IOException {
        try (RuntimeDirectory directory = RuntimeDirectory.open(path)) {
            assertEquals(List.of(directory.ownerId() + ".lock"), RuntimeDirectory.sweep(path, false).kept());

            try (OtherJvm other = OwnerChild.start("022", "sweep", path)) {
                assertEquals(List.of(), other.printed());
            }
        }
    }

    @Test
    void shouldNotLoseItsOwnLockToAnotherClassLoaderOfThisJvm() throws Exception {
        try (RuntimeDirectory directory = RuntimeDirectory.open(path);
            URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            final Class<?> copy = loader.loadClass(RuntimeDirectory.class.getName());
            try (Foreign second = new Foreign(copy.getMethod("open", Path.class).invoke(null, path))) {
                final Object secondId = copy.getMethod("ownerId").invoke(second.target());
                RuntimeDirectory.sweep(path, false);

                try (OtherJvm other = OwnerChild.start("022", "sweep", path)) {
                    assertEquals(List.of(), other.printed());
                }
                assertEquals(Stream.of(directory.ownerId() + ".lock", secondId + ".lock").sorted().toList(), names());
            }
        }
    }

    @Test
    @StandsFor("6.9/uct.keepalive.ep_check")
    void shouldNotTakeALivingProcessWithTheDeadOnesPidForIt() throws IOException {
        final String text = "pid=" + HostProcess.pid() + "\nstart_ticks=1\nboot_id=" + HostProcess.bootId() + "\n";
        Files.writeString(path.resolve(DEAD + ".lock"), text);
        Files.writeString(path.resolve(DEAD + "-1-segment"), "data");

        assertEquals(List.of(DEAD + "-1-segment", DEAD + ".lock"), RuntimeDirectory.sweep(path, false).removed());
    }

    @Test
    void shouldRemoveALockThatWasNeverFinished() throws IOException {
        create(DEAD + ".tmp", 0);

        assertEquals(List.of(DEAD + ".tmp"), RuntimeDirectory.sweep(path, false).removed());
        assertEquals(List.of(), names());
    }

    @Test
    void shouldSpareALockThatIsBeingMade() throws IOException {
        create(DEAD + ".tmp", 0);
        try (OtherJvm child = OwnerChild.start("022", "lock", path.resolve(DEAD + ".tmp"))) {
            assertEquals(List.of(DEAD + ".tmp"), RuntimeDirectory.sweep(path, false).kept(), child.printed()::toString);
        }

        assertEquals(List.of(DEAD + ".tmp"), RuntimeDirectory.sweep(path, false).removed());
    }

    @Test
    void shouldKeepTheNewestTwoCounterFilesOfTheDead() throws IOException {
        create("00000000000000a1-1.counters", 1_000);
        create("00000000000000a2-1.counters", 4_000);
        create("00000000000000a2-2.counters", 2_000);
        create("00000000000000a3-1.counters", 3_000);

        assertEquals(
            List.of("00000000000000a1-1.counters", "00000000000000a2-2.counters"),
            RuntimeDirectory.sweep(path, false).removed());
        assertEquals(List.of("00000000000000a2-1.counters", "00000000000000a3-1.counters"), names());
    }

    @Test
    void shouldOnlyReportInADryRun() throws IOException {
        Files.writeString(create(DEAD + "-1-segment", 0), "12345");
        create(DEAD + ".lock", 0);

        final SweepReport report = RuntimeDirectory.sweep(path, true);

        assertEquals(List.of(DEAD + "-1-segment", DEAD + ".lock"), report.removed());
        assertEquals(report.removed(), names());
        assertEquals(5, report.removedBytes());
    }

    @Test
    void shouldLeaveAloneWhatIsNotHeddles() throws IOException {
        create("README", 0);
        create("00AA-1", 0);
        Files.createDirectory(path.resolve(DEAD + "-directory"));

        assertEquals(List.of(DEAD + "-directory", "00AA-1", "README"), RuntimeDirectory.sweep(path, false).kept());
        assertEquals(3, names().size());
    }

    @Test
    void shouldRemoveALinkButNotWhatItLeadsTo() throws IOException {
        final Path target = Files.createFile(parent.resolve("target"));
        Files.createSymbolicLink(path.resolve(DEAD + "-link"), target);

        RuntimeDirectory.sweep(path, false);

        assertEquals(List.of(), names());
        assertTrue(Files.exists(target));
    }

    @Test
    void shouldFindNothingInADirectoryThatIsNotThere() {
        final SweepReport report = RuntimeDirectory.sweep(parent.resolve("none"), false);

        assertEquals(new SweepReport(List.of()), report);
        assertFalse(Files.exists(parent.resolve("none")));
    }

    /** A {@link RuntimeDirectory} of another class loader. */
    private record Foreign(Object target) implements AutoCloseable {
        @Override
        public void close() {
            assertDoesNotThrow(() -> target.getClass().getMethod("close").invoke(target));
        }
    }

    private static URL[] classPath() throws MalformedURLException {
        final List<URL> urls = new ArrayList<>();
        for (final String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(new URL[0]);
    }

    private Path create(final String name, final long modifiedMs) throws IOException {
        final Path file = Files.createFile(path.resolve(name));
        Files.setLastModifiedTime(file, FileTime.fromMillis(modifiedMs));
        return file;
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
