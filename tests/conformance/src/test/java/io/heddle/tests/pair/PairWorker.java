package io.heddle.tests.pair;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Context;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import io.heddle.worker.WorkerStatistics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A worker in a {@link PairChild}, with one thread that progresses it, sends, and owns it in SINGLE; so that every mode
 * is used by its rules. In MULTI each sender has a thread of its own.
 *
 * <p>Thread safe: commands are tasks for that thread; counts are read from any.
 */
final class PairWorker {
    static final int ID = 7;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int LONG_IDLE = 10_000;
    private static final int LINK_TRIES = 200;
    private static final int FAULT_TRIES = 100;
    private static final int[] SIZES = {0, 1, 8, 24, 25, 47, 64, 500, 2023, 2024, 2025, 5000, 65_511, 70_000};

    private final Context context;
    private final ThreadMode mode;
    private final Thread thread;
    private final ConcurrentLinkedQueue<FutureTask<?>> tasks = new ConcurrentLinkedQueue<>();
    private final Map<String, Endpoint> endpoints = new ConcurrentHashMap<>();
    private final Map<Integer, Long> nextBySender = new ConcurrentHashMap<>();
    /** Of each sender here, by its endpoint, the number of its next message. */
    private final Map<String, Long> sequences = new ConcurrentHashMap<>();
    private final List<Kept> kept = new ArrayList<>();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong sendsFailed = new AtomicLong();
    private final AtomicLong sendsRefused = new AtomicLong();
    private final PairHold hold = new PairHold();
    private final PairEnding ending = new PairEnding();
    private final AtomicLong errors = new AtomicLong();
    private final AtomicLong problems = new AtomicLong();
    private volatile String problem = "none";
    private volatile String lastError = "none";
    private volatile long received;
    private volatile boolean running = true;
    private volatile boolean isStill;
    private volatile Worker worker;
    private final int firstSender;
    private int keepEvery;

    /** Payload that is kept, and its checksum. */
    private record Kept(ReceivedData data, int crc) {
    }

    PairWorker(final Context context, final ThreadMode mode, final String name) throws Exception {
        this.context = context;
        this.mode = mode;
        firstSender = name.charAt(0) * 100; // so that two workers' senders are told apart
        thread = new Thread(this::run, "pair-" + name);
        thread.setDaemon(true);
        thread.start();
        call(() -> {
            worker = Worker.create(context, mode, name);
            worker.onActiveMessage(ID, this::onMessage);
            worker.onError((w, connection, status, error) -> problem("worker error: " + status + " " + error));
            return null;
        });
    }

    private void run() {
        int idle = 0;
        while (running) {
            try {
                for (FutureTask<?> task = tasks.poll(); task != null; task = tasks.poll()) {
                    task.run();
                }
                idle = isStill || worker == null || worker.isClosed() || worker.progress() == 0 ? idle + 1 : 0;
                if (idle > LONG_IDLE) {
                    LockSupport.parkNanos(20_000L); // leaves the processors to the processes that start
                } else if (idle > 0) {
                    Thread.yield();
                }
            } catch (final Exception | Error ex) {
                problem("progress threw: " + ex);
            }
        }
    }

