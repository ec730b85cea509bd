package io.heddle.tests.loop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.Leak;
import io.heddle.context.PoolElement;
import io.heddle.context.Status;
import io.heddle.context.spi.ReceiveBatch;
import io.heddle.context.spi.WaitState;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeoutException;

/**
 * What every transport owes the worker, said as tests over a pair of connected lanes. A subclass gives the pair.
 *
 * <p>A transport may have threads of its own, and may lend its first descriptors only when they are wanted: the tests
 * step both sides and wait wherever that is allowed to take time.
 *
 * <p>Longer than most because the whole contract stands in one place, a test for each sentence of it.
 */
@Timeout(60)
public abstract class LaneContract {
    private static final int HEADER_BYTES = 16;
    /** More than any ring holds. */
    private static final int ENOUGH_TO_FILL = 1 << 20;
    /** The smallest ring holds so many. */
    private static final int FEW_RECORDS = 2;

    private LanePair pair;
    private LaneSide left;
    private LaneSide right;
    private int keptAtClose;

    /** A pair by {@link LanePair#connect}, not waited for; closed by the suite. */
    protected abstract LanePair connectPair();

    /** Closes what {@link #connectPair} opened beside the pair, such as transports. */
    protected abstract void closeTransports();

    @BeforeEach
    final void open() throws TimeoutException {
        pair = connectPair();
        left = pair.left();
        final Status early = send(left, 0, 1);
        assertTrue(left.isConnected() || early == Status.NO_RESOURCE, "before it is told, a lane refuses: " + early);
        pair.awaitOpen();
        right = pair.right();
    }

    @AfterEach
    final void close() {
        pair.close();
        closeTransports();
        final List<Leak> leaks = new ArrayList<>(left.leaks());
        leaks.addAll(right.leaks());
        assertEquals(keptAtClose, leaks.size(), leaks::toString);
    }

    // ---- records

    @Test
    void shouldTellBothSidesOnceThatTheyAreConnected() {
        pair.step();
        assertEquals(List.of("connected"), left.tidings());
        assertEquals(List.of("accepted"), right.tidings());
        assertTrue(left.lane().isReady());
        assertTrue(right.lane().isReady());
    }

    @Test
    void shouldCarryRecordsOfEverySizeUnchanged() throws TimeoutException {
        for (final int length : sizes()) {
            sendEventually(left, length, length);
            awaitRecord();
            assertEquals(1, right.batch().size());
            assertEquals(length, right.batch().record(0).length);
            assertArrayEquals(pattern(length, length), right.bytes(0), "length=" + length);
            right.retire();
        }
    }

    @Test
    void shouldAlignWhatItShows() throws TimeoutException {
        for (final int length : sizes()) {
            sendEventually(left, length, length);
            awaitRecord();
            final long alignment = right.batch().record(0).element == null ? Long.BYTES : 64;
            assertEquals(0, right.batch().record(0).address % alignment, "length=" + length);
            right.retire();
        }
    }

    @Test
    void shouldPlaceTheHeaderAtTheNextMultipleOfEight() throws TimeoutException {
        for (final int length : sizes()) {
            final int headerAt = BitUtil.align(length, Long.BYTES);
            if (headerAt + HEADER_BYTES > left.lane().maxFragmentBytes()) {
                continue;
            }
            pair.await("room", () -> left.lane().send(1, 0, buffer(length, 3), 0, length, buffer(HEADER_BYTES, 77),
                HEADER_BYTES) == Status.OK);
            awaitRecord();
            final byte[] bytes = right.bytes(0);
            assertEquals(headerAt + HEADER_BYTES, bytes.length);
            final byte[] data = new byte[length];
            System.arraycopy(bytes, 0, data, 0, length);
            final byte[] header = new byte[HEADER_BYTES];
            System.arraycopy(bytes, headerAt, header, 0, HEADER_BYTES);
            assertArrayEquals(pattern(length, 3), data, "length=" + length);
            assertArrayEquals(pattern(HEADER_BYTES, 77), header, "length=" + length);
            right.retire();
        }
    }

