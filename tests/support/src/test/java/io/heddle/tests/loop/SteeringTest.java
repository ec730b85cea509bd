package io.heddle.tests.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.PoolElement;
import io.heddle.context.Status;
import io.heddle.context.spi.WaitState;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.concurrent.TimeoutException;

/** What the test can do to records, room and credit. */
@Timeout(30)
final class SteeringTest {
    private static final int INLINE = 8;
    private static final int LARGE = SteeredSettings.LEAST_MAX_INLINE_BYTES + 1;

    private SteeredTransport transport;
    private LanePair pair;
    private Steering left;
    private Steering right;

    @AfterEach
    void close() {
        pair.close();
        transport.close();
    }

    @Test
    void shouldRefuseAsManySendsAsWasSaid() throws TimeoutException {
        open(SteeredSettings.DEFAULT);
        left.refuseSends(2);
        assertEquals(Status.NO_RESOURCE, send(1, INLINE));
        assertTrue(pair.left().lane().hasRoom(), "it is worth trying again");
        assertEquals(Status.NO_RESOURCE, send(1, INLINE));
        assertEquals(Status.OK, send(1, INLINE));
        assertEquals(List.of(1L), pair.right().receive());
    }

    @Test
    void shouldRefuseReservationsAlone() throws TimeoutException {
        open(SteeredSettings.DEFAULT);
        left.refuseReserves(1);
        assertEquals(Status.OK, send(1, INLINE));
        assertEquals(Status.NO_RESOURCE, pair.left().lane().reserve(INLINE));
        assertEquals(Status.OK, pair.left().lane().reserve(INLINE));
        pair.left().lane().abandon();
    }

    @Test
    void shouldShowHeldRecordsOnlyWhenDelivered() throws TimeoutException {
        open(SteeredSettings.DEFAULT);
        right.holdDelivery();
        send(1, INLINE);
        send(2, LARGE);
        send(3, INLINE);
        assertFalse(pair.right().lane().hasReceived());
        assertEquals(2, right.deliver(2));
        assertEquals(List.of(1L, 2L), pair.right().receive());
        assertEquals(1, right.deliver(9));
        assertEquals(List.of(3L), pair.right().receive());
        send(4, INLINE);
        right.resumeDelivery();
        assertEquals(List.of(4L), pair.right().receive());
    }

    @Test
    void shouldKeepRecordsHeldAsLongAsAWiderHandleHoldsThem() throws TimeoutException {
        open(SteeredSettings.DEFAULT);
        transport.steering().holdDelivery();
        right.holdDelivery();
        send(1, INLINE);
        right.resumeDelivery();
        assertFalse(pair.right().lane().hasReceived());
        transport.steering().resumeDelivery();
        assertTrue(pair.right().lane().hasReceived());
    }

    @Test
    void shouldDeliverAcrossLanesInTheOrderTheTestChooses() throws TimeoutException {
        open(SteeredSettings.DEFAULT);
        try (LanePair other = LanePair.connect(transport, transport).awaitOpen()) {
            transport.steering().holdDelivery();
            send(1, INLINE);
            other.left().lane().send(1, 2, null, 0, 0, null, 0);
            send(3, INLINE);
            ((SteeredLane) other.right().lane()).steering().deliver(1);
            assertFalse(pair.right().lane().hasReceived());
            assertEquals(List.of(2L), other.right().receive());
            other.left().lane().send(1, 4, null, 0, 0, null, 0);
            assertEquals(2, transport.steering().deliver(2));
            assertEquals(List.of(1L, 3L), pair.right().receive());
            assertFalse(other.right().lane().hasReceived());
        }
    }

    @Test
    void shouldWakeAnArmedReaderWhenItDelivers() throws TimeoutException {
        open(SteeredSettings.DEFAULT);
        final int before = pair.right().wakeUps();
        right.holdDelivery();
        send(1, INLINE);
        right.deliver(1);
        assertEquals(before, pair.right().wakeUps(), "it polls");
        pair.right().side().waitState(WaitState.ARMED);
        send(2, INLINE);
        right.deliver(1);
        assertEquals(before + 1, pair.right().wakeUps());
    }