    private <T> T call(final Callable<T> task) throws Exception {
        return begin(task).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    /**
     * A fault on a lost page is thrown a little later than it happens, in whatever frame is running then: a call that
     * it broke off is made again.
     */
    private <T> T callUntilDone(final Callable<T> task) throws Exception {
        for (int i = 0; i < FAULT_TRIES; i++) {
            try {
                return call(task);
            } catch (final ExecutionException ex) {
                if (!(ex.getCause() instanceof InternalError)) {
                    throw ex;
                }
            }
        }
        throw new IllegalStateException("each of " + FAULT_TRIES + " calls met a fault");
    }

    private <T> FutureTask<T> begin(final Callable<T> task) {
        final FutureTask<T> future = new FutureTask<>(task);
        tasks.add(future);
        return future;
    }

    private void onMessage(final ActiveMessage message) {
        if (!hold.takes(message)) {
            return;
        }
        final long count = received + 1;
        if (!Stamp.isRight(message.header(), message.data())) {
            problem("wrong bytes: sequence=" + Stamp.sequence(message.header()));
        }
        if (count == 1 || !nextBySender.containsKey(Stamp.sender(message.header()))) {
            final int sender = Stamp.sender(message.header());
            message.connection().onError((connection, status, reason) -> onError(sender, status, reason));
        }
        final long expected = nextBySender.merge(Stamp.sender(message.header()), 1L, Long::sum) - 1;
        if (Stamp.sequence(message.header()) != expected) {
            problem("sender=" + Stamp.sender(message.header()) + " sequence=" + Stamp.sequence(message.header())
                + " expected=" + expected);
        }
        if (keepEvery > 0 && count % keepEvery == 0) {
            keepOne(message);
        }
        received = count;
    }

    /** Of what is kept, the oldest goes when there is much. */
    private void keepOne(final ActiveMessage message) {
        kept.add(new Kept(message.retain(), Stamp.crc(message.header())));
        if (kept.size() > 200) {
            check(kept.remove(0)).releaseAsync();
        }
    }

    private ReceivedData check(final Kept one) {
        if (Stamp.crcOf(one.data) != one.crc) {
            problem("kept bytes changed");
        }
        return one.data;
    }

    private void onError(final int sender, final Status status, final String reason) {
        lastError = status + " " + reason;
        errors.incrementAndGet();
        PairChild.say("event error sender=" + sender + " status=" + status + " received=" + nextBySender.get(sender));
    }

    private void problem(final String text) {
        if (problems.getAndIncrement() == 0) {
            problem = text;
        }
    }

    String address() {
        return worker.address().toHex();
    }

    private Endpoint create(final String address) {
        final Endpoint made = Endpoint.create(worker, WorkerAddress.ofHex(address));
        made.onError((ended, status, reason) -> onError(-1, status, reason));
        return made;
    }

    String connect(final String name, final String address) throws Exception {
        final Endpoint endpoint = call(() -> create(address));
        endpoints.put(name, endpoint);
        awaitConnected(endpoint);
        return "connected";
    }

    private static void awaitConnected(final Endpoint endpoint) {
        final long start = System.nanoTime();
        while (!endpoint.isConnected()) {
            if (endpoint.status() != Status.OK || System.nanoTime() - start > LIMIT.toNanos()) {
                throw new IllegalStateException("not connected: " + endpoint.status() + " " + endpoint.failure());
            }
            Thread.yield();
        }
    }

    /** As connect, until the segment has got a second name on the way. */
    String linked(final String name, final String address, final Path directory, final Path link) throws Exception {
        for (int i = 1; i <= LINK_TRIES; i++) {
            final FutureTask<Endpoint> made = begin(() -> create(address));
            boolean isLinked = false;
            while (!isLinked && !(made.isDone() && made.get().isConnected())) {
                isLinked = PairLink.tryLink(directory, link);
            }
            awaitConnected(made.get());
            if (isLinked) {
                endpoints.put(name, made.get());
                return "tries=" + i;
            }
            call(() -> made.get().close(CloseMode.FORCE, LIMIT));
        }
        throw new IllegalStateException("not linked: tries=" + LINK_TRIES);
    }

    /** Whether the thread leaves progress to the calls that it makes. */
    String still(final boolean on) throws Exception {
        isStill = on;
        return on ? call(() -> "still") : "going on"; // it has left the progress that it was in
    }

    String queue(final String name, final int count, final int bytes) throws Exception {
        return call(() -> ending.queue(endpoints.get(name), count, bytes));
    }

    String flush(final String name) throws Exception {
        return callUntilDone(() -> ending.flush(endpoints.get(name)));
    }

    String end(final String name, final CloseMode closeMode) throws Exception {
        return callUntilDone(() -> ending.close(endpoints.get(name), closeMode));
    }

    String send(final String name, final int count, final int size, final int senders, final boolean isWaiting)
        throws Exception {
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < senders; i++) {
            // In the other modes every message goes through the one thread.
            final int sender = firstSender + i;
            final long first = sequences.merge(name + ' ' + sender, (long) count, Long::sum) - count;
            threads.add(new Thread(() -> sendAll(endpoints.get(name), sender, first, count, size), "pair-sender-" + i));
            threads.get(i).setDaemon(true);
            threads.get(i).start();
        }
        for (final Thread each : threads) {
            if (isWaiting) {
                each.join(LIMIT.toMillis());
            }
        }
        return "sent=" + sent + " failed=" + sendsFailed + " alive=" + threads.stream().filter(Thread::isAlive).count();
    }

