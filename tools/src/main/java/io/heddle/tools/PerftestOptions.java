package io.heddle.tools;

import static io.heddle.tools.OptionRules.lower;
import static io.heddle.tools.OptionRules.require;

import io.heddle.context.ThreadMode;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What can be said to {@code heddle perftest}; both sides of a run are given the same. Confined. */
final class PerftestOptions {
    /** From here on a rate is a matter of copying, and called bandwidth. */
    static final int BANDWIDTH_BYTES = 64 * 1024;

    /** What is measured. */
    enum Test {
        /** Round trips, one at a time. */
        AM_LAT,
        /** A stream of messages in one direction. */
        AM_BW
    }

    /** What the receiver's handler does. */
    enum Receive { INLINE, KEEP, TOUCH, POOL }

    /** What a thread does that finds nothing. */
    enum Idle { SPIN, DEFAULT }

    @Option(names = "--test", paramLabel = "am_lat|am_bw", defaultValue = "am_lat",
        description = "am_lat: round trips, each timed; am_bw: a stream, counted by the receiver. Default: "
            + "${DEFAULT-VALUE}.")
    Test test;

    @Option(names = "--size", paramLabel = "SIZES", defaultValue = "8",
        description = "Bytes per message: 8, a list 8,64,1k, or a range 8..64k that doubles. Default: "
            + "${DEFAULT-VALUE}.")
    String size;

    @Option(names = "--mode", paramLabel = "single|serialized|multi", defaultValue = "single",
        description = "Thread mode of the workers on both sides. Default: ${DEFAULT-VALUE}.")
    ThreadMode mode;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "0",
        description = "am_bw: N threads send on one worker, beside a progress thread; in mode serialized under a "
            + "lock of ours. "
            + "Without it one thread a side does all.")
    int threads;

    @Option(names = "--receive", paramLabel = "inline|keep|touch|pool", defaultValue = "inline",
        description = "am_bw: the handler returns at once; keeps the data, which a second thread releases; reads a "
            + "long of every "
            + "cache line in place; or hands the data to a HandlerPool. Default: ${DEFAULT-VALUE}.")
    Receive receive;

    @Option(names = "--idle", paramLabel = "spin|default", defaultValue = "spin",
        description = "Finding nothing, spin; or spin briefly, then arm and sleep unless heddle.wakeup=off. Default: "
            + "${DEFAULT-VALUE}.")
    Idle idle;

    @Option(names = "--pin", paramLabel = "A,B",
        description = "Pin the client's hot threads to processor A, the server's to B.")
    String pin;

    @Option(names = "--warmup", paramLabel = "S", defaultValue = "1.5",
        description = "Seconds before measuring. Default: ${DEFAULT-VALUE}.")
    double warmupSeconds;

    @Option(names = "--seconds", paramLabel = "S", defaultValue = "1.5",
        description = "Seconds to measure. Default: ${DEFAULT-VALUE}.")
    double seconds;

    @Option(names = "--iterations", paramLabel = "N", defaultValue = "0",
        description = "Stop measuring after N operations, if that is sooner.")
    long iterations;

    @Option(names = "--endpoints", paramLabel = "N", defaultValue = "0",
        description = "Have N endpoints on the worker, all but one silent, and report what an idle progress() costs.")
    int endpoints;

    @Option(names = "--json", description = "Print each result as a JSON object.")
    boolean json;

    @Mixin
    final ChildOptions children = new ChildOptions();

    @Option(names = "--page", hidden = true)
    String page;

    /** Throws {@link IllegalArgumentException} for what cannot be run. */
    void validate() {
        SizeRange.parse(size);
        cpu(0);
        cpu(1);
        require(threads >= 0 && threads <= 64, "--threads must be between 1 and 64");
        require(threads == 0 || mode != ThreadMode.SINGLE, "--threads needs --mode serialized or multi");
        require(threads == 0 || test == Test.AM_BW, "--threads needs --test am_bw");
        require(receive == Receive.INLINE || test == Test.AM_BW, "--receive needs --test am_bw");
        require(warmupSeconds >= 0 && warmupSeconds <= 3600, "--warmup must be between 0 and 3600");
        require(seconds > 0 && seconds <= 3600, "--seconds must be above 0 and at most 3600");
        require(iterations >= 0, "--iterations must not be negative");
        require(iterations == 0 || threads == 0, "--iterations cannot be combined with --threads");
        require(endpoints >= 0 && endpoints <= 65536, "--endpoints must be between 1 and 65536");
    }

    /** The processor of the client (0) or the server (1); -1 if threads are not pinned. */
    int cpu(final int side) {
        if (pin == null) {
            return -1;
        }
        require(pin.matches("[0-9]{1,4},[0-9]{1,4}"), "--pin must be two processors such as 0,1");
        return Integer.parseInt(pin.split(",")[side]);
    }

    /** The size of a run that has one. */
    int sizeBytes() {
        return SizeRange.parse(size).get(0);
    }

    /** As the anchors name it. */
    String measured() {
        if (test == Test.AM_LAT) {
            return "latency";
        }
        return sizeBytes() < BANDWIDTH_BYTES ? "rate" : "bandwidth";
    }

    long warmupNs() {
        return (long) (warmupSeconds * 1e9);
    }

    long measureNs() {
        return (long) (seconds * 1e9);
    }

    boolean isSpinning() {
        return idle == Idle.SPIN;
    }

    /** The same options for one side of a run with one size. */
    List<String> toArguments(final int oneSize, final String pageFile) {
        final List<String> arguments = new ArrayList<>(List.of(
            "--test", lower(test), "--size", Integer.toString(oneSize), "--mode", lower(mode),
            "--threads", Integer.toString(threads), "--receive", lower(receive), "--idle", lower(idle),
            "--warmup", Double.toString(warmupSeconds), "--seconds", Double.toString(seconds),
            "--iterations", Long.toString(iterations), "--endpoints", Integer.toString(endpoints), "--page", pageFile));
        if (pin != null) {
            arguments.addAll(List.of("--pin", pin));
        }
        children.addTo(arguments);
        return arguments;
    }
}