    @Test
    void shouldCarryTypeAndEveryBitOfMeta() throws TimeoutException {
        final long[] metas = {0L, -1L, Long.MIN_VALUE, 0x0123_4567_89AB_CDEFL};
        for (final int type : new int[] {0, 1, 127}) {
            for (final long meta : metas) {
                assertEquals(Status.OK, left.lane().send(type, meta, null, 0, 0, null, 0));
                awaitRecord();
                assertEquals(type, right.batch().record(0).type);
                assertEquals(meta, right.batch().record(0).meta);
                right.retire();
            }
        }
    }

    @Test
    void shouldKeepTheOrderOfAcceptance() throws TimeoutException {
        final int[] sizes = sizes();
        final List<Long> sent = new ArrayList<>();
        final List<Long> received = new ArrayList<>();
        for (int i = 0; i < 50 * sizes.length; i++) {
            final int length = sizes[i % sizes.length];
            final long meta = i;
            pair.await("room", () -> {
                received.addAll(right.receive());
                return send(left, meta, length) == Status.OK;
            });
            sent.add(meta);
        }
        pair.await("all records", () -> !received.addAll(right.receive()) && received.size() == sent.size());
        assertEquals(sent, received);
    }

    @Test
    void shouldKeepItsDirectionsApart() throws TimeoutException {
        assertEquals(Status.OK, send(left, 1, 8));
        assertEquals(Status.OK, send(right, 2, 8));
        assertEquals(Status.OK, send(left, 3, 8));
        assertEquals(List.of(1L, 3L), receiveAll(right, 2));
        assertEquals(List.of(2L), receiveAll(left, 1));
    }

    @Test
    void shouldShowThatSomethingHasArrived() throws TimeoutException {
        assertFalse(right.lane().hasReceived());
        assertEquals(Status.OK, send(left, 1, 8));
        pair.await("arrival", right.lane()::hasReceived);
        right.receive();
        assertFalse(right.lane().hasReceived());
    }

    @Test
    void shouldCollectNoMoreThanItIsAllowed() throws TimeoutException {
        for (int i = 0; i < FEW_RECORDS; i++) {
            assertEquals(Status.OK, send(left, i, 8));
        }
        pair.await("arrival", right.lane()::hasReceived);
        final ReceiveBatch small = new ReceiveBatch(FEW_RECORDS);
        assertEquals(1, right.lane().collect(small, 1));
        right.lane().rewind(small, 0, 1);
        final ReceiveBatch smaller = new ReceiveBatch(1);
        assertEquals(1, right.lane().collect(smaller, 5));
        assertEquals(0, right.lane().collect(smaller, 5));
        right.lane().retire(smaller, 0, 1);
        assertEquals(List.of(1L), receiveAll(right, 1));
    }

    // ---- room

    @Test
    void shouldLeaveNothingOfARefusedSend() throws TimeoutException {
        final int accepted = fill();
        assertEquals(Status.NO_RESOURCE, send(left, -1, 8));
        final List<Long> received = receiveAll(right, accepted);
        pair.step();
        assertEquals(List.of(), right.receive());
        for (int i = 0; i < accepted; i++) {
            assertEquals(i, received.get(i));
        }
    }

    @Test
    void shouldShowRoomOnceRecordsWereRetired() throws TimeoutException {
        fill();
        assertFalse(left.lane().hasRoom(), "full");
        right.collect();
        pair.step();
        assertFalse(left.lane().hasRoom(), "collected and not retired: " + left.lane().describe());
        right.retire();
        pair.await("room", left.lane()::hasRoom);
        assertEquals(Status.OK, send(left, -1, 8));
        while (!right.receive().contains(-1L)) {
            pair.step();
        }
    }

