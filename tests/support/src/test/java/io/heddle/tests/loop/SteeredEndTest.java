package io.heddle.tests.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.MemoryPool;
import io.heddle.context.Status;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.concurrent.TimeoutException;

/** How steered connections begin and end badly. */
@Timeout(30)
final class SteeredEndTest {
    private static final int LARGE = SteeredSettings.LEAST_MAX_INLINE_BYTES + 1;

    private final SteeredTransport transport = new SteeredTransport(SteeredSettings.DEFAULT);
    private LanePair pair;

    @BeforeEach
    void connect() {
        pair = LanePair.connect(transport, transport);
    }

    @AfterEach
    void close() {
        pair.close();
        transport.close();
    }

    @Test
    void shouldFailAtTheStepThatWasSaid() throws TimeoutException {
        pair.awaitOpen();
        left().failAt(SteeredCall.SEND, 3, Status.IO_ERROR);
        assertEquals(Status.OK, send(1));
        assertEquals(Status.OK, send(2));
        assertEquals(Status.IO_ERROR, send(3));
        assertEquals(Status.IO_ERROR, send(4));
        assertFalse(pair.left().lane().isReady());
        pair.step();
        assertEquals(List.of("connected", "gone IO_ERROR", "drained"), pair.left().tidings());
        assertEquals(List.of("accepted", "gone CONNECTION_RESET"), pair.right().tidings());
        assertEquals(List.of(1L, 2L), pair.right().receive());
        assertEquals(List.of("accepted", "gone CONNECTION_RESET", "drained"), pair.right().tidings());
    }

    @Test
    void shouldEndAReservationThatFailsAtPublication() throws TimeoutException {
        pair.awaitOpen();
        left().failAt(SteeredCall.PUBLISH, 1, Status.SHMEM_SEGMENT);
        assertEquals(Status.OK, pair.left().lane().reserve(LARGE));
        assertEquals(Status.SHMEM_SEGMENT, pair.left().lane().publish(1, 1, 8));
        pair.step();
        assertEquals(List.of(), pair.right().receive());
        assertEquals(Status.SHMEM_SEGMENT, pair.left().gone());
        assertTrue(pair.right().isDrained());
    }

    @Test
    void shouldDrainWhatADeadPeerHadPublishedAndThatWasHeld() throws TimeoutException {
        pair.awaitOpen();
        right().holdDelivery();
        send(1);
        send(2);
        right().killPeer();
        pair.step();
        assertEquals(Status.CONNECTION_RESET, pair.right().gone());
        assertEquals(Status.CONNECTION_RESET, send(3));
        assertFalse(pair.right().isDrained());
        right().deliver(1);
        assertEquals(List.of(1L), pair.right().receive());
        assertFalse(pair.right().isDrained());
        right().deliver(1);
        assertEquals(List.of(2L), pair.right().receive());
        assertTrue(pair.right().isDrained());
        assertFalse(pair.right().lane().hasReceived());
    }

    @Test
    void shouldKillEveryPeerOfAnInterface() throws TimeoutException {
        pair.awaitOpen();
        try (LanePair other = LanePair.connect(transport, transport).awaitOpen()) {
            ((SteeredInterface) pair.right().side()).steering().killPeer();
            pair.step();
            other.step();
            assertEquals(Status.CONNECTION_RESET, pair.right().gone());
            assertNull(other.right().gone());
        }
    }

    @Test
    void shouldTellOfConnectionsOnlyWhenCompleted() throws TimeoutException {
        try (LanePair other = connectHeld()) {
            other.step();
            assertFalse(other.left().isConnected());
            assertEquals(Status.NO_RESOURCE, other.left().lane().send(1, 1, null, 0, 0, null, 0));
            assertEquals(1, transport.steering().completeConnects(1));
            transport.steering().resumeConnects();
            other.awaitOpen();
            assertEquals(Status.OK, other.left().lane().send(1, 1, null, 0, 0, null, 0));
        }
    }

    @Test
    void shouldTellOfAnEndAfterTheConnectionItBelongsTo() {
        pair.left().step();
        assertEquals(Status.OK, send(1));
        pair.left().dispose();
        pair.right().step();
        pair.right().step();
        assertEquals(List.of(1L), pair.right().receive());
        assertEquals(List.of("accepted", "gone CONNECTION_RESET", "drained"), pair.right().tidings());
    }

