package io.heddle.tools;

import java.util.ArrayList;
import java.util.List;

/** The demo's verdict on a stream that came to its end, from what both children said at theirs. Immutable. */
final class DemoReport {
    private final DemoOptions options;
    private final ResultLine consumer;
    private final ResultLine producer;

    DemoReport(final DemoOptions options, final ResultLine consumer, final ResultLine producer) {
        this.options = options;
        this.consumer = consumer;
        this.producer = producer;
    }

    /** The last line on stdout; scripts depend on its keys. */
    String line() {
        final long bytes = consumer.number("bytes");
        final double seconds = Math.max(1, consumer.number("elapsed_ns")) / 1e9;
        return "demo " + new ResultLine()
            .put("thread_mode", OptionRules.lower(options.mode))
            .put("debug", options.children.debug)
            .put("release", OptionRules.lower(options.release))
            .put("bytes", bytes)
            .put("messages", consumer.number("messages"))
            .put("seconds", seconds, 3)
            .put("MBps", bytes / 1e6 / seconds, 1)
            .put("crc_ok", isRight())
            .put("released_elsewhere", consumer.number("released_elsewhere"))
            .put("in_use", sum("in_use"))
            .put("leaks", sum("leaks"))
            .put("violations", sum("violations"));
    }

    /** Every chunk came, none was wrong, and the whole has the CRC of the producer's own read. */
    boolean isRight() {
        final long fileBytes = producer.number("file_bytes");
        final int expected = Crc32cCombiner.repeat((int) producer.number("file_crc"), fileBytes, options.repeat);
        return consumer.number("wrong") == 0
            && consumer.number("bytes") == fileBytes * options.repeat
            && (int) consumer.number("crc") == expected;
    }

    private long sum(final String key) {
        return consumer.number(key) + producer.number(key);
    }

    int exitCode() {
        if (!isRight()) {
            return ExitCode.FAILED;
        }
        if (sum("violations") > 0) {
            return ExitCode.VIOLATION;
        }
        return sum("in_use") + sum("leaks") + sum("refused") + sum("dropped") > 0 ? ExitCode.AUDIT : ExitCode.RIGHT;
    }

    /** A line for each thing that is not as it should be; none if all is well. */
    List<String> findings() {
        final List<String> lines = new ArrayList<>();
        add(lines, consumer.number("wrong"), "chunks with wrong bytes, or in the wrong place, or twice");
        add(lines, sum("in_use"), "received elements still held at the end");
        add(lines, sum("leaks"), "elements not returned to their pool when the worker closed");
        add(lines, sum("refused"), "releases refused: the element was not held, or no longer by that handle");
        add(lines, sum("dropped"), "messages dropped for want of a handler");
        add(lines, sum("violations"),
            "calls that the thread mode forbids, caught; each was refused before it changed anything");
        if (!isRight()) {
            lines.add("audit: what was received is not the file");
        }
        return lines;
    }

    private static void add(final List<String> lines, final long count, final String what) {
        if (count > 0) {
            lines.add("audit: " + count + " " + what);
        }
    }
}
