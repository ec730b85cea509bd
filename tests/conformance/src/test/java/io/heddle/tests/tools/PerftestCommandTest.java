package io.heddle.tests.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(150)
class PerftestCommandTest {
    private static final String SHORT = " --warmup 0.1 --seconds 0.1 --jvm -Xms64m"
        + ("debug".equals(System.getProperty("heddle.test.build")) ? " --debug" : "");

    @TempDir
    private Path directory;

    private HeddleProcess perftest(final String arguments) throws IOException, InterruptedException {
        final HeddleProcess perftest = HeddleProcess.run(directory, "perftest " + arguments + SHORT);
        assertEquals(0, perftest.exitCode(), perftest::toString);
        return perftest;
    }

    @ParameterizedTest
    @ValueSource(strings = {"single", "multi"})
    void shouldMeasureRoundTrips(final String mode) throws IOException, InterruptedException {
        final HeddleProcess perftest = perftest("--test am_lat --size 8 --mode " + mode);

        assertTrue(perftest.lastLine().startsWith("peer=heddle mode=latency test=am_lat thread_mode=" + mode),
            perftest::toString);
        for (final String key : List.of("size", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns", "rate_per_s",
            "jdk")) {
            assertTrue(perftest.number(key) > 0, perftest::toString);
        }
        assertTrue(perftest.number("p50_ns") <= perftest.number("max_ns"), perftest::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--size 64k --receive touch", "--size 2k --receive keep", "--size 1k --receive pool",
        "--size 1m", "--size 8 --mode multi --threads 2 --jvm -Dheddle.wakeup=off"})
    void shouldCountWhatTheReceiverGot(final String arguments) throws IOException, InterruptedException {
        final HeddleProcess perftest = perftest("--test am_bw --idle default " + arguments);

        assertTrue(perftest.number("rate_per_s") > 0, perftest::toString);
        assertTrue(perftest.number("alloc_bytes_per_op") >= 0, perftest::toString);
    }

    @Test
    void shouldPrintALinePerSizeInJson() throws IOException, InterruptedException {
        final HeddleProcess perftest = perftest("--test am_bw --idle default --size 8,16 --iterations 1000 --json");

        final List<String> lines = perftest.stdout().lines().toList();
        assertEquals(2, lines.size(), perftest::toString);
        assertTrue(lines.get(0).matches("\\{\"peer\":\"heddle\",\"mode\":\"rate\",.*\"size\":8,.*}"),
            perftest::toString);
        assertTrue(lines.get(1).contains("\"size\":16,"), perftest::toString);
    }

    @Test
    void shouldReportWhatIdleProgressCosts() throws IOException, InterruptedException {
        final HeddleProcess perftest = perftest("--test am_lat --mode serialized --idle default --endpoints 4");

        assertEquals(4, perftest.number("endpoints"));
        assertTrue(perftest.number("progress_ns") > 0, perftest::toString);
    }

    @Test
    void shouldLetTwoProcessesMeetByName() throws IOException, InterruptedException {
        final String name = "test" + ProcessHandle.current().pid();
        final String options = " --test am_lat --idle default --size 8,64" + SHORT;
        try (HeddleProcess server = HeddleProcess.start(directory, "perftest --server " + name + options);
             HeddleProcess client = HeddleProcess.start(directory, "perftest --client " + name + options)) {
            assertEquals(0, client.awaitEnd().exitCode(), client::toString);
            assertEquals(0, server.awaitEnd().exitCode(), server::toString);
            assertEquals(2, client.stdout().lines().count(), client::toString);
        }
    }
}