    @Test
    void shouldRefuseLargeRecordsForWantOfCreditAndSmallOnesNot() throws TimeoutException {
        open(SteeredSettings.DEFAULT.withCredits(1, 1));
        left.holdCredits();
        assertEquals(Status.OK, send(1, LARGE));
        assertEquals(List.of(1L), pair.right().receive());
        assertEquals(Status.NO_RESOURCE, send(2, LARGE));
        assertEquals(Status.OK, send(3, SteeredSettings.LEAST_MAX_INLINE_BYTES), "goes inline for want of credit");
        assertFalse(pair.left().lane().hasRoom());
        assertEquals(1, left.giveCredits(5));
        assertTrue(pair.left().lane().hasRoom());
        assertEquals(Status.OK, send(2, LARGE));
        assertEquals(List.of(3L, 2L), pair.right().receive());
        left.resumeCredits();
        assertEquals(Status.OK, send(4, LARGE));
    }

    @Test
    void shouldGiveRetiredRoomBackOnlyWhenTold() throws TimeoutException {
        open(SteeredSettings.DEFAULT.withRingRecords(2));
        left.holdRoom();
        send(1, INLINE);
        send(2, INLINE);
        assertEquals(Status.NO_RESOURCE, send(3, INLINE));
        pair.right().receive();
        assertFalse(pair.left().lane().hasRoom());
        assertEquals(0, pair.left().lane().unretired());
        assertEquals(1, left.giveRoom(1));
        assertTrue(pair.left().lane().hasRoom());
        assertEquals(Status.OK, send(3, INLINE));
        assertEquals(Status.NO_RESOURCE, send(4, INLINE));
        left.resumeRoom();
        assertEquals(Status.OK, send(4, INLINE));
    }

    @Test
    void shouldStarveWhileEveryDescriptorIsKept() throws TimeoutException {
        open(SteeredSettings.DEFAULT.withCredits(1, 2));
        final PoolElement first = sendAndKeep();
        final PoolElement second = sendAndKeep();
        assertEquals(2, pair.right().side().heldElements());
        assertEquals(Status.NO_RESOURCE, send(1, LARGE));
        pair.right().release(first, first.generation());
        assertFalse(pair.left().lane().hasRoom(), "released and not yet lent again");
        pair.step();
        assertTrue(pair.left().lane().hasRoom());
        assertEquals(Status.OK, send(1, LARGE));
        pair.right().release(second, second.generation());
    }

    private PoolElement sendAndKeep() {
        assertEquals(Status.OK, send(0, LARGE));
        assertEquals(1, pair.right().collect());
        final PoolElement element = pair.right().batch().record(0).element;
        element.retain(element.generation());
        pair.right().retire();
        return element;
    }

    @Test
    void shouldHideElementsIfItCannotKeepInPlace() throws TimeoutException {
        open(SteeredSettings.DEFAULT.withKeepsInPlace(false).withCredits(1, 1));
        for (int i = 0; i < 3; i++) {
            assertEquals(Status.OK, send(i, LARGE));
            assertEquals(1, pair.right().collect());
            assertNull(pair.right().batch().record(0).element);
            pair.right().retire();
        }
        assertFalse(transport.capabilities().keepsInPlace());
    }

    @Test
    void shouldDenyKeepingWhenTold() throws TimeoutException {
        open(SteeredSettings.DEFAULT);
        send(1, LARGE);
        pair.right().collect();
        final PoolElement element = pair.right().batch().record(0).element;
        assertTrue(pair.right().lane().keepsInPlace(element));
        right.denyKeeping(true);
        assertFalse(pair.right().lane().keepsInPlace(element));
        pair.right().retire();
    }

    @Test
    void shouldOverwriteWhatWasRetired() throws TimeoutException {
        open(SteeredSettings.DEFAULT);
        send(1, INLINE);
        pair.right().collect();
        final long address = pair.right().batch().record(0).address;
        pair.right().retire();
        assertEquals((byte) 0xDD, new UnsafeBuffer(address, INLINE).getByte(0));
    }

    private void open(final SteeredSettings settings) throws TimeoutException {
        transport = new SteeredTransport(settings);
        pair = LanePair.connect(transport, transport).awaitOpen();
        left = ((SteeredLane) pair.left().lane()).steering();
        right = ((SteeredLane) pair.right().lane()).steering();
    }

    private Status send(final long meta, final int length) {
        return pair.left().lane().send(1, meta, new UnsafeBuffer(new byte[length]), 0, length, null, 0);
    }
}
