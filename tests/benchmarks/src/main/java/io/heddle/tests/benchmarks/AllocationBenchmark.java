package io.heddle.tests.benchmarks;

import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.ReceivedData;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
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
 * A message from a worker to itself, sent and received by one thread: to be run with {@code -prof gc}. Owed: {@code
 * gc.alloc.rate.norm} of 0 for all but {@link #retain()}, and 32 for that. 8 bytes go in a slot, 512 through the byte
 * ring, 4096 in a descriptor.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 1, jvmArgsAppend = "-Dheddle.thread.checks=off")
@State(Scope.Thread)
public class AllocationBenchmark {
    private static final int CONSUME = 1;
    private static final int RETAIN_INTO = 2;
    private static final int RETAIN = 3;

    @Param({"SINGLE", "SERIALIZED", "MULTI"})
    private ThreadMode mode;
    @Param({"8", "512", "4096"})
    private int bytes;
    private final UnsafeBuffer data = new UnsafeBuffer(new byte[4096]);
    private final ReceivedData mine = new ReceivedData();
    private ReceivedData kept;
    private long received;
    private WorkerFixture fixture;
    private Endpoint endpoint;

    /** Connects the worker to itself. */
    @Setup(Level.Trial)
    public void connect() throws IOException {
        fixture = new WorkerFixture(mode);
        fixture.worker.onActiveMessage(CONSUME, message -> received += message.data().getLong(0));
        fixture.worker.onActiveMessage(RETAIN_INTO, message -> message.retainInto(mine));
        fixture.worker.onActiveMessage(RETAIN, message -> kept = message.retain());
        endpoint = fixture.connect();
    }

    /** Closes the worker. */
    @TearDown(Level.Trial)
    public void close() throws IOException {
        fixture.close();
    }

    @Benchmark
    public long sendAndConsume() {
        while (!endpoint.sendActiveMessage(CONSUME, null, data, 0, bytes).isDone()) {
            fixture.worker.progress();
        }
        fixture.worker.progress();
        return received;
    }

    @Benchmark
    public long trySendAndConsume() {
        trySend(CONSUME);
        return received;
    }

    @Benchmark
    public ReceivedData retainInto() {
        trySend(RETAIN_INTO);
        if (mine.isHeld()) {
            mine.releaseAsync();
        }
        return mine;
    }

    @Benchmark
    public ReceivedData retain() {
        trySend(RETAIN);
        final ReceivedData handle = kept;
        if (handle != null) {
            kept = null;
            handle.release();
        }
        return handle;
    }

    private void trySend(final int id) {
        while (endpoint.trySendActiveMessage(id, null, data, 0, bytes) == Status.NO_RESOURCE) {
            fixture.worker.progress();
        }
        fixture.worker.progress();
    }
}
