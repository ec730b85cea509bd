package io.heddle.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.spi.ReceiveBatch;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestSeed;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Random;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a writer sees room for a record, in slots and in the byte ring, at every position of head and tail. */
@Timeout(30)
class RecordRoomTest {
    private static final int SLOTS = 4;
    private static final Geometry GEOMETRY = new Geometry(SLOTS, Geometry.MIN_RING_BYTES, 2, 2);
    private static final int ANY_TYPE = 1;

    private final ByteBuffer memory = BufferUtil.allocateDirectAligned((int) GEOMETRY.directionBytes(), 64);
    private final long direction = BufferUtil.address(memory);
    private final RecordWriter writer = new RecordWriter(direction, GEOMETRY);
    private final RecordReader reader =
        new RecordReader(direction, GEOMETRY, new LentDescriptors(direction, GEOMETRY));
    private final ReceiveBatch batch = new ReceiveBatch(SLOTS);

    @ParameterizedTest
    @ValueSource(longs = {0, SLOTS - 1, SLOTS, (1L << 16) * SLOTS - 1, (1L << 16) * SLOTS, Integer.MAX_VALUE,
        1L << 31, (1L << 32) - 1, 1L << 32, (1L << 62) - 1, 1L << 62})
    @StandsFor("6.10/mm_fifo_room.predicate_matrix")
    void shouldHaveExactlyAsManySlotsAsAreRetired(final long position) {
        standAt(position);
        for (int unretired = 0; unretired < SLOTS; unretired++) {
            assertTrue(writer.hasSlot(), "unretired=" + unretired);
            assertEquals(unretired, writer.unretired());
            writer.publishInSlot(ANY_TYPE, unretired, 0);
        }
        assertFalse(writer.hasSlot());

        for (int retired = 1; retired <= SLOTS; retired++) {
            receive(1);
            assertTrue(writer.hasSlot());
            writer.publishInSlot(ANY_TYPE, retired, 0);
            assertFalse(writer.hasSlot());
        }
        assertEquals(position + 2L * SLOTS, writer.tail());
        assertNull(writer.violation());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, (1L << 16) * SLOTS - 2, 1L << 31, 1L << 62})
    @StandsFor("6.10/mm_fifo_room.predicate_matrix")
    void shouldTakeNoWordOfAnEarlierTurnForARecord(final long position) {
        standAt(position);

        for (int i = 0; i < 3 * SLOTS; i++) {
            assertFalse(reader.hasRecord());
            assertEquals(0, reader.collect(batch, SLOTS));
            writer.publishInSlot(ANY_TYPE, i, 0);
            assertTrue(reader.hasRecord());
            receive(1);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, 99, 103, 104, Long.MAX_VALUE, 100 + (1L << 32)})
    @StandsFor("6.10/mm_fifo_room.predicate_matrix")
    void shouldSeeNoRoomInAnImpossibleHead(final long head) {
        standAt(100);
        publish(2);
        writer.unretired();

        UnsafeApi.putLong(direction + LaneLayout.HEAD_OFFSET, head);

        assertEquals(2, writer.unretired());
        assertNotNull(writer.violation());
        assertTrue(writer.violation().startsWith("head=" + head), writer.violation());
    }

    @Test
    void shouldGiveTheWholeByteRingInOnePieceWhenItIsEmpty() {
        assertEquals(0, writer.allocate(GEOMETRY.ringBytes()));
        writer.publishElsewhere(LaneLayout.KIND_RING, ANY_TYPE, 0, 0, GEOMETRY.ringBytes());
        assertEquals(-1, writer.allocate(8));
        receive(1);

        assertEquals(0, writer.allocate(GEOMETRY.ringBytes()));
    }

    @Test
    void shouldNotSplitARecordAtTheEndOfTheByteRing() {
        takeAndRetire(GEOMETRY.ringBytes() - 64);

        assertEquals(0, writer.allocate(128));
    }

    @Test
    void shouldUseTheEndOfTheByteRingUpToItsLastByte() {
        takeAndRetire(GEOMETRY.ringBytes() - 64);

        assertEquals(GEOMETRY.ringBytes() - 64, writer.allocate(64));
    }

    @Test
    void shouldCountWhatWasPassedOverAtTheEndAsTaken() {
        final int half = GEOMETRY.ringBytes() / 2;
        takeAndRetire(half + 64);
        writer.publishElsewhere(LaneLayout.KIND_RING, ANY_TYPE, 0, writer.allocate(half), half);

        assertEquals(half, writer.allocate(64));
        assertEquals(-1, writer.allocate(8));
    }

    @Test
    void shouldGiveAnAbandonedPlaceBackWithWhatWasPassedOver() {
        takeAndRetire(GEOMETRY.ringBytes() - 64);
        final long mark = writer.mark();
        assertEquals(0, writer.allocate(GEOMETRY.ringBytes() - 64));
        writer.restore(mark);

        assertEquals(GEOMETRY.ringBytes() - 64, writer.allocate(64));
    }

    /** Against a list of what is unretired: no two places overlap, and a refusal has its reason. */
    @ParameterizedTest
    @ValueSource(longs = {0, (1L << 31) - 64, 1L << 62})
    @StandsFor("6.10/mm_fifo_room.predicate_matrix")
    void shouldNeverGiveAPlaceThatIsNotRetired(final long position) {
        standAt(position);
        final Random random = TestSeed.ofThisJvm().random(position);
        final ArrayDeque<int[]> live = new ArrayDeque<>();
        for (int i = 0; i < 20_000; i++) {
            final int bytes = 8 * (1 + random.nextInt(2048 / 8));
            final int offset = live.size() < SLOTS ? writer.allocate(bytes) : -1;
            if (offset >= 0) {
                assertTrue(offset % 8 == 0 && offset + bytes <= GEOMETRY.ringBytes(), "offset=" + offset);
                for (final int[] other : live) {
                    assertTrue(offset + bytes <= other[0] || offset >= other[0] + other[1],
                        "offset=" + offset + " bytes=" + bytes + " other=" + other[0] + "+" + other[1]);
                }
                writer.publishElsewhere(LaneLayout.KIND_RING, ANY_TYPE, i, offset, bytes);
                live.addLast(new int[] {offset, bytes});
            } else {
                assertFalse(live.isEmpty(), "an empty ring has room for bytes=" + bytes);
            }
            if (offset < 0 || random.nextBoolean()) {
                receive(1);
                live.removeFirst();
            }
        }
        assertNull(writer.violation());
    }

    private void takeAndRetire(final int bytes) {
        final int offset = writer.allocate(bytes);
        writer.publishElsewhere(LaneLayout.KIND_RING, ANY_TYPE, 0, offset, bytes);
        receive(1);
    }

    private void publish(final int records) {
        for (int i = 0; i < records; i++) {
            assertTrue(writer.hasSlot());
            writer.publishInSlot(ANY_TYPE, i, 0);
        }
    }

    private void receive(final int records) {
        batch.clear();
        assertEquals(records, reader.collect(batch, records));
        reader.retire(batch, 0, records);
    }

    /** Both ends as if {@code position} records had been written and read, with the words of the turn before. */
    private void standAt(final long position) {
        final long before = Math.max(0, position - SLOTS);
        try {
            final MethodHandles.Lookup ofWriter = MethodHandles.privateLookupIn(RecordWriter.class,
                MethodHandles.lookup());
            for (final String field : new String[] {"tail", "cachedHead"}) {
                final VarHandle handle = ofWriter.findVarHandle(RecordWriter.class, field, long.class);
                handle.set(writer, before);
            }
            for (final String field : new String[] {"ringTail", "ringHead"}) {
                final VarHandle handle = ofWriter.findVarHandle(RecordWriter.class, field, long.class);
                handle.set(writer, before & -8);
            }
            final MethodHandles.Lookup ofReader = MethodHandles.privateLookupIn(RecordReader.class,
                MethodHandles.lookup());
            for (final String field : new String[] {"next", "head"}) {
                final VarHandle handle = ofReader.findVarHandle(RecordReader.class, field, long.class);
                handle.set(reader, before);
            }
        } catch (final ReflectiveOperationException ex) {
            throw new AssertionError(ex);
        }
        UnsafeApi.putLong(direction + LaneLayout.HEAD_OFFSET, before);
        for (long i = before; i < position; i++) {
            writer.publishInSlot(ANY_TYPE, i, 0);
            receive(1);
        }
    }
}
