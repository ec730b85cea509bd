package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.ClosedException;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.loop.SteeredSettings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages handled by threads beside the one that progresses. */
@Timeout(60)
@ExtendWith(HygieneExtension.class)
final class HandlerPoolTest {
    private static final int FRAGMENT = SteeredSettings.DEFAULT.maxFragmentBytes();
    private static final int MESSAGES = 300;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Integer> handled = new CopyOnWriteArrayList<>();

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldKeepTheOrderOfEachEndpoint(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<Connection> all = connections(pair, 4);
            final Map<Connection, List<Integer>> byConnection = new ConcurrentHashMap<>();
            try (HandlerPool pool = HandlerPool.builder(pair.right).handlers(3).capacity(4)
                .handler((id, data, connection) -> {
                    assertEquals(WorkerPair.ID, id);
                    byConnection.computeIfAbsent(connection, key -> new ArrayList<>()).add(data.getInt(0));
                }).start()) {
                pair.right.onActiveMessage(WorkerPair.ID, pool.asHandler());
                for (int i = 0; i < MESSAGES; i++) {
                    send(all.get(i % all.size()), i);
                }
                pump(pair, () -> pool.handled() == MESSAGES);
            }
            assertEquals(all.size(), byConnection.size());
            for (final List<Integer> each : byConnection.values()) {
                assertEquals(MESSAGES / all.size(), each.size());
                assertEquals(each.stream().sorted().toList(), each);
            }
            assertBalanced(pair);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldHandleEverythingOnceWithoutOrder(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<Connection> all = connections(pair, 2);
            try (HandlerPool pool = HandlerPool.builder(pair.right).handlers(3).capacity(2).ordered(false)
                .handler((id, data, connection) -> handled.add(data.getInt(0))).start()) {
                pair.right.onActiveMessage(WorkerPair.ID, pool.asHandler());
                for (int i = 0; i < MESSAGES; i++) {
                    send(all.get(i % 2), i);
                }
                pump(pair, () -> pool.handled() == MESSAGES);
            }
            assertEquals(IntStream.range(0, MESSAGES).boxed().toList(), handled.stream().sorted().toList());
            assertBalanced(pair);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldPostponeWhenFullAndGoOn(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final CountDownLatch goOn = new CountDownLatch(1);
            try (HandlerPool pool = HandlerPool.builder(pair.right).capacity(2).handler((id, data, connection) -> {
                await(goOn);
                handled.add(data.getInt(0));
            }).start()) {
                pair.right.onActiveMessage(WorkerPair.ID, pool.asHandler());
                for (int i = 0; i < 50; i++) {
                    pair.sendNumber(i);
                }
                pump(pair, () -> pair.right.statistics().postponed() > 0);
                pair.settle();
                assertTrue(pair.back().isPaused());
                assertEquals(List.of(), handled);
                goOn.countDown();
                pump(pair, () -> handled.size() == 50);
            }
            assertEquals(IntStream.range(0, 50).boxed().toList(), handled);
            assertEquals(50, pair.right.statistics().messagesReceived());
            assertBalanced(pair);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLetASlowHandlerHoldUpItsOwnEndpointsOnly(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final List<Connection> all = connections(pair, 2);
            final CountDownLatch goOn = new CountDownLatch(1);
            try (HandlerPool pool = HandlerPool.builder(pair.right).handlers(2).capacity(2)
                .handler((id, data, connection) -> {
                    if (data.getInt(0) == 0) {
                        await(goOn);
                    }
                    handled.add(data.getInt(0));
                }).start()) {
                pair.right.onActiveMessage(WorkerPair.ID, pool.asHandler());
                IntStream.range(0, 10).forEach(i -> send(all.get(0), i));
                IntStream.range(10, 40).forEach(i -> send(all.get(1), i));
                pump(pair, () -> handled.size() == 30);
                assertEquals(IntStream.range(10, 40).boxed().toList(), handled);
                goOn.countDown();
                pump(pair, () -> handled.size() == 40);
            }
            assertBalanced(pair);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldHandOverEverySizeInPlace(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final int[] sizes = {0, 8, 300, FRAGMENT, 3 * FRAGMENT + 1};
            try (HandlerPool pool = HandlerPool.builder(pair.right).handler((id, data, connection) -> {
                final byte[] copy = new byte[data.capacity()];
                data.getBytes(0, copy);
                if (java.util.Arrays.equals(WorkerPair.bytes(copy.length, 1), copy)) {
                    handled.add(copy.length);
                }
            }).start()) {
                pair.right.onActiveMessage(WorkerPair.ID, pool.asHandler());
                for (final int bytes : sizes) {
                    pair.send(WorkerPair.pattern(bytes, 1));
                }
                pump(pair, () -> pool.handled() == sizes.length);
            }
            assertEquals(IntStream.of(sizes).boxed().toList(), handled);
            assertBalanced(pair);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellWhatAHandlerThrowsAndGoOn(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            try (HandlerPool pool = HandlerPool.builder(pair.right).handler((id, data, connection) -> {
                if (data.getInt(0) % 2 == 0) {
                    throw new AssertionError("on purpose " + data.getInt(0));
                }
                handled.add(data.getInt(0));
                data.close();
            }).start()) {
                pair.right.onActiveMessage(WorkerPair.ID, pool.asHandler());
                IntStream.range(0, 10).forEach(pair::sendNumber);
                pump(pair, () -> pool.handled() == 10);
            }
            assertEquals(List.of(1, 3, 5, 7, 9), handled);
            assertEquals(5, pair.takeErrors().size());
            assertBalanced(pair);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLetGoAndCountWhatIsLeftAtClose(final ThreadMode mode) throws Exception {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final CountDownLatch inside = new CountDownLatch(1);
            final CountDownLatch goOn = new CountDownLatch(1);
            final HandlerPool pool = HandlerPool.builder(pair.right).capacity(8).handler((id, data, connection) -> {
                inside.countDown();
                await(goOn);
                handled.add(data.getInt(0));
            }).start();
            pair.right.onActiveMessage(WorkerPair.ID, pool.asHandler());
            IntStream.range(0, 6).forEach(pair::sendNumber);
            pump(pair, () -> inside.getCount() == 0 && pair.right.statistics().messagesReceived() == 6);
            assertEquals(new CloseReport(0, 0, List.of(), true), pool.close(CloseMode.FORCE, Duration.ZERO));
            pair.sendNumber(99);
            pump(pair, () -> pair.right.statistics().callbacksFailed() == 1);
            assertInstanceOf(ClosedException.class, pair.takeErrors().get(0));
            goOn.countDown();
            assertEquals(new CloseReport(5, 40, List.of(), false), pool.close(CloseMode.FORCE, Duration.ofSeconds(20)));
            assertEquals(List.of(0), handled);
            assertEquals(CloseReport.CLEAN, pool.close(CloseMode.FLUSH, Duration.ZERO));
            assertBalanced(pair);
        }
    }

    // ---- policies

    @ParameterizedTest
    @EnumSource(value = ThreadMode.class, names = {"SERIALIZED", "MULTI"})
    void shouldReleaseDirectlyWhereTheModeAllowsIt(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final AtomicInteger sum = new AtomicInteger();
            final HandlerPool.Builder builder = HandlerPool.builder(pair.right).capacity(4)
                .releasePolicy(ReleasePolicy.DIRECT).handler((id, data, connection) -> sum.addAndGet(data.getInt(0)));
            if (mode == ThreadMode.SERIALIZED) {
                builder.applicationLock(lock);
            }
            try (HandlerPool pool = builder.start()) {
                pair.right.onActiveMessage(WorkerPair.ID, pool.asHandler());
                IntStream.range(0, 100).forEach(pair::sendNumber);
                pump(pair, () -> pool.handled() == 100);
            }
            assertEquals(4950, sum.get());
            assertEquals(0, pair.right.statistics().violations());
            assertBalanced(pair);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldRefuseWhatCannotWork(final ThreadMode mode) {
        try (WorkerPair pair = WorkerPair.open(mode)) {
            final PooledHandler nothing = (id, data, connection) -> { };
            assertInvalid("handlers=0", HandlerPool.builder(pair.right).handlers(0).handler(nothing));
            assertInvalid("capacity=3", HandlerPool.builder(pair.right).capacity(3).handler(nothing));
            assertInvalid("capacity=0", HandlerPool.builder(pair.right).capacity(0).handler(nothing));
            assertInvalid("handler=null", HandlerPool.builder(pair.right));
            if (mode != ThreadMode.MULTI) {
                assertInvalid("releasePolicy=DIRECT mode=" + mode,
                    HandlerPool.builder(pair.right).releasePolicy(ReleasePolicy.DIRECT).handler(nothing));
            }
        }
    }

    private static void assertInvalid(final String text, final HandlerPool.Builder builder) {
        final HeddleException refused = assertThrows(HeddleException.class, builder::start);
        assertEquals(Status.INVALID_PARAM, refused.status());
        assertTrue(refused.getMessage().contains(text), refused.getMessage());
    }

    private static List<Connection> connections(final WorkerPair pair, final int count) {
        final List<Connection> all = new ArrayList<>(List.of(pair.there));
        for (int i = 1; i < count; i++) {
            all.add(pair.left.connect(pair.right.address()));
        }
        pair.settle();
        return all;
    }

    private static void send(final Connection connection, final int number) {
        connection.send(WorkerPair.ID, 0, null, WorkerPair.number(number), 0, 8, null, null);
    }

    /** Progresses both, in turns with whoever takes the application's lock, until something is so. */
    private void pump(final WorkerPair pair, final BooleanSupplier condition) {
        final long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            lock.lock();
            try {
                pair.left.progress();
                pair.right.progress();
            } finally {
                lock.unlock();
            }
            Thread.yield();
            assertTrue(System.nanoTime() - start < PATIENCE_NS, pair.right::describe);
        }
    }

    private void assertBalanced(final WorkerPair pair) {
        pump(pair, () -> pair.right.statistics().poolInUse() == 0);
    }

    private static void await(final CountDownLatch latch) {
        try {
            assertTrue(latch.await(40, TimeUnit.SECONDS));
        } catch (final InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
