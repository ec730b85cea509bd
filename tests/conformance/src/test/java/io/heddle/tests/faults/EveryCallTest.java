package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.HeddleException;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.base.TestSeed;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.Claim;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every public call of the objects an application shares, from eight threads at once, in MULTI. */
@ExtendWith(HygieneExtension.class)
@Timeout(300)
class EveryCallTest {
    private static final Set<String> BY_APPLICATION_ALONE = Set.of(
        // Of SINGLE: who owns the worker; T5 has them.
        "Worker.transferTo", "Worker.detach", "Worker.attach",
        // Makes or ends the whole stage, once in each run.
        "Context.create", "Context.register", "Context.unregister", "Context.close",
        // Within a handler, by the dispatching thread alone.
        "ActiveMessage.id", "ActiveMessage.header", "ActiveMessage.data", "ActiveMessage.lengthBytes",
        "ActiveMessage.isReplyWanted", "ActiveMessage.connection", "ActiveMessage.retain", "ActiveMessage.retainInto",
        "ActiveMessage.copyTo", "ActiveMessage.postpone", "Endpoint.replyTo");

    private final Map<String, RandomCallers.Call> table = new TreeMap<>();
    private final Queue<ReceivedData> kept = new ConcurrentLinkedQueue<>();
    private final Queue<Request> requests = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
    private volatile boolean isKeeping = true;
    private final AtomicInteger received = new AtomicInteger();
    private final UnsafeBuffer data = new UnsafeBuffer(new byte[100_000]);

    @Test
    @StandsFor("T3")
    @Tag("scaled")
    void shouldSurviveEveryCallFromEightThreads(final TestSeed seed) throws Exception {
        final long lengthNs = Duration.ofMillis(TestScale.count(1500, 60_000)).toNanos();
        try (Rig rig = Rig.open(ThreadMode.MULTI)) {
            rig.receiver.onError((worker, connection, status, error) -> problems.add(error));
            rig.sender.onError((worker, connection, status, error) -> problems.add(error));
            rig.receiver.onActiveMessage(Rig.ID, this::handle);
            fill(rig);
            assertEquals(Set.of(), missing());
            final ProgressThread progress = ProgressThread.start(rig.receiver);
            RandomCallers.run(seed, lengthNs, table.values(), this::call);
            isKeeping = false; // what is still to come is not kept: nobody would let it go
            progress.close();
            kept.forEach(ReceivedData::close);
            rig.assertBalance();
            assertEquals(List.of(), List.copyOf(problems), seed::toString);
        }
    }

    private void handle(final ActiveMessage message) {
        message.id();
        message.header();
        message.data();
        message.connection();
        Endpoint.replyTo(message);
        if (received.incrementAndGet() % 3 == 0 && isKeeping && kept.size() < 100) {
            kept.add(message.retain());
        }
    }

    private void call(final RandomCallers.Call call, final Random random) {
        try {
            call.run(random);
        } catch (final HeddleException ex) {
            return; // documented: closed, let go, busy, in another state
        } catch (final IndexOutOfBoundsException | IllegalStateException ex) {
            return; // documented: a view whose data was let go by another caller
        } catch (final Throwable ex) {
            problems.add(ex);
        }
    }

    private static Set<String> publicCalls() {
        final Set<String> names = new TreeSet<>();
        for (final Class<?> type : List.of(Context.class, Worker.class, Endpoint.class, Request.class,
            ReceivedData.class, ActiveMessage.class)) {
            for (final Method method : type.getDeclaredMethods()) {
                if (Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()
                    && !"toString".equals(method.getName())) {
                    names.add(type.getSimpleName() + "." + method.getName());
                }
            }
        }
        return names;
    }

    private Set<String> missing() {
        final Set<String> missing = new HashSet<>(publicCalls());
        missing.removeAll(table.keySet());
        missing.removeAll(BY_APPLICATION_ALONE);
        return missing;
    }

    private void fill(final Rig rig) {
        fillContext(rig.context);
        fillWorker(rig);
        fillEndpoint(rig);
        table.put("Request.isDone", random -> withRequest(Request::isDone));
        table.put("Request.status", random -> withRequest(Request::status));
        table.put("Request.userData", random -> withRequest(Request::userData));
        table.put("Request.await", random -> withRequest(request -> request.await(Duration.ofMillis(1))));
        table.put("Request.cancel", random -> withRequest(Request::cancel));
        table.put("ReceivedData.data", random -> withKept(one -> one.data().getByte(0)));
        table.put("ReceivedData.lengthBytes", random -> withKept(ReceivedData::lengthBytes));
        table.put("ReceivedData.isHeld", random -> withKept(ReceivedData::isHeld));
        table.put("ReceivedData.memoryAddress", random -> withKept(ReceivedData::memoryAddress));
        table.put("ReceivedData.retain", random -> withKept(one -> one.retain().close()));
        table.put("ReceivedData.release", random -> taken(ReceivedData::release));
        table.put("ReceivedData.releaseAsync", random -> taken(ReceivedData::releaseAsync));
        table.put("ReceivedData.close", random -> taken(ReceivedData::close));
    }

    private void withRequest(final java.util.function.Consumer<Request> deed) {
        final Request request = requests.poll();
        if (request != null) {
            deed.accept(request);
        }
    }

