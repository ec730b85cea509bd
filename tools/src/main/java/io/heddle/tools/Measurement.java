package io.heddle.tools;

import java.util.EnumMap;
import java.util.Map;

/**
 * A load run for the time asked: warm-up, then slices of 100 ms with a probe of the cores' placement between them. A
 * slice counts only if it began and ended in one placement; measuring goes on until there are enough slices in {@link
 * Placement#CCX}, at most four times as long as asked, and where there is none, the placement that had most is
 * reported. A receiver that sleeps cannot answer probes: then the whole window is one slice. Confined.
 */
final class Measurement {
    private static final long SLICE_NS = 100_000_000L;
    private static final int MAX_STRETCH = 4;

    private final PerftestOptions options;
    private final ControlPage page;
    private final Load load;
    private final boolean probing;
    private final Tally slice = new Tally();
    private final Map<Placement, Tally> tallies = new EnumMap<>(Placement.class);
    private int slices;
    private long allocatedBytes;

    Measurement(final PerftestOptions options, final ControlPage page, final Load load) {
        this.options = options;
        this.page = page;
        this.load = load;
        this.probing = options.isSpinning();
        for (final Placement placement : Placement.values()) {
            tallies.put(placement, new Tally());
        }
    }

    void run() {
        warmUp();
        load.budget(options.iterations == 0 ? Long.MAX_VALUE : options.iterations);
        page.beginMeter();
        if (probing) {
            measureSlices();
        } else {
            one(System.nanoTime() + options.measureNs());
            tallies.get(Placement.CCX).add(slice);
        }
        allocatedBytes = page.endMeter();
    }

    /** The same code, sliced and probed as in the measured part, so that the compiler sees it all. */
    private void warmUp() {
        page.beginMeter();
        final long start = System.nanoTime();
        while (System.nanoTime() - start < options.warmupNs()) {
            one(Math.min(System.nanoTime() + SLICE_NS, start + options.warmupNs()));
            tallies.get(probing ? page.probe() : Placement.CCX).add(slice);
            shown();
        }
        page.endMeter();
        tallies.values().forEach(Tally::reset);
        slices = 0;
    }

    private void measureSlices() {
        final long start = System.nanoTime();
        Placement before = page.probe();
        while (true) {
            one(System.nanoTime() + Math.min(SLICE_NS, options.measureNs()));
            final Placement after = page.probe();
            if (after == before || load.isExhausted()) {
                tallies.get(after).add(slice);
            }
            before = after;
            final boolean enough = tallies.get(Placement.CCX).nanos >= options.measureNs();
            final boolean late = System.nanoTime() - start > MAX_STRETCH * options.measureNs() && shown() != null;
            if (enough || late || load.isExhausted()) {
                return;
            }
        }
    }

    private void one(final long untilNs) {
        slice.reset();
        load.run(slice, untilNs);
        slices++;
    }

    private Placement shown() {
        if (tallies.get(Placement.CCX).slices > 0) {
            return Placement.CCX;
        }
        Placement most = null;
        for (final Map.Entry<Placement, Tally> entry : tallies.entrySet()) {
            if (entry.getValue().slices > 0 && (most == null || entry.getValue().nanos > tallies.get(most).nanos)) {
                most = entry.getKey();
            }
        }
        return most;
    }

    /** Adds what was measured to the line, with the keys that the anchors use. */
    void report(final ResultLine line) {
        final Placement placement = shown();
        final Tally tally = tallies.get(placement);
        if (probing) {
            addOthers(line, placement);
            line.put("placement", placement.toString()).put("slices", tally.slices + "/" + slices);
        }
        if (options.test == PerftestOptions.Test.AM_LAT) {
            PerfLines.latency(line, tally);
        }
        PerfLines.rate(line, tally.messages, options.sizeBytes(), tally.nanos);
        PerfLines.allocation(line, allocatedBytes, load.operations());
    }

    private void addOthers(final ResultLine line, final Placement placement) {
        for (final Map.Entry<Placement, Tally> entry : tallies.entrySet()) {
            final Tally other = entry.getValue();
            if (entry.getKey() == placement || other.slices == 0) {
                continue;
            }
            if (options.test == PerftestOptions.Test.AM_LAT) {
                line.put(entry.getKey() + "_p50_ns", other.latency.getValueAtPercentile(50));
            } else {
                line.put(entry.getKey() + "_rate_per_s", other.messages * 1e9 / other.nanos, 0);
            }
        }
    }
}
