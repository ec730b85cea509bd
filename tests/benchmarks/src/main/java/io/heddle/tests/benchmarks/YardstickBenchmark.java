package io.heddle.tests.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the machine itself charges: the figures that a guard, a lock or a clock read of Heddle are compared with.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class YardstickBenchmark {
    private final AtomicLong word = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private long count;

    /** One read of the monotonic clock. */
    @Benchmark
    public long nanoTime() {
        return System.nanoTime();
    }

    /** Taking and leaving an uncontended word: one compare-and-exchange, one release store. */
    @Benchmark
    public long compareAndExchange() {
        final long witness = word.compareAndExchange(0, 1);
        word.setRelease(0);
        return witness;
    }

    /** An uncontended {@link ReentrantLock} around one increment. */
    @Benchmark
    public long reentrantLock() {
        lock.lock();
        try {
            return ++count;
        } finally {
            lock.unlock();
        }
    }
}
