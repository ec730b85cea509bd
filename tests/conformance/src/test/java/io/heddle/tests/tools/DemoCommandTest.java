package io.heddle.tests.tools;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.agrona.IoUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(150)
class DemoCommandTest {
    private static final int FILE_BYTES = (1 << 20) + 12_345;
    private static final long SEED = 7;
    private static final String DEBUG =
        "debug".equals(System.getProperty("heddle.test.build")) ? " --debug" : "";

    @TempDir
    private Path directory;
    private Path file;

    @BeforeEach
    void aFile() throws IOException {
        final byte[] bytes = new byte[FILE_BYTES];
        new Random(SEED).nextBytes(bytes);
        file = Files.write(directory.resolve("file"), bytes);
    }

    private HeddleProcess demo(final String arguments) throws IOException, InterruptedException {
        return HeddleProcess.run(directory, "demo --file " + file + " " + arguments);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--mode multi", "--mode single", "--mode serialized", "--mode single --release async",
        "--mode serialized --release async"})
    void shouldStreamAFileRightInEveryMode(final String arguments) throws IOException, InterruptedException {
        final HeddleProcess demo = demo(arguments + DEBUG);

        assertEquals(0, demo.exitCode(), demo::toString);
        assertTrue(demo.lastLine().matches("demo thread_mode=[a-z]+ debug=(true|false) release=(direct|async) bytes="
            + FILE_BYTES + " messages=17 seconds=[0-9.]+ MBps=[0-9.]+ crc_ok=true "
            + "released_elsewhere=[0-9]+ in_use=0 leaks=0 violations=0"),
            demo::toString);
        assertEquals(arguments.equals("--mode single") ? 0 : 17, demo.number("released_elsewhere"), demo::toString);
        assertFalse(demo.stderr().contains("WARN") || demo.stderr().contains("ERROR"), demo::toString);
    }

    @Test
    @Tag("debug-only")
    void shouldCatchMisuseAndSayWhatToDo() throws IOException, InterruptedException {
        final HeddleProcess demo = demo("--mode serialized --misuse --debug --chunk 4k --repeat 20");

        assertEquals(3, demo.exitCode(), demo::toString);
        assertTrue(demo.number("violations") >= 1, demo::toString);
        assertTrue(demo.lastLine().contains(" crc_ok=true "), demo::toString);
        for (final String word : List.of("demo-consumer", "SERIALIZED", "MULTI", "releaseAsync", "progress")) {
            assertTrue(demo.stderr().contains(word), () -> word + " is missing: " + demo);
        }
        assertEquals(1, demo.stderr().lines().filter(line -> line.startsWith("thread mode violation")).count(),
            () -> "told once: " + demo);
    }

    @Test
    @Tag("release-only")
    void shouldNeverPassAWrongByteWhenMisusedUnchecked() throws IOException, InterruptedException {
        final HeddleProcess demo = demo("--mode serialized --misuse --chunk 4k --repeat 20");

        assertTrue(demo.exitCode() == 0 || demo.exitCode() == 4, demo::toString);
        assertTrue(demo.lastLine().contains(" crc_ok=true "), demo::toString);
    }

    @Test
    void shouldEndItsChildrenWhenItIsKilled() throws IOException {
        try (HeddleProcess demo = HeddleProcess.start(directory, "demo --file " + file + " --repeat 100000")) {
            await("two children").atMost(Duration.ofSeconds(30)).until(() -> demo.handle().children().count() == 2);
            final List<ProcessHandle> children = demo.handle().children().toList();
            demo.handle().destroyForcibly();

            await("children gone").atMost(Duration.ofSeconds(30))
                .until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo-producer", "demo-consumer"})
    void shouldReportAKilledSideAndLeaveNothingBehind(final String killed) throws IOException, InterruptedException {
        final Path runtime = Files.createTempDirectory(Path.of("/dev/shm"), "hd-demo");
        final Pattern streaming = Pattern.compile("demo: \\d+% \\([1-9]");
        try (HeddleProcess demo =
            HeddleProcess.startIn(runtime, directory, "demo --file " + file + " --repeat 1000000")) {
            await("stream").atMost(Duration.ofSeconds(60)).until(() -> streaming.matcher(demo.stderr()).find());
            demo.child(killed).orElseThrow(() -> new AssertionError(killed + " is missing: " + demo))
                .destroyForcibly();
            final long killedNs = System.nanoTime();
            demo.awaitEnd();
            System.out.println("measured: " + killed + " killed, demo ended after_ms="
                + Duration.ofNanos(System.nanoTime() - killedNs).toMillis());

            assertEquals(1, demo.exitCode(), demo::toString);
            assertTrue(demo.stderr().contains("CONNECTION_RESET"), demo::toString);
            assertTrue(demo.stderr().contains("the " + killed + " process ended too early"), demo::toString);
            try (Stream<Path> left = Files.list(runtime)) {
                final List<String> names = left.map(Path::toString).toList();
                assertTrue(names.size() <= 2 && names.stream().allMatch(name -> name.endsWith(".counters")),
                    names::toString);
            }
        } finally {
            IoUtil.delete(runtime.toFile(), true);
        }
    }
}
