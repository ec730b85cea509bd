package io.heddle.tools;

import org.HdrHistogram.Histogram;

/**
 * What one slice of a measurement, or all slices of one placement, add up to. Allocates nothing once made. Confined.
 */
final class Tally {
    /** The longest latency told apart; longer ones count as this. */
    static final long LONGEST_NS = 60_000_000_000L;
    private static final int DIGITS = 3;

    /** Nanoseconds. */
    final Histogram latency = newHistogram();
    long messages;
    long nanos;
    int slices;

    /** Of a fixed range, so that recording never allocates. */
    static Histogram newHistogram() {
        return new Histogram(1, LONGEST_NS, DIGITS);
    }

    static void record(final Histogram histogram, final long ns) {
        histogram.recordValue(Math.max(0, Math.min(ns, LONGEST_NS)));
    }

    void reset() {
        latency.reset();
        messages = 0;
        nanos = 0;
        slices = 0;
    }

    void add(final Tally slice) {
        latency.add(slice.latency);
        messages += slice.messages;
        nanos += slice.nanos;
        slices++;
    }
}
