package io.heddle.tools;

import org.HdrHistogram.Histogram;

/** The keys of a perftest line: the anchors' keys, with the anchors' meanings. Immutable, no state. */
final class PerfLines {
    private PerfLines() {
    }

    /** A line begun: who, what, how. */
    static ResultLine begin(final PerftestOptions options) {
        final ResultLine line = new ResultLine()
            .put("peer", "heddle")
            .put("mode", options.measured())
            .put("test", OptionRules.lower(options.test))
            .put("thread_mode", OptionRules.lower(options.mode))
            .put("debug", options.children.debug)
            .put("size", options.sizeBytes())
            .put("idle", OptionRules.lower(options.idle));
        if (options.test == PerftestOptions.Test.AM_BW) {
            line.put("receive", OptionRules.lower(options.receive));
        }
        if (options.threads > 0) {
            line.put("threads", options.threads);
        }
        return line;
    }

    /** Round trips; the mean is elapsed time over count, so free of the histogram's rounding. */
    static void latency(final ResultLine line, final Tally tally) {
        final Histogram latency = tally.latency;
        line.put("mean_ns", (double) tally.nanos / Math.max(1, tally.messages), 1)
            .put("min_ns", latency.getMinValue())
            .put("p50_ns", latency.getValueAtPercentile(50))
            .put("p90_ns", latency.getValueAtPercentile(90))
            .put("p99_ns", latency.getValueAtPercentile(99))
            .put("p999_ns", latency.getValueAtPercentile(99.9))
            .put("max_ns", latency.getMaxValue())
            .put("samples", latency.getTotalCount());
    }

    /** MBps is 10^6 payload bytes per second. */
    static void rate(final ResultLine line, final long messages, final int sizeBytes, final long elapsedNs) {
        final double seconds = Math.max(1, elapsedNs) / 1e9;
        line.put("rate_per_s", messages / seconds, 0)
            .put("MBps", messages * (double) sizeBytes / 1e6 / seconds, 1);
    }

    /** Java heap bytes of both JVMs, over all threads, per operation: a round trip, or a message. */
    static void allocation(final ResultLine line, final long bytes, final long operations) {
        line.put("alloc_bytes_per_op", (double) bytes / Math.max(1, operations), 4);
    }

    static ResultLine end(final ResultLine line) {
        return line.put("jdk", Runtime.version().feature());
    }
}
