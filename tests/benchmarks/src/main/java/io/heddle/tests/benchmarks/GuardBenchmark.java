package io.heddle.tests.benchmarks;

import io.heddle.context.ThreadMode;
import io.heddle.context.internal.DispatchToken;
import io.heddle.context.internal.LoggingViolationListener;
import io.heddle.context.internal.Operation;
import io.heddle.context.internal.ThreadGuard;
import io.heddle.context.internal.WorkerLock;
import java.util.concurrent.TimeUnit;
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
 * What a thread mode costs per guarded call, around a step of some ten nanoseconds. {@code checked…} run in a fork with
 * {@code heddle.thread.checks=assert}, all others without checks. Owed: serialized and single without checks ≤ 1.03 ×
 * unguarded.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 3, jvmArgsAppend = "-Dheddle.thread.checks=off")
@State(Scope.Thread)
public class GuardBenchmark {
    private static final int STEP_LENGTH = 10;

    private final ThreadGuard single = guard(ThreadMode.SINGLE);
    private final ThreadGuard serialized = guard(ThreadMode.SERIALIZED);
    private final ThreadGuard multi = guard(ThreadMode.MULTI);
    private final WorkerLock workerLock = new WorkerLock();
    private final ReentrantLock reentrantLock = new ReentrantLock();
    private final DispatchToken token = new DispatchToken("benchmark");
    private final long[] lane = new long[64];
    private int position;

    /** The yardstick: the step alone. */
    @Benchmark
    public long unguarded() {
        return step();
    }

    @Benchmark
    public long single() {
        return guarded(single);
    }

    @Benchmark
    public long serialized() {
        return guarded(serialized);
    }

    @Benchmark
    public long multi() {
        return guarded(multi);
    }

    @Benchmark
    @Fork(value = 3, jvmArgsAppend = "-Dheddle.thread.checks=assert")
    public long checkedSingle() {
        return guarded(single);
    }

    @Benchmark
    @Fork(value = 3, jvmArgsAppend = "-Dheddle.thread.checks=assert")
    public long checkedSerialized() {
        return guarded(serialized);
    }

    @Benchmark
    @Fork(value = 3, jvmArgsAppend = "-Dheddle.thread.checks=assert")
    public long checkedMulti() {
        return guarded(multi);
    }

    /** The worker lock alone, nobody else about. */
    @Benchmark
    public long workerLock() {
        workerLock.lock();
        try {
            return step();
        } finally {
            workerLock.unlock();
        }
    }

    /** What the JDK's lock takes for the same. */
    @Benchmark
    public long reentrantLock() {
        reentrantLock.lock();
        try {
            return step();
        } finally {
            reentrantLock.unlock();
        }
    }

    /** A round of dispatch with one callback: always on, in every mode. */
    @Benchmark
    public long token() {
        token.checkNotInCallback(Operation.PROGRESS);
        if (!token.tryAcquire()) {
            return -1;
        }
        try {
            token.enterCallback();
            try {
                return step();
            } finally {
                token.exitCallback();
            }
        } finally {
            token.release();
        }
    }

    /** The always-on refusal of progress inside a callback, alone. */
    @Benchmark
    public long callbackCheck() {
        token.checkNotInCallback(Operation.PROGRESS);
        return step();
    }

    private long guarded(final ThreadGuard guard) {
        guard.enter(Operation.SEND);
        try {
            return step();
        } finally {
            guard.exit(Operation.SEND);
        }
    }

    /** As long as the shortest guarded call, a send of 8 bytes: ten multiplications, each of what the last gave. */
    private long step() {
        final int now = position;
        position = now + 1;
        long sum = lane[now & 63];
        for (int i = 0; i < STEP_LENGTH; i++) {
            sum = sum * 31 + now;
        }
        lane[now + 1 & 63] = sum;
        return sum;
    }

    private static ThreadGuard guard(final ThreadMode mode) {
        return new ThreadGuard("benchmark", mode, System::nanoTime, new LoggingViolationListener(GuardBenchmark::fail));
    }

    private static void fail(final Throwable violation) {
        throw new IllegalStateException("a benchmark broke its own rule", violation);
    }
}