    private void withKept(final java.util.function.Consumer<ReceivedData> deed) {
        final ReceivedData one = kept.peek();
        if (one != null) {
            deed.accept(one);
        }
    }

    private void taken(final java.util.function.Consumer<ReceivedData> deed) {
        final ReceivedData one = kept.poll();
        if (one != null) {
            deed.accept(one);
        }
    }

    private void fillContext(final Context context) {
        table.put("Context.config", random -> context.config().toString());
        table.put("Context.isClosed", random -> context.isClosed());
        table.put("Context.isCheckingThreads", random -> Context.isCheckingThreads());
        table.put("Context.counters", random -> context.counters().file());
        table.put("Context.transports", random -> context.transports().size());
        table.put("Context.unusedTransports", random -> context.unusedTransports().size());
        table.put("Context.describe", random -> context.describe());
        table.put("Context.describeLayout", random -> context.describeLayout());
    }

    private void fillWorker(final Rig rig) {
        final Worker worker = rig.sender;
        table.put("Worker.create", random -> Worker.create(rig.context, ThreadMode.MULTI)
            .close(CloseMode.FORCE, Rig.LIMIT));
        table.put("Worker.close", table.get("Worker.create"));
        table.put("Worker.name", random -> worker.name());
        table.put("Worker.threadMode", random -> worker.threadMode());
        table.put("Worker.context", random -> worker.context());
        table.put("Worker.address", random -> worker.address().toHex());
        table.put("Worker.maxHeaderBytes", random -> worker.maxHeaderBytes());
        table.put("Worker.maxMessageBytes", random -> worker.maxMessageBytes());
        table.put("Worker.onActiveMessage", random -> worker.onActiveMessage(100 + random.nextInt(9), message -> { }));
        table.put("Worker.onError", random -> worker.onError((w, connection, status, error) -> problems.add(error)));
        table.put("Worker.progress", random -> worker.progress());
        table.put("Worker.arm", random -> worker.arm());
        table.put("Worker.await", random -> worker.await(Duration.ofMillis(1)));
        table.put("Worker.selectableChannel", random -> worker.selectableChannel().isOpen());
        table.put("Worker.signal", random -> worker.signal());
        table.put("Worker.flush", random -> requests.add(worker.flush()));
        table.put("Worker.ownerThread", random -> worker.ownerThread());
        table.put("Worker.agent", random -> worker.agent().doWork());
        table.put("Worker.connect", random -> worker.connect(rig.receiver.address())
            .close(CloseMode.FORCE, Rig.LIMIT));
        table.put("Worker.maxApplicationDataBytes", random -> worker.maxApplicationDataBytes());
        table.put("Worker.listen", random -> worker.listen("every-call-" + random.nextInt(3),
            request -> request.reject("only a test")).close(CloseMode.FORCE, Rig.LIMIT));
        table.put("Worker.statistics", random -> worker.statistics());
        table.put("Worker.describe", random -> worker.describe());
        table.put("Worker.isClosed", random -> worker.isClosed());
    }

    private void fillEndpoint(final Rig rig) {
        final Endpoint endpoint = rig.endpoint;
        table.put("Endpoint.create", random -> Endpoint.create(rig.sender, rig.receiver.address())
            .close(CloseMode.FORCE, Rig.LIMIT));
        table.put("Endpoint.close", table.get("Endpoint.create"));
        table.put("Endpoint.of", table.get("Endpoint.create"));
        table.put("Endpoint.sendActiveMessage", random -> {
            if (requests.size() < 1000) {
                requests.add(endpoint.sendActiveMessage(Rig.ID, null, data, 0, random.nextInt(data.capacity())));
            }
        });
        table.put("Endpoint.trySendActiveMessage",
            random -> endpoint.trySendActiveMessage(Rig.ID, null, data, 0, random.nextInt(9000)));
        table.put("Endpoint.tryClaim", random -> {
            final Claim claim = new Claim();
            if (endpoint.tryClaim(Rig.ID, 64, claim) == io.heddle.context.Status.OK) {
                claim.putLong(0, 1);
                if (random.nextBoolean()) {
                    claim.commit();
                } else {
                    claim.abort();
                }
            }
        });
        table.put("Endpoint.maxClaimBytes", random -> endpoint.maxClaimBytes());
        table.put("Endpoint.flush", random -> requests.add(endpoint.flush()));
        table.put("Endpoint.resume", random -> endpoint.resume());
        table.put("Endpoint.onError", random -> endpoint.onError(null));
        table.put("Endpoint.isConnected", random -> endpoint.isConnected());
        table.put("Endpoint.isClosed", random -> endpoint.isClosed());
        table.put("Endpoint.isWritable", random -> endpoint.isWritable());
        table.put("Endpoint.onWritable", random -> endpoint.onWritable(() -> { }));
        table.put("Endpoint.status", random -> endpoint.status());
        table.put("Endpoint.failure", random -> endpoint.failure());
        table.put("Endpoint.worker", random -> endpoint.worker());
        table.put("Endpoint.userData", random -> endpoint.userData(endpoint.userData()));
        table.put("Endpoint.describe", random -> endpoint.describe());
    }
}
