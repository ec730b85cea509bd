package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Context;
import io.heddle.context.DescriptorStateException;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.Claim;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One round of {@link ClosingStormTest}: a worker with an endpoint to a peer that sends everything back, threads that
 * use both in every way that the mode allows them, and the closing of all of it in any order meanwhile. Thread safe as
 * far as the mode is.
 */
final class StormStage {
    static final int ID = 7;
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int[] SIZES = {8, 700, 5_000, 40_000};
    private static final int MOST_KEPT = 64;

    private final Context context;
    private final Worker worker;
    private final Endpoint endpoint;
    private final boolean isForeignAllowed;
    private final boolean isContextClosed;
    private final Queue<ReceivedData> kept = new ConcurrentLinkedQueue<>();
    private final AtomicInteger keptCount = new AtomicInteger();
    private final Queue<Throwable> problems;
    private volatile boolean endpointClosed;
    private volatile boolean workerClosed;
    /** Set when everything is closed: the threads leave. */
    private volatile boolean over;

    StormStage(final Context context, final ThreadMode mode, final WorkerAddress peer, final boolean isContextClosed,
        final Queue<Throwable> problems) {
        this.context = context;
        this.isContextClosed = isContextClosed;
        this.problems = problems;
        isForeignAllowed = mode == ThreadMode.MULTI;
        worker = Worker.create(context, mode, "storm");
        worker.onError((w, connection, status, error) -> problems.add(error));
        worker.onActiveMessage(ID, this::onMessage);
        endpoint = Endpoint.create(worker, peer);
    }

    boolean isOver() {
        return over;
    }

    private void onMessage(final ActiveMessage message) {
        if (endpointClosed || workerClosed) {
            problems.add(new AssertionError("a message after the close had returned"));
        }
        check(message.data());
        if (keptCount.get() < MOST_KEPT) {
            keptCount.incrementAndGet();
            kept.add(message.retain());
        }
    }

    private void check(final DirectBuffer data) {
        final byte first = data.getByte(0);
        if (data.getByte(data.capacity() / 2) != first || data.getByte(data.capacity() - 1) != first) {
            problems.add(new AssertionError("wrong bytes: lengthBytes=" + data.capacity()));
        }
    }

    static UnsafeBuffer payload(final Random random) {
        final UnsafeBuffer data = new UnsafeBuffer(new byte[SIZES[random.nextInt(SIZES.length)]]);
        data.setMemory(0, data.capacity(), (byte) random.nextInt());
        return data;
    }

    // ---- what the threads do

    /** One call: anything by whom the mode allows to use the worker, else what is for any thread. */
    void use(final boolean isUser, final Random random) {
        try {
            if ((isUser || isForeignAllowed) && random.nextBoolean()) {
                useWorker(random);
            } else {
                useFromAnywhere(random);
            }
        } catch (final HeddleException | IndexOutOfBoundsException ex) {
            return; // closed, or let go by another
        } catch (final Throwable ex) {
            problems.add(ex);
        }
    }

    private void useWorker(final Random random) {
        final DirectBuffer data = payload(random);
        switch (random.nextInt(8)) {
            case 0 -> endpoint.sendActiveMessage(ID, null, data, 0, data.capacity());
            case 1 -> endpoint.trySendActiveMessage(ID, null, data, 0, data.capacity());
            case 2 -> claim(random, data);
            case 3 -> {
                final ReceivedData one = take();
                if (one != null) {
                    check(one.data());
                    one.release();
                }
            }
            case 4 -> {
                final Request flushed = random.nextBoolean() ? endpoint.flush() : worker.flush();
                flushed.cancel();
            }
            case 5 -> worker.arm();
            default -> worker.progress();
        }
    }

    private void claim(final Random random, final DirectBuffer data) {
        final Claim claim = new Claim();
        final int bytes = Math.min(data.capacity(), endpoint.maxClaimBytes());
        if (endpoint.tryClaim(ID, bytes, claim) == Status.OK) {
            try {
                claim.putBytes(0, data, 0, bytes);
            } finally {
                if (random.nextBoolean()) {
                    claim.commit();
                } else {
                    claim.abort();
                }
            }
        }
    }

    private void useFromAnywhere(final Random random) {
        switch (random.nextInt(6)) {
            case 0 -> worker.await(Duration.ofNanos(10_000));
            case 1 -> worker.signal();
            case 2 -> worker.statistics();
            case 3 -> worker.describe();
            case 4 -> endpoint.describe();
            default -> {
                final ReceivedData one = take();
                if (one != null) {
                    check(one.data());
                    one.close();
                }
            }
        }
    }

    private ReceivedData take() {
        final ReceivedData one = kept.poll();
        if (one != null) {
            keptCount.decrementAndGet();
        }
        return one;
    }

    // ---- the closing

    /** Closes descriptors, endpoint, worker, and maybe the context, in an order of chance; each perhaps twice. */
    void closeAll(final Random random, final Runnable before) {
        try {
            before.run();
            final List<Runnable> steps = new ArrayList<>(List.of(this::closeKept, () -> closeEndpoint(random),
                () -> closeWorker(random)));
            if (isContextClosed) {
                steps.add(() -> closeContext(random));
            }
            Collections.shuffle(steps, random);
            steps.forEach(Runnable::run);
        } finally {
            over = true;
        }
    }

    /** What another thread closes at the same time, where the mode allows it. */
    void closeToo(final Random random) {
        if (random.nextBoolean()) {
            closeEndpoint(random);
        } else {
            closeWorker(random);
        }
    }

    private void closeKept() {
        for (ReceivedData one = take(); one != null; one = take()) {
            try {
                check(one.data());
                one.close();
            } catch (final DescriptorStateException ex) {
                return; // another thread was quicker
            }
        }
    }

    private void closeEndpoint(final Random random) {
        inTime(endpoint.close(mode(random), LIMIT));
        endpointClosed = true;
    }

    private void closeWorker(final Random random) {
        inTime(worker.close(mode(random), LIMIT));
        workerClosed = true;
        if (!worker.isClosed()) {
            problems.add(new AssertionError("not closed"));
        }
    }

    private void closeContext(final Random random) {
        inTime(context.close(mode(random), LIMIT));
        workerClosed = true;
    }

    private static CloseMode mode(final Random random) {
        return random.nextBoolean() ? CloseMode.FLUSH : CloseMode.FORCE;
    }

    private static void inTime(final CloseReport report) {
        assertFalse(report.isTimedOut(), "a close took too long");
    }

    /** When every thread has left: nothing is kept any more, and whatever was comes home. */
    void assertEmpty() {
        closeKept();
        final long inUse = worker.statistics().poolInUse();
        if (inUse != 0) {
            problems.add(new AssertionError("still in use: elements=" + inUse));
        }
    }
}
