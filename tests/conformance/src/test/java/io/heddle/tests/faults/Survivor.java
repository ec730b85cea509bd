package io.heddle.tests.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The worker of this JVM whose peers are killed: counts what each sender's messages were, and how its connection ended,
 * and closes it then. Progressed by a thread of its own, which can be made to stand still. Thread safe.
 */
final class Survivor implements AutoCloseable {
    static final int ID = 7;
    static final Duration LIMIT = Duration.ofSeconds(30);
    /** The limit from a kill to the report; asserted in the slow suite. */
    private static final long REPORT_NS = 1_000_000_000L;

    final Context context;
    final Worker worker;
    final List<String> errors = new CopyOnWriteArrayList<>();
    final List<String> problems = new CopyOnWriteArrayList<>();
    private final Map<Integer, Long> received = new ConcurrentHashMap<>();
    private final Thread thread = new Thread(this::run, "survivor");
    private final AtomicInteger endpoints = new AtomicInteger();
    private volatile boolean open = true;
    private volatile boolean still;
    private volatile boolean isStill;
    private volatile boolean echo;
    private volatile long errorNs;

    Survivor(final Path directory) {
        this(new ContextConfig().directory(directory));
    }

    Survivor(final ContextConfig config) {
        context = Context.create(config);
        worker = Worker.create(context, ThreadMode.MULTI, "survivor");
        worker.onActiveMessage(ID, this::onMessage);
        worker.onError((w, connection, status, error) -> problems.add("worker error: " + status + " " + error));
        thread.start();
    }

    private void run() {
        while (open) {
            isStill = still;
            if (still) {
                LockSupport.parkNanos(100_000L);
            } else if (worker.progress() == 0) {
                LockSupport.parkNanos(20_000L); // leaves the processors to the processes that start
            }
        }
    }

    /** From when this returns nobody progresses the worker, but for calls that do so themselves. */
    void standStill() {
        still = true;
        await("standing still").atMost(LIMIT).pollInterval(Duration.ofMillis(1)).until(() -> isStill);
    }

    void goOn() {
        still = false;
    }

    /** Whether every message is sent back. */
    void echo(final boolean on) {
        echo = on;
    }

    private void onMessage(final ActiveMessage message) {
        final int sender = Stamp.sender(message.header());
        if (!Stamp.isRight(message.header(), message.data())) {
            problems.add("wrong bytes: sender=" + sender);
        }
        final Long before = received.put(sender, Stamp.sequence(message.header()) + 1);
        if (before == null) {
            watch(Endpoint.replyTo(message), "sender=" + sender);
        }
        if (Stamp.sequence(message.header()) != (before == null ? 0 : before)) {
            problems.add("sender=" + sender + " sequence=" + Stamp.sequence(message.header()) + " expected=" + before);
        }
        if (echo) {
            final byte[] bytes = new byte[message.data().capacity()];
            message.data().getBytes(0, bytes);
            Endpoint.replyTo(message).sendActiveMessage(ID, null, new UnsafeBuffer(bytes), 0, bytes.length);
        }
    }

    private void watch(final Endpoint endpoint, final String who) {
        endpoint.onError((ended, status, reason) -> {
            errorNs = System.nanoTime();
            errors.add(who + " " + status);
            ended.close(CloseMode.FORCE, Duration.ZERO);
        });
    }

    /** An endpoint to a peer, connected. */
    Endpoint connect(final String hex) {
        final Endpoint endpoint = connectLater(hex);
        await("connected").atMost(LIMIT).pollInterval(Duration.ofMillis(1)).until(endpoint::isConnected);
        return endpoint;
    }

    /** An endpoint to a peer, as it comes. */
    Endpoint connectLater(final String hex) {
        final Endpoint endpoint = Endpoint.create(worker, WorkerAddress.ofHex(hex));
        watch(endpoint, "endpoint=" + endpoints.incrementAndGet());
        return endpoint;
    }

    String address() {
        return worker.address().toHex();
    }

    long received(final int sender) {
        return received.getOrDefault(sender, 0L);
    }

    void awaitReceived(final int sender, final long count) {
        await("received " + count + " of " + sender).atMost(LIMIT).pollInterval(Duration.ofMillis(1))
            .until(() -> received(sender) >= count);
    }

    /** Waits until so many ends of connections were told, and says how long the last took from then. */
    void awaitErrors(final String what, final int count, final long killedNs) {
        await(what + ": " + count + " ends told").atMost(LIMIT).pollInterval(Duration.ofMillis(1))
            .until(() -> errors.size() >= count);
        report(what + " kill-to-report", Math.max(0, errorNs - killedNs), REPORT_NS);
    }

    /** Prints how long something took; in the slow suite, what took longer than is owed fails. */
    static void report(final String what, final long tookNs, final long owedNs) {
        System.out.println(what + " took_ms=" + tookNs / 1_000_000.0);
        if (TestScale.isFull()) {
            assertTrue(tookNs <= owedNs, () -> what + " tookNs=" + tookNs + " owedNs=" + owedNs);
        }
    }

    /** Each end told was that of a dead peer, and nothing was seen that ought not to be. */
    void assertOnlyResets(final int count) {
        assertEquals(List.of(), problems);
        assertEquals(count, errors.size(), errors::toString);
        assertEquals(count, errors.stream().filter(text -> text.endsWith(" CONNECTION_RESET")).count(),
            errors::toString);
        assertEquals(count, errors.stream().distinct().count(), () -> "told once each: " + errors);
    }

    /** Lanes and kept elements of dead peers are gone; lanes unmap after a linger of two seconds. */
    void awaitMaps(final long maps) {
        await("maps " + maps).atMost(LIMIT).pollInterval(Duration.ofMillis(20)).until(() -> maps() == maps);
        assertEquals(0, worker.statistics().poolInUse());
    }

    long maps() {
        return figure("shm.maps");
    }

    /** Of all lanes of the context. */
    long mappedBytes() {
        return figure("shm.mapped.bytes");
    }

    private long figure(final String name) {
        final Matcher matcher = Pattern.compile(name + "=([0-9]+)").matcher(context.describe());
        assertTrue(matcher.find());
        return Long.parseLong(matcher.group(1));
    }

    /** Forgets what is past, but for one sender, which goes on. */
    void forgetAllBut(final int sender) {
        errors.clear();
        problems.clear();
        received.keySet().removeIf(each -> each != sender);
    }

    @Override
    public void close() {
        open = false;
        await("thread ended").atMost(LIMIT).until(() -> !thread.isAlive());
        worker.close(CloseMode.FORCE, LIMIT);
        context.close();
    }
}
