package io.heddle.tests.base;

import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The seed of everything random in this test JVM: {@code -Dtests.seed=…} (decimal, or hexadecimal after {@code 0x}), or
 * one drawn at start. {@link HygieneExtension} prints it and hands it to test methods that have it as a parameter.
 * Immutable.
 */
public final class TestSeed {
    /** Name of the system property. */
    public static final String PROPERTY = "tests.seed";

    private static final TestSeed OF_THIS_JVM = parse(System.getProperty(PROPERTY));

    private final long value;

    private TestSeed(final long value) {
        this.value = value;
    }

    /** The seed of this JVM, the same at every call. */
    public static TestSeed ofThisJvm() {
        return OF_THIS_JVM;
    }

    /** The number. */
    public long value() {
        return value;
    }

    /** A new generator, the same sequence at every call. Each thread takes its own, by {@link #random(long)}. */
    public Random random() {
        return random(0);
    }

    /** A new generator for stream {@code stream} of this seed, such as a thread's number. */
    public Random random(final long stream) {
        return new Random(value + stream * 0x9E3779B97F4A7C15L);
    }

    /** How to run with this seed again. */
    @Override
    public String toString() {
        return "-D" + PROPERTY + "=" + value;
    }

    static TestSeed parse(final String text) {
        if (text == null || text.isBlank()) {
            return new TestSeed(ThreadLocalRandom.current().nextLong());
        }
        return new TestSeed(Long.decode(text.strip()));
    }
}