    @Test
    void shouldCountWhatThePeerHasNotRetired() throws TimeoutException {
        assertEquals(0, left.lane().unretired());
        for (int i = 0; i < FEW_RECORDS; i++) {
            assertEquals(Status.OK, send(left, i, 8));
        }
        assertEquals(FEW_RECORDS, left.lane().unretired());
        pair.await("arrival", () -> right.collect() == FEW_RECORDS || rewindAll());
        assertEquals(FEW_RECORDS, left.lane().unretired());
        right.lane().retire(right.batch(), 0, 1);
        assertEquals(1, left.lane().unretired());
        right.lane().retire(right.batch(), 1, FEW_RECORDS);
        assertEquals(0, left.lane().unretired());
    }

    @Test
    void shouldFindRewoundRecordsAgain() throws TimeoutException {
        final int length = left.lane().maxFragmentBytes();
        assertEquals(Status.OK, send(left, 1, 8));
        sendEventually(left, 2, length);
        pair.await("arrival", () -> right.collect() == FEW_RECORDS || rewindAll());
        right.lane().rewind(right.batch(), 1, FEW_RECORDS);
        right.lane().retire(right.batch(), 0, 1);
        assertEquals(Status.OK, send(left, 3, 9));
        assertTrue(right.lane().hasReceived());
        assertEquals(2, left.lane().unretired());
        pair.await("arrival", () -> right.collect() == FEW_RECORDS || rewindAll());
        assertEquals(2, right.batch().record(0).meta);
        assertArrayEquals(pattern(length, 2), right.bytes(0));
        assertEquals(3, right.batch().record(1).meta);
        assertArrayEquals(pattern(9, 3), right.bytes(1));
        right.retire();
        assertEquals(0, left.lane().unretired());
    }

    @Test
    void shouldFindARewoundRecordAgainThatSomebodyKeeps() throws TimeoutException {
        final int length = left.lane().maxFragmentBytes();
        sendEventually(left, 1, length);
        awaitRecord();
        final PoolElement kept = right.batch().record(0).element;
        kept.retain(kept.generation());
        right.lane().rewind(right.batch(), 0, 1);
        assertArrayEquals(pattern(length, 1), copy(kept, length));

        awaitRecord();
        assertEquals(kept, right.batch().record(0).element);
        right.retire();
        assertEquals(1, right.side().heldElements());
        assertArrayEquals(pattern(length, 1), copy(kept, length));
        right.release(kept, kept.generation());
        pair.await("return", () -> right.side().heldElements() == 0);
    }

    @Test
    void shouldLeaveARewoundRecordWithItsHolderWhenTheLaneGoes() throws TimeoutException {
        final int length = left.lane().maxFragmentBytes();
        sendEventually(left, 1, length);
        awaitRecord();
        final PoolElement kept = right.batch().record(0).element;
        kept.retain(kept.generation());
        right.lane().rewind(right.batch(), 0, 1);
        right.dispose();

        assertEquals(1, right.side().heldElements());
        assertArrayEquals(pattern(length, 1), copy(kept, length));
        right.release(kept, kept.generation());
        pair.await("return", () -> right.side().heldElements() == 0);
    }

    // ---- reservations

    @Test
    void shouldPublishWhatWasWrittenIntoAReservation() throws TimeoutException {
        for (final int length : sizes()) {
            reserveEventually(length);
            new UnsafeBuffer(left.lane().reservedAddress(), length).putBytes(0, pattern(length, 5));
            pair.step();
            assertEquals(0, right.collect(), "nothing is seen of an open reservation");
            assertEquals(Status.OK, left.lane().publish(9, length, length));
            awaitRecord();
            assertEquals(9, right.batch().record(0).type);
            assertArrayEquals(pattern(length, 5), right.bytes(0), "length=" + length);
            right.retire();
        }
    }

