package io.heddle.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(10)
class Crc32cCombinerTest {
    private static final long SEED = 20261201;

    private final byte[] bytes = randomBytes();

    private static byte[] randomBytes() {
        final byte[] bytes = new byte[100_000];
        new Random(SEED).nextBytes(bytes);
        return bytes;
    }

    private static int crc(final byte[] bytes) {
        final CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 4096, 65_504, 99_999, 100_000})
    void shouldCombineToTheCrcOfTheWhole(final int split) {
        final int first = crc(Arrays.copyOf(bytes, split));
        final int second = crc(Arrays.copyOfRange(bytes, split, bytes.length));

        assertEquals(crc(bytes), Crc32cCombiner.combine(first, second, bytes.length - split));
    }

    @Test
    void shouldTellOrderApart() {
        final int first = crc(Arrays.copyOf(bytes, 500));
        final int second = crc(Arrays.copyOfRange(bytes, 500, 1000));
        final byte[] swapped = new byte[1000];
        System.arraycopy(bytes, 500, swapped, 0, 500);
        System.arraycopy(bytes, 0, swapped, 500, 500);

        assertEquals(crc(swapped), Crc32cCombiner.combine(second, first, 500));
    }

    @Test
    void shouldRepeat() {
        final byte[] once = Arrays.copyOf(bytes, 1234);
        final byte[] thrice = new byte[3 * once.length];
        for (int i = 0; i < 3; i++) {
            System.arraycopy(once, 0, thrice, i * once.length, once.length);
        }

        assertEquals(crc(thrice), Crc32cCombiner.repeat(crc(once), once.length, 3));
    }

    @Test
    void shouldHaveNothingForNoCopies() {
        assertEquals(0, Crc32cCombiner.repeat(crc(bytes), bytes.length, 0));
    }
}
