package io.heddle.tests.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;
import org.slf4j.LoggerFactory;

/** Runs small test classes, clean and not, and looks at how they end. */
@Timeout(30)
class HygieneExtensionTest {
    private static final List<Closeable> LEAKS = new ArrayList<>();
    /** Kept reachable, so that the mapping stays. */
    private static MappedByteBuffer mapping;

    @AfterEach
    void closeLeaks() throws IOException {
        for (final Closeable leak : LEAKS) {
            leak.close();
        }
        LEAKS.clear();
        mapping = null;
    }

    @ExtendWith(HygieneExtension.class)
    static class Clean {
        @Test
        void leavesNothing(final TestSeed seed) {
            assertSame(TestSeed.ofThisJvm(), seed);
            LoggerFactory.getLogger(Clean.class).info("nothing to worry about");
        }
    }

    @ExtendWith(HygieneExtension.class)
    static class LogsWarning {
        @Test
        void warns() {
            LoggerFactory.getLogger(LogsWarning.class).warn("something happened value={}", 7);
        }
    }

    @ExtendWith(HygieneExtension.class)
    static class ExpectsWarning {
        @Test
        @ExpectedLog("happened value=\\d")
        @ExpectedLog(value = "seldom", optional = true)
        void warns() {
            LoggerFactory.getLogger(ExpectsWarning.class).warn("something happened value={}", 7);
        }
    }

    @ExtendWith(HygieneExtension.class)
    static class MissesExpectedWarning {
        @Test
        @ExpectedLog("never")
        void isSilent() {
            assertTrue(LEAKS.isEmpty());
        }
    }

    @ExtendWith(HygieneExtension.class)
    static class LeavesThread {
        @Test
        void startsThread() {
            final CountDownLatch end = new CountDownLatch(1);
            final Thread thread = new Thread(() -> awaitQuietly(end), "heddle-forgotten");
            thread.setDaemon(true);
            thread.start();
            LEAKS.add(end::countDown);
        }
    }

    @ExtendWith(HygieneExtension.class)
    static class LeavesFile {
        @Test
        void createsFile() throws IOException {
            final Path file = Files.createFile(HygieneExtension.runtimeDirectory().resolve("forgotten"));
            LEAKS.add(() -> Files.delete(file));
        }
    }

    @ExtendWith(HygieneExtension.class)
    static class LeavesDescriptor {
        @Test
        void opensFile() throws IOException {
            final Path path = HygieneExtension.runtimeDirectory().resolve("unlinked");
            LEAKS.add(new RandomAccessFile(path.toFile(), "rw"));
            Files.delete(path);
        }
    }

    @ExtendWith(HygieneExtension.class)
    static class LeavesMapping {
        @Test
        void mapsFile() throws IOException {
            final Path path = HygieneExtension.runtimeDirectory().resolve("mapped");
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
                file.setLength(4096);
                mapping = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 4096);
            }
            Files.delete(path);
        }
    }

    @ExtendWith(HygieneExtension.class)
    static class FailsByItself {
        @Test
        void fails() {
            LoggerFactory.getLogger(FailsByItself.class).error("not the point");
            throw new IllegalStateException("the point");
        }
    }

    @Test
    void shouldPassCleanTest() {
        run(Clean.class).assertStatistics(s -> s.succeeded(1).failed(0));
    }

    @Test
    void shouldFailTestThatWarns() {
        final String message = messageOfFailed(LogsWarning.class);

        assertTrue(message.contains("something happened value=7"), message);
        assertTrue(message.contains("-Dtests.seed="), message);
    }

    @Test
    void shouldPassTestThatDeclaresItsWarning() {
        run(ExpectsWarning.class).assertStatistics(s -> s.succeeded(1).failed(0));
    }

    @Test
    void shouldFailTestWhoseDeclaredWarningIsMissing() {
        final String message = messageOfFailed(MissesExpectedWarning.class);

        assertTrue(message.contains("expected in the log and not seen: never"), message);
    }

    @Test
    void shouldFailTestThatLeavesThread() {
        final String message = messageOfFailed(LeavesThread.class);

        assertTrue(message.contains("leaked thread: heddle-forgotten"), message);
    }

    @Test
    void shouldFailTestThatLeavesFile() {
        final String message = messageOfFailed(LeavesFile.class);

        assertTrue(message.contains("leaked file: " + HygieneExtension.runtimeDirectory()), message);
    }

    @Test
    void shouldFailTestThatLeavesDescriptor() {
        final String message = messageOfFailed(LeavesDescriptor.class);

        assertTrue(message.contains("leaked descriptor: " + HygieneExtension.runtimeDirectory()), message);
    }

    @Test
    void shouldFailTestThatLeavesMapping() {
        final String message = messageOfFailed(LeavesMapping.class);

        assertTrue(message.contains("leaked mapping: " + HygieneExtension.runtimeDirectory()), message);
    }

    @Test
    void shouldLeaveTestsOwnFailureAlone() {
        assertEquals("the point", messageOfFailed(FailsByItself.class));
    }

    private static Events run(final Class<?> test) {
        return EngineTestKit.engine("junit-jupiter").selectors(selectClass(test))
            .configurationParameter(HygieneExtension.PATIENCE_PARAMETER, "50").execute().testEvents();
    }

    private static String messageOfFailed(final Class<?> test) {
        final List<TestExecutionResult> failed = run(test).finished().failed().stream()
            .map(event -> event.getRequiredPayload(TestExecutionResult.class)).toList();
        assertEquals(1, failed.size());
        return failed.get(0).getThrowable().orElseThrow().getMessage();
    }

    private static void awaitQuietly(final CountDownLatch latch) {
        try {
            latch.await();
        } catch (final InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
