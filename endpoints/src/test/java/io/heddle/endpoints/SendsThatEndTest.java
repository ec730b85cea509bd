package io.heddle.endpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.worker.BufferVector;
import io.heddle.worker.Claim;
import io.heddle.worker.Request;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sends that are cut short leave nobody waiting: neither their connection nor the worker. */
@Timeout(30)
final class SendsThatEndTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private final UnsafeBuffer small = new UnsafeBuffer(new byte[16]);

    private static ContextConfig smallRing() {
        return new ContextConfig().ringSlots(2);
    }

    private Request fill(final Duo duo) {
        while (duo.endpoint.trySendActiveMessage(1, null, small, 0, 16) == Status.OK) {
            Thread.onSpinWait();
        }
        return duo.endpoint.sendActiveMessage(1, null, small, 0, 16);
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldCloseAtOnceAfterTheOnlyPendingSendWasCancelled(final ThreadMode mode) throws IOException {
        try (Duo duo = new Duo(mode, smallRing())) {
            final Request pending = fill(duo);
            assertTrue(pending.cancel());
            assertFalse(duo.endpoint.close(CloseMode.FLUSH, LONG).isTimedOut());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldCloseAtOnceAfterThePeerEndedWithSendsPending(final ThreadMode mode) throws IOException {
        try (Duo duo = new Duo(mode, smallRing())) {
            final Request pending = fill(duo);
            duo.far.close(CloseMode.FORCE, Duration.ZERO);
            duo.until(pending::isDone);
            assertFalse(duo.endpoint.close(CloseMode.FLUSH, LONG).isTimedOut());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldFallIdleWhileSendsWaitBehindAClaimAndGoOnAfterIt(final ThreadMode mode) throws IOException {
        final AtomicInteger received = new AtomicInteger();
        try (Duo duo = new Duo(mode, new ContextConfig())) {
            duo.far.onActiveMessage(1, message -> received.incrementAndGet());
            final Claim claim = new Claim();
            assertSame(Status.OK, duo.endpoint.tryClaim(1, 8, claim));
            final Request behind = duo.endpoint.sendActiveMessage(1, null, small, 0, 16);
            duo.until(() -> duo.near.progress() == 0);
            assertFalse(behind.isDone());
            assertSame(Status.IN_PROGRESS, behind.await(Duration.ofMillis(1)));
            claim.commit();
            duo.until(() -> received.get() == 2);
            assertSame(Status.OK, behind.status());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldGoOnAfterAStretchThatShrank(final ThreadMode mode) throws IOException {
        final AtomicInteger received = new AtomicInteger();
        try (Duo duo = new Duo(mode, new ContextConfig())) {
            duo.far.onActiveMessage(1, message -> received.incrementAndGet());
            final UnsafeBuffer shrinking = new UnsafeBuffer(new byte[64]);
            final BufferVector vector = new BufferVector().add(shrinking, 0, 64);
            shrinking.wrap(new byte[8]);
            assertThrows(IndexOutOfBoundsException.class, () -> duo.endpoint.sendActiveMessage(1, null, vector, null));
            assertSame(Status.OK, duo.endpoint.trySendActiveMessage(1, null, small, 0, 16));
            duo.until(() -> received.get() == 1);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldTellOfAPendingSendWhoseBufferShrankAndGoOn(final ThreadMode mode) throws IOException {
        final AtomicInteger received = new AtomicInteger();
        final AtomicInteger told = new AtomicInteger();
        try (Duo duo = new Duo(mode, smallRing())) {
            duo.near.onError((worker, connection, status, error) -> told.incrementAndGet());
            duo.far.onActiveMessage(1, message -> received.incrementAndGet());
            fill(duo);
            final UnsafeBuffer shrinking = new UnsafeBuffer(new byte[64]);
            final BufferVector vector = new BufferVector().add(shrinking, 0, 64);
            final Request broken = duo.endpoint.sendActiveMessage(1, null, vector, null);
            final Request after = duo.endpoint.sendActiveMessage(1, null, small, 0, 16);
            shrinking.wrap(new byte[8]);
            duo.until(after::isDone);
            assertSame(Status.OK, after.status());
            assertSame(Status.INVALID_PARAM, broken.status());
            duo.until(() -> told.get() == 1);
            assertEquals(1, told.get());
        }
    }
}