    private void sendAll(final Endpoint endpoint, final int sender, final long first, final int count,
        final int size) {
        final byte[] payload = new byte[size == 0 ? 70_000 : size];
        final UnsafeBuffer data = new UnsafeBuffer(payload);
        final UnsafeBuffer header = new UnsafeBuffer(new byte[Stamp.BYTES]);
        try {
            for (long i = first; i < first + count; i++) {
                final int bytes = size == 0 ? SIZES[(int) ((i + sender) % SIZES.length)] : size;
                Stamp.refill(payload, bytes, i * 31 + sender);
                Stamp.write(header, sender, i, payload, bytes);
                if (!sendOne(endpoint, header, data, bytes)) {
                    sendsFailed.incrementAndGet();
                    return;
                }
                sent.incrementAndGet();
            }
        } catch (final Exception | Error ex) {
            problem("sending threw: " + ex);
        }
    }

    private boolean sendOne(final Endpoint endpoint, final UnsafeBuffer header, final UnsafeBuffer data,
        final int bytes) throws Exception {
        Status status;
        do {
            final Callable<Status> send = () -> {
                final Status tried = endpoint.trySendActiveMessage(ID, header, data, 0, bytes);
                return tried == Status.UNSUPPORTED
                    ? endpoint.sendActiveMessage(ID, header, data, 0, bytes).await(LIMIT) : tried;
            };
            status = mode == ThreadMode.MULTI ? send.call() : call(send);
            if (status == Status.NO_RESOURCE) {
                sendsRefused.incrementAndGet();
                Thread.yield();
            }
        } while (status == Status.NO_RESOURCE);
        return status == Status.OK;
    }

    String flood(final String name, final int count, final int size) {
        final Thread flooder = new Thread(new PairFlood(endpoints.get(name), firstSender, count, size, sendsRefused,
            sent, this::problem), "pair-flood");
        flooder.setDaemon(true);
        flooder.start();
        return "flooding";
    }

    String hold(final String how) throws Exception {
        return call(() -> hold.begin(how));
    }

    String drain() throws Exception {
        return call(hold::end);
    }

    String keep(final int every) throws Exception {
        return call(() -> {
            keepEvery = every;
            return "every=" + every;
        });
    }

    String release() throws Exception {
        return call(() -> {
            final int count = kept.size();
            kept.forEach(one -> check(one).release());
            kept.clear();
            return "released=" + count;
        });
    }

    String state() {
        final WorkerStatistics s = worker.statistics();
        return "received=" + received + " sent=" + sent + " failed=" + sendsFailed + " errors=" + errors + " kept="
            + kept.size() + " held=" + hold.count() + " sends_refused=" + sendsRefused + " pool_memory="
            + s.poolMemoryBytes() + " in_use=" + s.poolInUse() + " refused=" + s.poolRefused() + " violations="
            + s.protocolViolations() + " endpoints=" + s.endpoints() + " problems=" + problems + " address="
            + address() + " problem=["
            + problem + "] last_error=[" + lastError + ']';
    }

    String describe() {
        return worker.describe().replace('\n', ' ');
    }

    String close() throws Exception {
        final CloseReport report = call(() -> worker.close(CloseMode.FLUSH, Duration.ofSeconds(5)));
        running = false;
        thread.join(LIMIT.toMillis());
        final long inUse = worker.statistics().poolInUse();
        context.close();
        return "leaks=" + report.leaks().size() + " cut=" + report.cutRequests() + " timed_out=" + report.isTimedOut()
            + " in_use=" + inUse;
    }

}
