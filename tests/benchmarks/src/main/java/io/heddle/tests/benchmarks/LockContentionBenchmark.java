package io.heddle.tests.benchmarks;

import io.heddle.context.internal.WorkerLock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Several threads that want the lock of one MULTI worker: what all of them get done together, and how long one waits.
 * Sampled, so that the tail is seen; the mean is the inverse of the rate times the number of threads.
 */
@BenchmarkMode({Mode.Throughput, Mode.SampleTime})
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "-Dheddle.thread.checks=off")
@State(Scope.Benchmark)
public class LockContentionBenchmark {
    private static final int INSIDE = 20;
    private static final int OUTSIDE = 40;

    private final WorkerLock workerLock = new WorkerLock();
    private final Lock reentrantLock = new ReentrantLock();

    @Benchmark
    @Threads(1)
    public void workerLock1() {
        workerLock();
    }

    @Benchmark
    @Threads(2)
    public void workerLock2() {
        workerLock();
    }

    @Benchmark
    @Threads(4)
    public void workerLock4() {
        workerLock();
    }

    @Benchmark
    @Threads(1)
    public void reentrantLock1() {
        reentrantLock();
    }

    @Benchmark
    @Threads(2)
    public void reentrantLock2() {
        reentrantLock();
    }

    @Benchmark
    @Threads(4)
    public void reentrantLock4() {
        reentrantLock();
    }

    private void workerLock() {
        workerLock.lock();
        try {
            Blackhole.consumeCPU(INSIDE);
        } finally {
            workerLock.unlock();
        }
        Blackhole.consumeCPU(OUTSIDE);
    }

    private void reentrantLock() {
        reentrantLock.lock();
        try {
            Blackhole.consumeCPU(INSIDE);
        } finally {
            reentrantLock.unlock();
        }
        Blackhole.consumeCPU(OUTSIDE);
    }
}