    @Test
    void shouldPublishLessThanWasReserved() throws TimeoutException {
        reserveEventually(100);
        new UnsafeBuffer(left.lane().reservedAddress(), 100).putBytes(0, pattern(100, 5));
        assertEquals(Status.OK, left.lane().publish(1, 0, 11));
        awaitRecord();
        assertArrayEquals(pattern(11, 5), right.bytes(0));
        right.retire();
    }

    @Test
    void shouldShowNothingOfAnAbandonedReservation() throws TimeoutException {
        for (int i = 0; i < 200; i++) {
            reserveEventually(i % 2 == 0 ? 8 : left.lane().maxFragmentBytes());
            left.lane().abandon();
        }
        assertEquals(0, left.lane().unretired());
        assertEquals(Status.OK, send(left, 1, 8));
        assertEquals(List.of(1L), receiveAll(right, 1));
    }

    @Test
    void shouldRefuseEverySendWhileAReservationIsOpen() throws TimeoutException {
        reserveEventually(8);
        assertEquals(Status.NO_RESOURCE, send(left, 1, 8));
        assertEquals(Status.NO_RESOURCE, left.lane().reserve(8));
        assertEquals(Status.OK, left.lane().publish(1, 2, 8));
        assertEquals(Status.OK, send(left, 3, 8));
        assertEquals(List.of(2L, 3L), receiveAll(right, 2));
    }

    // ---- descriptors

    @Test
    void shouldLeaveAKeptDescriptorWithItsHolder() throws TimeoutException {
        final int length = left.lane().maxFragmentBytes();
        final PoolElement kept = keepOne(length, 42);
        for (int i = 0; i < 100; i++) {
            sendEventually(left, i, length);
            awaitRecord();
            assertNotEquals(kept.address(), right.batch().record(0).address);
            right.retire();
        }
        assertArrayEquals(pattern(length, 42), copy(kept, length));
        right.release(kept, kept.generation());
    }

    @Test
    void shouldLendReleasedDescriptorsAgain() throws TimeoutException {
        final int length = left.lane().maxFragmentBytes();
        for (int i = 0; i < 500; i++) {
            final PoolElement kept = keepOne(length, i);
            assertEquals(1, right.side().heldElements());
            right.release(kept, kept.generation());
            pair.await("return", () -> right.side().heldElements() == 0);
        }
        assertTrue(right.side().pools().stream().allMatch(pool -> pool.highWater() < 500));
    }

    @Test
    void shouldNameItsOwnerInThePools() throws TimeoutException {
        final PoolElement kept = keepOne(left.lane().maxFragmentBytes(), 1);
        assertEquals(right, kept.pool().attachment());
        assertEquals(right.lane(), kept.lane());
        assertTrue(right.side().pools().contains(kept.pool()));
        right.release(kept, kept.generation());
    }

    @Test
    void shouldKeepDataReadableAfterTheEndOfEverything() throws TimeoutException {
        final int length = left.lane().maxFragmentBytes();
        final PoolElement kept = keepOne(length, 42);
        keptAtClose = 1;
        left.close();
        pair.await("end", right::isDrained);
        right.close();
        assertArrayEquals(pattern(length, 42), copy(kept, length));
        right.release(kept, kept.generation());
    }

    @Test
    void shouldTakeBackADescriptorAfterItsLaneIsGone() throws TimeoutException {
        final PoolElement kept = keepOne(left.lane().maxFragmentBytes(), 42);
        right.dispose();
        assertEquals(1, right.side().heldElements());
        right.release(kept, kept.generation());
        pair.await("return", () -> right.side().heldElements() == 0);
        assertFalse(kept.isHeld());
    }

    // ---- waking

