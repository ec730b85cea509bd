package io.heddle.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(10)
class PerfLinesTest {
    private static PerftestOptions options(final String... arguments) {
        final PerftestOptions options = new PerftestOptions();
        new CommandLine(options).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        options.validate();
        return options;
    }

    @Test
    void shouldPrintLatencyWithTheKeysOfTheAnchors() {
        final Tally tally = new Tally();
        for (int i = 1; i <= 1000; i++) {
            Tally.record(tally.latency, i);
        }
        tally.messages = 1000;
        tally.nanos = 600_000;
        final ResultLine line = PerfLines.begin(options("--size", "8"));
        PerfLines.latency(line, tally);
        PerfLines.rate(line, tally.messages, 8, tally.nanos);
        PerfLines.allocation(line, 5, 1000);

        assertEquals("peer=heddle mode=latency test=am_lat thread_mode=single debug=false size=8 idle=spin "
            + "mean_ns=600.0 min_ns=1 p50_ns=500 p90_ns=900 p99_ns=990 p999_ns=999 max_ns=1000 samples=1000 "
            + "rate_per_s=1666667 MBps=13.3 alloc_bytes_per_op=0.0050 jdk=" + Runtime.version().feature(),
            PerfLines.end(line).toString());
    }

    @Test
    void shouldCallAStreamOfSmallMessagesARate() {
        final ResultLine line = PerfLines.begin(options("--test", "am_bw", "--size", "1k", "--receive", "touch"));
        PerfLines.rate(line, 2_000_000, 1024, 1_000_000_000);

        assertEquals("peer=heddle mode=rate test=am_bw thread_mode=single debug=false size=1024 idle=spin "
            + "receive=touch rate_per_s=2000000 MBps=2048.0", line.toString());
    }

    @Test
    void shouldCallAStreamOfLargeMessagesBandwidth() {
        final ResultLine line =
            PerfLines.begin(options("--test", "am_bw", "--size", "64k", "--mode", "multi", "--threads", "2"));

        assertEquals("peer=heddle mode=bandwidth test=am_bw thread_mode=multi debug=false size=65536 idle=spin "
            + "receive=inline threads=2", line.toString());
    }

    @Test
    void shouldGiveBothSidesTheSameOptions() {
        final PerftestOptions options = options("--test", "am_bw", "--size", "8,16", "--mode", "multi",
            "--threads", "2", "--receive", "pool", "--idle", "default", "--pin", "0,1", "--warmup", "0.5", "--seconds",
            "2",
            "--debug", "--endpoints", "3");
        final PerftestOptions child = options(options.toArguments(16, "/page").toArray(String[]::new));

        assertEquals(options.toArguments(16, "/page"), child.toArguments(16, child.page));
        assertEquals(16, child.sizeBytes());
    }

    @Test
    void shouldCountLatenciesBeyondTheRangeAsTheLongest() {
        final Tally tally = new Tally();
        Tally.record(tally.latency, Long.MAX_VALUE);
        Tally.record(tally.latency, -1);

        assertEquals(2, tally.latency.getTotalCount());
        assertEquals(0, tally.latency.getMinValue());
    }
}
