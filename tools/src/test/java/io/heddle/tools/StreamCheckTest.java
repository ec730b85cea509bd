package io.heddle.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class StreamCheckTest {
    private static final int CHUNK = 4;
    private static final byte[] FILE = "shuttle!?".getBytes(StandardCharsets.US_ASCII);

    private final StreamCheck check = new StreamCheck();

    private static ByteBuffer message(final int sequence) {
        final int length = Math.min(CHUNK, FILE.length - sequence * CHUNK);
        final ByteBuffer message = ByteBuffer.allocateDirect(ChunkHeader.LENGTH + length);
        message.position(ChunkHeader.LENGTH).put(FILE, sequence * CHUNK, length);
        ChunkHeader.write(message, sequence, (long) sequence * CHUNK, length);
        return message.clear();
    }

    @Test
    void shouldPutTheChecksumTogetherWhateverTheOrderOfArrival() {
        check.begin(3, CHUNK);
        for (final int sequence : new int[] {2, 0, 1}) {
            assertFalse(check.isComplete());
            check.chunk(message(sequence));
        }
        final CRC32C whole = new CRC32C();
        whole.update(FILE);

        assertTrue(check.isComplete());
        assertEquals((int) whole.getValue(), check.crc());
        assertEquals(FILE.length, check.bytes());
        assertEquals(0, check.wrong());
    }

    @Test
    void shouldSeeAWrongByte() {
        check.begin(3, CHUNK);
        final ByteBuffer message = message(1);
        message.put(ChunkHeader.LENGTH, (byte) 'x');
        check.chunk(message);

        assertEquals(1, check.wrong());
        assertEquals(0, check.arrived());
    }

    @Test
    void shouldSeeAChunkThatComesTwice() {
        check.begin(3, CHUNK);
        check.chunk(message(0));
        check.chunk(message(0));

        assertEquals(1, check.wrong());
        assertEquals(1, check.arrived());
    }

    @Test
    void shouldSeeASequenceThatWasNotAnnounced() {
        check.begin(2, CHUNK);
        check.chunk(message(2));

        assertEquals(1, check.wrong());
    }

    @Test
    void shouldSeeAHeaderThatIsNone() {
        check.begin(3, CHUNK);
        check.chunk(ByteBuffer.allocateDirect(ChunkHeader.LENGTH + CHUNK));
        check.chunk(ByteBuffer.allocateDirect(3));

        assertEquals(2, check.wrong());
    }

    @Test
    void shouldSeeAMessageThatIsLongerThanItsHeaderSays() {
        check.begin(3, CHUNK);
        final ByteBuffer longer = ByteBuffer.allocateDirect(ChunkHeader.LENGTH + CHUNK + 1);
        longer.put(message(0)).clear();
        check.chunk(longer);

        assertEquals(1, check.wrong());
    }

    @Test
    void shouldBeCompleteAtOnceWhenNothingIsToCome() {
        assertFalse(check.isComplete());
        check.begin(0, CHUNK);

        assertTrue(check.isComplete());
        assertEquals(0, check.crc());
    }
}