    @Test
    void shouldSignalOnlyAReaderThatIsArmed() throws TimeoutException {
        right.side().waitState(WaitState.POLLING);
        assertEquals(Status.OK, send(left, 1, 8));
        assertFalse(left.lane().signalNeeded());
        assertEquals(List.of(1L), receiveAll(right, 1));
        right.side().waitState(WaitState.MAY_SLEEP);
        assertEquals(Status.OK, send(left, 2, 8));
        assertFalse(left.lane().signalNeeded());
        right.side().waitState(WaitState.ARMED);
        assertEquals(Status.OK, send(left, 3, 8));
        assertTrue(left.lane().signalNeeded());
        final int before = right.wakeUps();
        left.lane().signal();
        pair.await("wake-up", () -> right.wakeUps() > before);
        right.side().waitState(WaitState.POLLING);
        assertEquals(List.of(2L, 3L), receiveAll(right, 2));
    }

    @Test
    void shouldSignalOncePerArming() throws TimeoutException {
        right.side().waitState(WaitState.ARMED);
        assertEquals(Status.OK, send(left, 1, 8));
        assertTrue(left.lane().signalNeeded());
        assertEquals(Status.OK, send(left, 2, 8));
        assertFalse(left.lane().signalNeeded());
        assertEquals(List.of(1L, 2L), receiveAll(right, 2));
        right.side().waitState(WaitState.ARMED + 2);
        assertEquals(Status.OK, send(left, 3, 8));
        assertTrue(left.lane().signalNeeded());
        right.side().waitState(WaitState.POLLING);
        assertEquals(List.of(3L), receiveAll(right, 1));
    }

    @Test
    void shouldSignalRoomOnlyToAWriterThatWaitsForIt() throws TimeoutException {
        left.side().waitState(WaitState.ARMED);
        assertEquals(Status.OK, send(left, 1, 8));
        assertEquals(List.of(1L), receiveAll(right, 1));
        assertFalse(right.lane().signalNeededForRoom());
        left.side().waitState(WaitState.ARMED + 3);
        assertEquals(Status.OK, send(left, 2, 8));
        assertEquals(List.of(2L), receiveAll(right, 1));
        assertTrue(right.lane().signalNeededForRoom());
        left.side().waitState(WaitState.POLLING);
    }

    // ---- the end

    @Test
    void shouldLoseNothingBetweenFinishAndDrained() throws TimeoutException {
        final int accepted = fill();
        left.lane().finish();
        left.lane().finish();
        final List<Long> received = new ArrayList<>();
        pair.await("end", () -> {
            received.addAll(right.receive());
            return right.isDrained();
        });
        assertEquals(accepted, received.size());
        pair.step();
        assertEquals(0, right.collect());
        assertEquals(Status.CONNECTION_RESET, right.gone());
        assertEquals(List.of("accepted", "gone CONNECTION_RESET", "drained"), right.tidings());
    }

    @Test
    void shouldShowAndTakeControlWhileRecordsWait() throws TimeoutException {
        fill();
        assertFalse(right.lane().hasControl());
        left.lane().finish();
        pair.await("the farewell", () -> right.lane().hasControl());
        assertTrue(right.lane().hasReceived());
        assertTrue(right.lane().control() > 0);
        assertFalse(right.lane().hasControl());
        pair.step();
        assertEquals(Status.CONNECTION_RESET, right.gone());
        assertTrue(right.lane().hasReceived(), "the records are still there");
        assertFalse(right.isDrained());
    }

    @Test
    void shouldLoseNothingWhenTheWriterDisposesOfItsLane() throws TimeoutException {
        final int accepted = fill();
        left.dispose();
        left.lane().dispose();
        final List<Long> received = new ArrayList<>();
        pair.await("end", () -> {
            received.addAll(right.receive());
            return right.isDrained();
        });
        assertEquals(accepted, received.size());
    }

    @Test
    void shouldRefuseSendsForGoodOnceThePeerIsGone() throws TimeoutException {
        left.dispose();
        pair.await("end", () -> right.gone() != null);
        assertFalse(right.lane().isReady());
        final Status status = send(right, 1, 8);
        assertTrue(status.isError() && status != Status.NO_RESOURCE, status::toString);
        assertEquals(right.gone(), status);
    }

