package io.heddle.tests.benchmarks;

import io.heddle.context.ThreadMode;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A round of progress that finds nothing, by the number of endpoints. Each is connected to the worker itself, so that
 * the worker has two lanes for each. Owed: 256 endpoints ≤ 4 × 1. 4096 of them take 8192 lanes of about 128 KiB in
 * {@code /dev/shm}; leave them out by {@code -p endpoints=1,256} where there is less.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "-Dheddle.thread.checks=off")
@State(Scope.Thread)
public class ProgressBenchmark {
    private static final int SETTLE_ROUNDS = 1 << 20;

    @Param({"SINGLE", "MULTI"})
    private ThreadMode mode;
    @Param({"1", "256", "4096"})
    private int endpoints;
    private WorkerFixture fixture;

    /** Connects all, and lets them fall silent. */
    @Setup(Level.Trial)
    public void connect() throws IOException {
        fixture = new WorkerFixture(mode);
        for (int i = 0; i < endpoints; i++) {
            fixture.connect();
        }
        for (int i = 0; i < SETTLE_ROUNDS; i++) {
            fixture.worker.progress();
        }
    }

    /** Closes the worker and all that is its. */
    @TearDown(Level.Trial)
    public void close() throws IOException {
        fixture.close();
    }

    @Benchmark
    public int silent() {
        return fixture.worker.progress();
    }
}
