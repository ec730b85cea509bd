package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.context.CloseMode;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.context.ThreadModeViolation;
import io.heddle.endpoints.ConnectionRequest;
import io.heddle.endpoints.Endpoint;
import io.heddle.endpoints.Listener;
import io.heddle.worker.Claim;
import io.heddle.worker.Connection;
import io.heddle.worker.NamedListener;
import io.heddle.worker.PendingConnection;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What one call of {@link CallTable} needs, made by a thread that may use the workers, and put away by it. Confined to
 * that thread, but for {@link #closing}, which the call may use while the other waits for it.
 */
final class CallProps implements AutoCloseable {
    private static final AtomicInteger NAMES = new AtomicInteger();

    /** What all calls of a test share. Thread safe. */
    static final class Stage implements AutoCloseable {
        private static final int SHARED = 4;

        final Rig rig;
        final Connection connection;
        final UnsafeBuffer data = new UnsafeBuffer(new byte[100_000]);
        /** What the workers' error handlers were told, but for refused calls: those throw as well. */
        final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
        private final Endpoint keeping;
        private final Queue<ReceivedData> kept = new ConcurrentLinkedQueue<>();
        /** Each for several callers at once; null if every caller is to have its own. */
        private final AtomicReferenceArray<ReceivedData> sharedData;
        private final AtomicReferenceArray<Request> sharedRequests;

        /** @param isSharing whether callers share what was received, and requests. */
        Stage(final Rig rig, final boolean isSharing) {
            this.rig = rig;
            sharedData = isSharing ? new AtomicReferenceArray<>(SHARED) : null;
            sharedRequests = isSharing ? new AtomicReferenceArray<>(SHARED) : null;
            connection = rig.sender.connect(rig.receiver.address());
            rig.until("connected", connection::isConnected);
            keeping = rig.another();
            rig.sender.onError((worker, ended, status, error) -> tell(error));
            rig.receiver.onError((worker, ended, status, error) -> tell(error));
            rig.receiver.onActiveMessage(Rig.ID, message -> { });
            rig.receiver.onActiveMessage(Rig.ID + 1, message -> kept.add(message.retain()));
        }

        void tell(final Throwable error) {
            if (!(error instanceof ThreadModeViolation)) {
                errors.add(error);
            }
        }

        private ReceivedData arrive(final int bytes) {
            final Request sent = keeping.sendActiveMessage(Rig.ID + 1, null, data, 0, bytes);
            final ReceivedData[] one = new ReceivedData[1];
            rig.until("kept", () -> {
                one[0] = one[0] == null ? kept.poll() : one[0];
                return one[0] != null && sent.isDone();
            });
            return one[0];
        }

        @Override
        public void close() {
            for (int i = 0; sharedData != null && i < SHARED; i++) {
                if (sharedData.get(i) != null) {
                    sharedData.get(i).close();
                }
            }
        }
    }

    final Stage stage;
    final Worker worker;
    final Endpoint endpoint;
    final Connection connection;
    final UnsafeBuffer data;
    final Random random;
    private final Deque<Runnable> closers = new ArrayDeque<>();

    CallProps(final Stage stage, final Random random) {
        this.stage = stage;
        this.random = random;
        worker = stage.rig.sender;
        endpoint = stage.rig.endpoint;
        connection = stage.connection;
        data = stage.data;
    }

    ThreadMode mode() {
        return worker.threadMode();
    }

    /** Has it closed in the end; what was made last is closed first. */
    <T extends AutoCloseable> T closing(final T made) {
        closers.push(() -> CloseHelper.close(made));
        return made;
    }

    Connection closing(final Connection made) {
        closers.push(() -> made.close(CloseMode.FORCE, Rig.LIMIT));
        return made;
    }

    NamedListener closing(final NamedListener made) {
        closers.push(() -> made.close(CloseMode.FORCE, Rig.LIMIT));
        return made;
    }

    /** Mostly one record, now and then several. */
    int size() {
        return random.nextInt(random.nextInt(8) == 0 ? data.capacity() : 3000);
    }

    String freshName() {
        return "every-call-" + NAMES.incrementAndGet();
    }

    Worker freshWorker() {
        final Worker fresh = Worker.create(stage.rig.context, mode());
        closers.push(() -> {
            if (mode() == ThreadMode.SINGLE && fresh.ownerThread() == null) {
                fresh.attach();
            }
            fresh.close(CloseMode.FORCE, Rig.LIMIT);
        });
        return fresh;
    }

    /** Not connected yet. */
    Endpoint freshEndpoint() {
        final Endpoint fresh = Endpoint.create(worker, stage.rig.receiver.address());
        closers.push(() -> fresh.close(CloseMode.FORCE, Rig.LIMIT));
        return fresh;
    }

    /** As {@link #freshEndpoint()}. */
    Connection freshConnection() {
        return closing(worker.connect(stage.rig.receiver.address()));
    }

    /** Not done before somebody progresses. */
    Request pending() {
        if (stage.sharedRequests == null) {
            return freshEndpoint().sendActiveMessage(Rig.ID, null, data, 0, 8);
        }
        final int index = random.nextInt(Stage.SHARED);
        Request request = stage.sharedRequests.get(index);
        if (request == null || request.isDone()) {
            request = endpoint.sendActiveMessage(Rig.ID, null, data, 0, data.capacity());
            stage.sharedRequests.set(index, request);
        }
        return request;
    }

    /** A place of 64 bytes. */
    Claim claim() {
        final Endpoint fresh = freshEndpoint();
        stage.rig.until("connected", fresh::isConnected);
        final Claim claim = new Claim();
        assertEquals(Status.OK, fresh.tryClaim(Rig.ID, 64, claim));
        return claim;
    }

    ReceivedData kept() {
        if (stage.sharedData == null) {
            return closing(stage.arrive(size()));
        }
        final int index = random.nextInt(Stage.SHARED);
        ReceivedData shared = stage.sharedData.get(index);
        if (shared == null || !shared.isHeld()) {
            shared = stage.arrive(size());
            final ReceivedData before = stage.sharedData.getAndSet(index, shared);
            if (before != null) {
                before.close();
            }
        }
        return shared;
    }

    Listener listener() {
        return closing(Listener.create(worker, freshName(), request -> request.reject("only a test")));
    }

    NamedListener namedListener() {
        return closing(worker.listen(freshName(), request -> request.reject("only a test")));
    }

    /** Not answered. */
    PendingConnection pendingConnection() {
        final String name = freshName();
        final Queue<PendingConnection> asked = new ConcurrentLinkedQueue<>();
        closing(stage.rig.receiver.listen(name, asked::add));
        closing(worker.connect(name, new byte[3], 0));
        stage.rig.until("asked", () -> !asked.isEmpty());
        return asked.remove();
    }

    /** Not answered. */
    ConnectionRequest connectionRequest() {
        final String name = freshName();
        final Queue<ConnectionRequest> asked = new ConcurrentLinkedQueue<>();
        closing(Listener.create(stage.rig.receiver, name, asked::add));
        closing(worker.connect(name, new byte[3], 0));
        stage.rig.until("asked", () -> !asked.isEmpty());
        return asked.remove();
    }

    /** Of a worker of its own. */
    ProgressThread progressThread() {
        final Worker fresh = freshWorker();
        return closing(mode() == ThreadMode.SERIALIZED ? ProgressThread.start(fresh, new ReentrantLock())
            : ProgressThread.start(fresh));
    }

    @Override
    public void close() {
        while (!closers.isEmpty()) {
            closers.pop().run();
        }
    }
}