    // ---- two threads

    @Test
    void shouldCarryEveryRecordBetweenTwoThreads() throws Exception {
        final int records = 20_000;
        final int[] sizes = sizes();
        final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        final Thread writer = new Thread(() -> {
            for (int i = 0; i < records && failures.isEmpty(); ) {
                final int length = sizes[i % sizes.length];
                if (send(left, i, length) == Status.OK) {
                    i++;
                } else {
                    left.step();
                    Thread.yield();
                }
            }
        }, "writer");
        writer.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure));
        writer.start();
        try {
            int next = 0;
            while (next < records && failures.isEmpty()) {
                right.step();
                final int collected = right.collect();
                for (int i = 0; i < collected; i++, next++) {
                    assertEquals(next, right.batch().record(i).meta);
                    assertArrayEquals(pattern(sizes[next % sizes.length], next), right.bytes(i));
                }
                right.retire();
                if (collected == 0) {
                    Thread.yield();
                }
            }
        } catch (final Throwable ex) {
            failures.add(ex);
        }
        writer.join();
        assertEquals(List.of(), failures);
    }

    // ---- helpers

    /** The pair, open. */
    protected final LanePair pair() {
        return pair;
    }

    private int[] sizes() {
        final int inline = left.lane().maxInlineBytes();
        return new int[] {0, 1, 7, 8, 9, inline - 1, inline, inline + 1, left.lane().maxFragmentBytes()};
    }

    /** Small records until one is refused; how many were accepted, with metas from 0 on. */
    private int fill() {
        int accepted = 0;
        Status status = Status.OK;
        while (status == Status.OK && accepted < ENOUGH_TO_FILL) {
            status = send(left, accepted, 8);
            accepted += status == Status.OK ? 1 : 0;
        }
        assertEquals(Status.NO_RESOURCE, status);
        return accepted;
    }

    private void awaitRecord() throws TimeoutException {
        pair.await("record", () -> right.collect() > 0);
        assertEquals(1, right.batch().size());
    }

    private boolean rewindAll() {
        right.lane().rewind(right.batch(), 0, right.batch().size());
        return false;
    }

    private List<Long> receiveAll(final LaneSide side, final int records) throws TimeoutException {
        final List<Long> received = new ArrayList<>();
        pair.await("records=" + records, () -> {
            received.addAll(side.receive());
            return received.size() >= records;
        });
        return received;
    }

    private PoolElement keepOne(final int length, final int meta) throws TimeoutException {
        sendEventually(left, meta, length);
        awaitRecord();
        final PoolElement element = right.batch().record(0).element;
        assertNotNull(element, "a record of the largest size lies in a descriptor");
        assertTrue(right.lane().keepsInPlace(element));
        element.retain(element.generation());
        right.retire();
        assertEquals(1, element.references());
        return element;
    }

    private void sendEventually(final LaneSide side, final long meta, final int length) throws TimeoutException {
        pair.await("room", () -> send(side, meta, length) == Status.OK);
    }

    private void reserveEventually(final int length) throws TimeoutException {
        pair.await("room", () -> left.lane().reserve(length) == Status.OK);
    }

    private static Status send(final LaneSide side, final long meta, final int length) {
        return side.lane().send(1, meta, buffer(length, meta), 0, length, null, 0);
    }

    private static byte[] copy(final PoolElement element, final int length) {
        final byte[] copy = new byte[length];
        new UnsafeBuffer(element.address(), length).getBytes(0, copy);
        return copy;
    }

    private static UnsafeBuffer buffer(final int length, final long seed) {
        return new UnsafeBuffer(pattern(length, seed));
    }

    /** Bytes that differ from place to place and from seed to seed. */
    private static byte[] pattern(final int length, final long seed) {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (31 * i + i / 251 + seed * 7 + 1);
        }
        return bytes;
    }
}
