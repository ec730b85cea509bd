package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.context.internal.ThreadGuard;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.loop.SteeredInterface;
import io.heddle.tests.loop.SteeredLane;
import io.heddle.tests.loop.SteeredScope;
import io.heddle.tests.loop.SteeredSettings;
import io.heddle.tests.loop.SteeredTransport;
import io.heddle.tests.loop.Steering;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Two workers of one mode over the steered transport, and a connection from the left one to the right one. Nothing
 * moves unless the test progresses it.
 *
 * <p>Closing checks what every test owes: no error that was not taken, no element left out, and, where a worker has a
 * lock and checks are on, that every call of the SPI was made as the SPI wants it.
 */
final class WorkerPair implements AutoCloseable {
    /** What most messages are sent to. */
    static final int ID = 7;
    private static final int ROUNDS = 200_000;
    private static final int QUIET_ROUNDS = 4;

    final Context context;
    final SteeredTransport transport;
    final Worker left;
    final Worker right;
    final SteeredInterface leftSide;
    final SteeredInterface rightSide;
    /** The left worker's way to the right one. */
    final Connection there;
    /** What {@link #receive} has seen, in order. */
    final List<Received> received = new ArrayList<>();
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private int expectedLeaks;

    private WorkerPair(final ThreadMode mode, final SteeredSettings settings, final Consumer<ContextConfig> options,
        final boolean isConnectHeld) {
        final ContextConfig config = new ContextConfig().directory(HygieneExtension.runtimeDirectory())
            .transports(List.of("steered"));
        options.accept(config);
        try (SteeredScope scope = new SteeredScope(settings)) {
            context = Context.create(config);
            transport = scope.transport();
        }
        left = Worker.create(context, mode, "left");
        right = Worker.create(context, mode, "right");
        leftSide = transport.interfaceOf("left");
        rightSide = transport.interfaceOf("right");
        guard(left, leftSide.steering());
        guard(right, rightSide.steering());
        left.onError((worker, connection, status, error) -> errors.add(error));
        right.onError((worker, connection, status, error) -> errors.add(error));
        if (isConnectHeld) {
            leftSide.steering().holdConnects();
            rightSide.steering().holdConnects();
        }
        there = left.connect(right.address());
        if (!isConnectHeld) {
            settle();
        }
    }

    static WorkerPair open(final ThreadMode mode) {
        return open(mode, SteeredSettings.DEFAULT);
    }

    static WorkerPair open(final ThreadMode mode, final SteeredSettings settings) {
        return open(mode, settings, config -> { });
    }

    static WorkerPair open(final ThreadMode mode, final SteeredSettings settings,
        final Consumer<ContextConfig> options) {
        return new WorkerPair(mode, settings, options, false);
    }

    /** As {@link #open}, but neither side is told of the connection before the test lets it. */
    static WorkerPair openConnecting(final ThreadMode mode) {
        return new WorkerPair(mode, SteeredSettings.DEFAULT, config -> { }, true);
    }

    private static void guard(final Worker worker, final Steering steering) {
        if (worker.core().isMulti() && ThreadGuard.CHECKS) {
            steering.guardHeld(worker.core().guard().workerLock()::isHeldByCurrentThread);
        }
    }

    /** Lets the connection come about that {@link #openConnecting} held back. */
    void completeConnect() {
        leftSide.steering().resumeConnects();
        rightSide.steering().resumeConnects();
        settle();
    }

    /** The right worker's side of the connection. */
    Connection back() {
        return right.core().connections()[0];
    }

    SteeredLane leftLane() {
        return (SteeredLane) there.lane();
    }

    SteeredLane rightLane() {
        return leftLane().peer();
    }

    /** What the left worker sends with. */
    Steering sending() {
        return leftLane().steering();
    }

    /** What the right worker receives with. */
    Steering receiving() {
        return rightLane().steering();
    }

    // ---- sending and receiving

    /** Records what the right worker gets for an id. */
    void receive(final int id) {
        right.onActiveMessage(id, message -> {
            assertNoLockHeld();
            received.add(Received.of(message));
        });
    }

    Request send(final DirectBuffer data) {
        return send(data, null);
    }

    Request send(final DirectBuffer data, final CompletionHandler onDone) {
        return there.send(ID, SendFlags.NONE, null, data, 0, data.capacity(), onDone, null);
    }

    /** An 8-byte message that carries a number. */
    Request sendNumber(final int number) {
        return send(number(number));
    }

    /** Sends numbers from 0 on until one has to wait; the number of that one. */
    int fillLane() {
        int next = 0;
        while (sendNumber(next).isDone()) {
            next++;
        }
        return next;
    }

    static UnsafeBuffer number(final int number) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[Long.BYTES]);
        buffer.putInt(0, number);
        return buffer;
    }

    /** Bytes of which no two neighbours are alike, and no two patterns either. */
    static UnsafeBuffer pattern(final int lengthBytes, final int seed) {
        return new UnsafeBuffer(bytes(lengthBytes, seed));
    }

    static byte[] bytes(final int lengthBytes, final int seed) {
        final byte[] bytes = new byte[lengthBytes];
        for (int i = 0; i < lengthBytes; i++) {
            bytes[i] = (byte) (i * 31 + (i >>> 8) * 7 + seed * 13);
        }
        return bytes;
    }

    List<Integer> numbers() {
        return received.stream().map(Received::number).toList();
    }

    // ---- moving

    /** Progresses both sides until neither has anything to do. */
    int settle() {
        int total = 0;
        int quiet = 0;
        for (int i = 0; i < ROUNDS && quiet < QUIET_ROUNDS; i++) {
            final int done = left.progress() + right.progress();
            total += done;
            quiet = done == 0 ? quiet + 1 : 0;
        }
        assertEquals(QUIET_ROUNDS, quiet, "the workers never come to rest");
        return total;
    }

    /** Progresses one side until it has nothing to do. */
    static int settle(final Worker worker) {
        int total = 0;
        int quiet = 0;
        for (int i = 0; i < ROUNDS && quiet < QUIET_ROUNDS; i++) {
            final int done = worker.progress();
            total += done;
            quiet = done == 0 ? quiet + 1 : 0;
        }
        assertEquals(QUIET_ROUNDS, quiet, "the worker never comes to rest");
        return total;
    }

    // ---- checking

    /** In a callback: no worker lock is held by this thread. */
    void assertNoLockHeld() {
        if (left.core().isMulti() && ThreadGuard.CHECKS) {
            assertFalse(left.core().guard().workerLock().isHeldByCurrentThread(), "left worker's lock in a callback");
            assertFalse(right.core().guard().workerLock().isHeldByCurrentThread(), "right worker's lock in a callback");
        }
    }

    /** What the error handlers were told so far; forgotten here. */
    List<Throwable> takeErrors() {
        final List<Throwable> taken = List.copyOf(errors);
        errors.clear();
        return taken;
    }

    /** This many elements will be out when the workers are closed. */
    void expectLeaks(final int leaks) {
        expectedLeaks = leaks;
    }

    @Override
    public void close() {
        final List<String> leaks = new ArrayList<>(left.close(CloseMode.FORCE, Duration.ofSeconds(5)).leaks());
        leaks.addAll(right.close(CloseMode.FORCE, Duration.ofSeconds(5)).leaks());
        context.close();
        leftSide.steering().assertGuardKept();
        rightSide.steering().assertGuardKept();
        assertEquals(List.of(), takeErrors(), "errors told and not expected");
        assertEquals(expectedLeaks, leaks.size(), leaks::toString);
    }
}
