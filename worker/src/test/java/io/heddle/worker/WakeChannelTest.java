package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.ClosedException;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.loop.SteeredSettings;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A worker in an application's own selector. */
@Timeout(20)
@ExtendWith(HygieneExtension.class)
final class WakeChannelTest {
    private static final long LIMIT_MS = 15_000;
    /** As long as messages may be: one endpoint has memory for one of these. */
    private static final int LONG = 64 * 1024;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.4/efd", "6.4/event.am_no_fc"})
    void shouldBecomeReadableOncePerArming(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode); Selector selector = select(pair.right.selectableChannel(), "R")) {
            pair.receive(WorkerPair.ID);
            pair.sendNumber(1);
            assertEquals(0, selector.selectNow(), "not armed");
            WorkerPair.settle(pair.right);
            assertEquals(Status.OK, pair.right.arm());
            assertEquals(0, selector.selectNow(), "armed, and nothing has come");
            pair.sendNumber(2);
            pair.sendNumber(3);
            assertEquals(1, readable(selector));
            assertEquals(Status.BUSY, pair.right.arm());
            assertEquals(1, readable(selector), "until it is armed again");
            WorkerPair.settle(pair.right);
            assertEquals(Status.OK, pair.right.arm());
            assertEquals(0, selector.selectNow(), "arming has emptied it");
            pair.sendNumber(4);
            assertEquals(1, readable(selector));
            WorkerPair.settle(pair.right);
            assertEquals(List.of(1, 2, 3, 4), pair.numbers());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.4/signal")
    void shouldBecomeReadableBySignalsOnceAndNotBeforeItIsArmed(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode); Selector selector = select(pair.right.selectableChannel(), "R")) {
            assertEquals(Status.OK, pair.right.arm());
            pair.right.signal();
            pair.right.signal();
            assertEquals(1, readable(selector));
            assertEquals(Status.BUSY, pair.right.arm(), "once");
            assertEquals(Status.OK, pair.right.arm());
            assertEquals(0, selector.selectNow());
            WorkerPair.settle(pair.right);
            pair.right.signal(); // wakes: it is still armed
            pair.right.signal(); // not any more
            assertEquals(Status.BUSY, pair.right.arm());
            assertEquals(Status.OK, pair.right.arm());
            assertEquals(0, selector.selectNow());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldBecomeReadableByRoomReleasesCompletionsAndConnections(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode);
             Selector left = select(pair.left.selectableChannel(), "L");
             Selector right = select(pair.right.selectableChannel(), "R")) {
            final List<ReceivedData> kept = new ArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> kept.add(message.retain()));
            pair.sendNumber(0);
            pair.settle();
            assertReadable(pair.right, right, () -> kept.get(0).releaseAsync());
            pair.fillLane();
            assertReadable(pair.left, left, () -> WorkerPair.settle(pair.right));
            pair.settle();
            pair.fillLane();
            final Request pending = pair.send(WorkerPair.number(3), (request, status) -> { });
            assertReadable(pair.left, left, pending::cancel);
            pair.settle();
            assertReadable(pair.right, right, () -> pair.left.connect(pair.right.address()));
            pair.settle();
            assertReadable(pair.left, left, () -> pair.right.close(CloseMode.FORCE, Duration.ofSeconds(15)));
            kept.stream().skip(1).forEach(ReceivedData::close);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @ExpectedLog(value = "worker=right .* pending=\\[received messages\\]", optional = true) // nobody progresses it
    void shouldBecomeReadableWhenTheTimeOfACloseWithinACallbackIsOver(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode); Selector selector = select(pair.left.selectableChannel(), "L")) {
            pair.left.onActiveMessage(WorkerPair.ID, message -> {
                pair.fillLane();
                pair.there.close(CloseMode.FLUSH, Duration.ofMillis(1));
            });
            pair.back().send(WorkerPair.ID, 0, null, WorkerPair.number(1), 0, 8, null, null);
            WorkerPair.settle(pair.left);
            while (pair.left.core().connections().length > 0) {
                if (pair.left.arm() == Status.OK) {
                    while (selector.selectNow() == 0) {
                        pair.transport.runDelayed(); // the time of the next look
                    }
                    selector.selectedKeys().clear();
                }
                pair.left.progress();
            }
            assertEquals(0, pair.left.core().connections().length);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldBecomeReadableForEveryTryOfAMessageThatWaitsForMemory(final ThreadMode mode) throws Exception {
        final AtomicLong nowNs = new AtomicLong();
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT, config -> config.messageMaxBytes(LONG)
                .nanoClock(nowNs::get));
             Selector selector = select(pair.right.selectableChannel(), "R")) {
            final List<ReceivedData> kept = new ArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> kept.add(message.retain()));
            pair.send(WorkerPair.pattern(LONG, 1));
            pair.send(WorkerPair.pattern(LONG, 2));
            pair.settle();
            for (int tries = 1; tries <= 3; tries++) {
                final long refused = pair.right.statistics().poolExhausted();
                assertEquals(Status.OK, pair.right.arm());
                pair.transport.runDelayed();
                assertEquals(0, selector.selectNow(), "not before its time");
                nowNs.addAndGet(TimedWork.RETRY_NS);
                pair.transport.runDelayed();
                assertEquals(1, readable(selector));
                pair.settle();
                assertEquals(refused + 1, pair.right.statistics().poolExhausted(), "tried once");
            }
            kept.get(0).close();
            pair.settle();
            assertEquals(2, kept.size());
            assertEquals(Status.OK, pair.right.arm());
            nowNs.addAndGet(TimedWork.RETRY_NS);
            pair.transport.runDelayed();
            assertEquals(0, selector.selectNow(), "nothing waits any more");
            kept.get(1).close();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLookAtTheTimeOnceHoweverOftenItIsArmed(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT, config -> config.messageMaxBytes(LONG));
             Selector selector = select(pair.right.selectableChannel(), "R")) {
            final List<ReceivedData> kept = new ArrayList<>();
            pair.right.onActiveMessage(WorkerPair.ID, message -> kept.add(message.retain()));
            assertEquals(Status.OK, pair.right.arm());
            final int others = pair.transport.runDelayed();
            pair.send(WorkerPair.pattern(LONG, 1));
            pair.send(WorkerPair.pattern(LONG, 2));
            pair.settle();
            for (int i = 0; i < 10; i++) {
                pair.right.arm();
                pair.right.signal();
            }
            assertEquals(others + 1, pair.transport.runDelayed());
            assertEquals(1, readable(selector), "signalled");
            kept.get(0).close();
            pair.settle();
            kept.get(1).close();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldBeRefusedWhenWakeUpIsOff(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode, SteeredSettings.DEFAULT, config -> config.wakeup(false))) {
            final HeddleException refused = assertThrows(HeddleException.class, pair.right::selectableChannel);
            assertEquals(Status.UNSUPPORTED, refused.status());
            assertTrue(refused.getMessage().startsWith("selectableChannel refused: heddle.wakeup=off"),
                refused.getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldBeClosedWithTheWorker(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode); Selector selector = select(pair.right.selectableChannel(), "R")) {
            final SelectableChannel channel = pair.right.selectableChannel();
            assertEquals(Status.OK, pair.right.arm());
            final CompletableFuture<Void> sleeper = OtherThreads.run(() -> selectUntilClosed(selector, pair.right));
            pair.right.close();
            selector.wakeup();
            sleeper.get(LIMIT_MS, TimeUnit.MILLISECONDS);
            assertFalse(channel.isOpen());
            assertThrows(ClosedException.class, pair.right::selectableChannel);
            pair.right.signal();
            pair.right.close();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldSurviveAnInterruptAndTheApplicationsClosing(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final SelectableChannel first = pair.right.selectableChannel();
            assertSame(first, pair.right.selectableChannel());
            assertEquals(Status.OK, pair.right.arm());
            Thread.currentThread().interrupt();
            pair.right.signal();
            pair.right.arm();
            assertEquals(Status.OK, pair.right.arm());
            assertTrue(Thread.interrupted());
            assertTrue(first.isOpen());
            first.close();
            pair.right.signal();
            pair.right.arm();
            assertEquals(Status.OK, pair.right.arm());
            final SelectableChannel second = pair.right.selectableChannel();
            assertNotSame(first, second);
            try (Selector selector = select(second, "R")) {
                assertReadable(pair.right, selector, pair.right::signal);
            }
        }
    }

    @Test
    void shouldGiveManyThreadsOneChannelOrTellThemThatTheWorkerIsClosed() throws Exception {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI)) {
            for (int round = 0; round < 100; round++) {
                final Worker worker = Worker.create(pair.context, ThreadMode.MULTI);
                final CountDownLatch start = new CountDownLatch(1);
                final List<CompletableFuture<SelectableChannel>> asked = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    asked.add(OtherThreads.supply(() -> askedFor(worker, start)));
                }
                start.countDown();
                worker.close();
                final Set<SelectableChannel> channels = new HashSet<>();
                for (final CompletableFuture<SelectableChannel> each : asked) {
                    channels.add(each.get(LIMIT_MS, TimeUnit.MILLISECONDS));
                }
                channels.remove(null);
                assertTrue(channels.size() <= 1 && channels.stream().noneMatch(SelectableChannel::isOpen));
            }
        }
    }

    private static SelectableChannel askedFor(final Worker worker, final CountDownLatch start) {
        try {
            start.await();
            worker.signal();
            return worker.selectableChannel();
        } catch (final ClosedException ex) {
            return null;
        } catch (final InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    /** The byte of an earlier arming that the writing thread comes to late. */
    @Test
    void shouldNotLetALateByteFallIntoTheNextArming() throws Exception {
        final Queue<Runnable> late = new ArrayDeque<>();
        final WakeChannel channel = new WakeChannel("worker", late::add);
        channel.ring();
        assertTrue(late.isEmpty(), "no channel, no byte");
        try (Selector selector = select(channel.channel(), "R")) {
            channel.ring();
            channel.silence();
            late.remove().run();
            assertEquals(0, selector.selectNow());
            channel.ring();
            channel.ring();
            late.forEach(Runnable::run);
            assertEquals(1, readable(selector));
            channel.silence();
            assertEquals(0, selector.selectNow(), "one byte for two");
            channel.ring();
        } finally {
            channel.close();
            late.forEach(Runnable::run);
        }
    }

    private static void assertReadable(final Worker worker, final Selector selector, final Runnable cause)
        throws IOException {
        assertEquals(Status.OK, worker.arm());
        assertEquals(0, selector.selectNow());
        cause.run();
        assertEquals(1, readable(selector));
    }

    /** How many are readable; asked for anew each time. */
    private static int readable(final Selector selector) throws IOException {
        selector.selectedKeys().clear();
        final int ready = selector.select(LIMIT_MS);
        selector.selectedKeys().clear();
        return ready;
    }

    private static void selectUntilClosed(final Selector selector, final Worker worker) {
        try {
            while (!worker.isClosed()) {
                selector.select(LIMIT_MS);
            }
        } catch (final IOException ex) {
            throw new AssertionError(ex);
        }
    }

    private static Selector select(final SelectableChannel channel, final Object attachment) throws IOException {
        final Selector selector = Selector.open();
        channel.register(selector, SelectionKey.OP_READ, attachment);
        return selector;
    }
}