    @Test
    void shouldLetAConnectionFailWithTheStatusThatWasSaid() {
        transport.steering().refuseConnects(1, Status.REJECTED);
        try (LanePair other = LanePair.connect(transport, transport)) {
            other.step();
            assertEquals(List.of("gone REJECTED", "drained"), other.left().tidings());
            assertEquals(List.of(), other.right().tidings());
            assertEquals(Status.REJECTED, other.left().lane().send(1, 1, null, 0, 0, null, 0));
        }
    }

    @Test
    void shouldTellThatNobodyIsThere() {
        final byte[] address = pair.right().side().address();
        pair.right().close();
        assertNull(transport.unreachableReason(address));
        final SteeredLane lane = (SteeredLane) pair.left().side().connect(address);
        pair.left().step();
        assertEquals(Status.UNREACHABLE, pair.left().gone());
        lane.dispose();
        assertEquals("address_bytes=3 must be 16", transport.unreachableReason(new byte[3]));
        assertEquals("the address is of another process", transport.unreachableReason(new byte[16]));
    }

    @Test
    void shouldConnectAnInterfaceToItself() {
        final SteeredLane near = (SteeredLane) pair.left().side().connect(pair.left().side().address());
        pair.left().step();
        assertTrue(near.isReady());
        assertTrue(near.peer().isReady());
        assertEquals(Status.OK, near.send(1, 1, null, 0, 0, null, 0));
        assertTrue(near.peer().hasReceived());
        assertFalse(near.hasReceived());
    }

    @Test
    void shouldFlipBitsOfOneMeta() throws TimeoutException {
        pair.awaitOpen();
        right().corruptMeta(1L << 63 | 2);
        send(1);
        send(2);
        assertEquals(List.of(Long.MIN_VALUE | 3, 2L), pair.right().receive());
    }

    @Test
    void shouldFindAnImpossibleLengthToBeAViolation() throws TimeoutException {
        pair.awaitOpen();
        send(1);
        assertEquals(List.of(1L), pair.right().receive());
        right().corruptLength(SteeredSettings.LEAST_MAX_INLINE_BYTES + 1);
        send(2);
        send(3);
        assertEquals(List.of(), pair.right().receive());
        pair.step();
        assertEquals(List.of("accepted", "gone PROTOCOL_VIOLATION", "drained"), pair.right().tidings());
        assertEquals(Status.CONNECTION_RESET, pair.left().gone());
        assertEquals(List.of(), pair.right().receive());
    }

    @Test
    void shouldFindAnImpossibleTypeToBeAViolation() throws TimeoutException {
        pair.awaitOpen();
        right().corruptType(128);
        pair.left().lane().send(1, 1, new UnsafeBuffer(new byte[LARGE]), 0, LARGE, null, 0);
        assertEquals(0, pair.right().collect());
        pair.step();
        assertEquals(Status.PROTOCOL_VIOLATION, pair.right().gone());
    }

    @Test
    void shouldLeaveAReservationWritableAfterTheReaderHasGone() throws TimeoutException {
        pair.awaitOpen();
        assertEquals(Status.OK, pair.left().lane().reserve(LARGE));
        final long address = pair.left().lane().reservedAddress();
        final MemoryPool pool = ((SteeredLane) pair.right().lane()).pool();
        pair.right().close();
        assertEquals(List.of(), pair.right().leaks(), "the application keeps nothing");
        assertEquals(1, pool.inUse());
        new UnsafeBuffer(address, LARGE).setMemory(0, LARGE, (byte) 1);
        assertEquals(Status.CONNECTION_RESET, pair.left().lane().publish(1, 1, LARGE));
        assertEquals(0, pool.inUse());
    }

    private LanePair connectHeld() {
        transport.steering().holdConnects();
        return LanePair.connect(transport, transport);
    }

    private Steering left() {
        return ((SteeredLane) pair.left().lane()).steering();
    }

    private Steering right() {
        return ((SteeredLane) pair.right().lane()).steering();
    }

    private Status send(final long meta) {
        return pair.left().lane().send(1, meta, null, 0, 0, null, 0);
    }
}
