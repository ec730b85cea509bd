package io.heddle.tests.faults;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A worker that falls asleep after every message, and a sender that sends the next one 0 to 5 µs after it was seen: in
 * the very moment of arming. The sender waits for each message to be handled, so that a lost wake-up shows as time.
 *
 * <p>Confined to the sender's thread, but for the receiver's thread, which it starts and ends.
 */
final class ArmRace {
    private static final long HANG_NS = TimeUnit.SECONDS.toNanos(10);
    private static final Duration LONG = Duration.ofNanos(2 * HANG_NS);
    private static final int MOST_DELAY_NS = 5_000;
    private static final int SPINS = 200;

    private final ContextConfig config;
    private final boolean isSelecting;
    private final SplittableRandom random;
    private final CompletableFuture<Worker> receiver = new CompletableFuture<>();
    private volatile boolean running = true;
    private volatile Throwable failure;
    /** Written by the receiver's thread. */
    private volatile long received;
    private long longestNs;
    private long overTenMs;
    private long overFiftyMs;

    /** @param isSelecting whether the receiver sleeps in a selector, where nothing looks now and then. */
    ArmRace(final ContextConfig config, final boolean isSelecting, final long seed) {
        this.config = config;
        this.isSelecting = isSelecting;
        random = new SplittableRandom(seed);
    }

    /** {@code directory select|await slots rounds seed}; ends with 1 if a round took more than 50 ms. */
    public static void main(final String[] arguments) throws Exception {
        final ContextConfig config = new ContextConfig().directory(Path.of(arguments[0]))
            .ringSlots(Integer.parseInt(arguments[2]));
        final ArmRace race = new ArmRace(config, "select".equals(arguments[1]), Long.parseLong(arguments[4]));
        final long start = System.nanoTime();
        final long rounds = race.run(Long.parseLong(arguments[3]), Long.MAX_VALUE);
        System.out.println(race + " rounds=" + rounds + " ns_per_round=" + (System.nanoTime() - start) / rounds);
        System.exit(race.overFiftyMs == 0 ? 0 : 1);
    }

    /** How many rounds there were; at most so many, and no new one after that time. Fails after 10 s in one. */
    long run(final long mostRounds, final long mostNs) throws Exception {
        final Thread thread = new Thread(this::receive, "arm-race-receiver");
        thread.start();
        long round = 0;
        try (Context context = Context.create(config);
             Worker worker = Worker.create(context, ThreadMode.SINGLE, "sender")) {
            final WorkerAddress there = receiver.get(HANG_NS, TimeUnit.NANOSECONDS).address();
            final Endpoint endpoint = Endpoint.create(worker, there);
            final long start = System.nanoTime();
            while (round < mostRounds && System.nanoTime() - start < mostNs) {
                round++;
                round(worker, endpoint, round);
            }
        } finally {
            running = false;
            receiver.thenAccept(Worker::signal);
            thread.join(TimeUnit.NANOSECONDS.toMillis(HANG_NS));
        }
        return round;
    }

    private void round(final Worker worker, final Endpoint endpoint, final long round) {
        delay(random.nextInt(MOST_DELAY_NS));
        final UnsafeBuffer data = new UnsafeBuffer(new byte[Long.BYTES]);
        data.putLong(0, round);
        while (endpoint.trySendActiveMessage(1, null, data, 0, Long.BYTES) != Status.OK) {
            worker.progress();
        }
        final long sentNs = System.nanoTime();
        for (int spins = 0; received != round; spins++) {
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
                checkAlive(sentNs, round);
            }
        }
        final long tookNs = System.nanoTime() - sentNs;
        if (round > 1) { // the first includes connecting
            longestNs = Math.max(longestNs, tookNs);
            overTenMs += tookNs > TimeUnit.MILLISECONDS.toNanos(10) ? 1 : 0;
            overFiftyMs += tookNs > TimeUnit.MILLISECONDS.toNanos(50) ? 1 : 0;
        }
    }

    private void checkAlive(final long sentNs, final long round) {
        if (failure != null || System.nanoTime() - sentNs > HANG_NS) {
            throw new AssertionError("a message was sent and not handled: round=" + round + ' ' + this, failure);
        }
    }

    private static void delay(final int nanos) {
        final long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            Thread.onSpinWait();
        }
    }

    private void receive() {
        try (Context context = Context.create(config);
             Worker worker = Worker.create(context, ThreadMode.SINGLE, "receiver");
             Selector selector = Selector.open()) {
            worker.onActiveMessage(1, message -> received = message.data().getLong(0));
            if (isSelecting) {
                worker.selectableChannel().register(selector, SelectionKey.OP_READ);
            }
            receiver.complete(worker);
            while (running) {
                if (worker.progress() == 0 && worker.arm() == Status.OK) {
                    sleep(worker, selector);
                }
            }
        } catch (final IOException | RuntimeException | Error ex) {
            failure = ex;
            receiver.completeExceptionally(ex);
        }
    }

    private void sleep(final Worker worker, final Selector selector) throws IOException {
        if (isSelecting) {
            selector.select(key -> { }, LONG.toMillis());
        } else {
            worker.await(LONG);
        }
    }

    @Override
    public String toString() {
        return "waiting=" + (isSelecting ? "select" : "await") + " slots=" + config.ringSlots() + " longest_ns="
            + longestNs + " over_10ms=" + overTenMs + " over_50ms=" + overFiftyMs;
    }
}
