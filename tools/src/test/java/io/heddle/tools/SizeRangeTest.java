package io.heddle.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(10)
class SizeRangeTest {
    @Test
    void shouldReadAList() {
        assertEquals(List.of(8, 64, 1024, 2 << 20), SizeRange.parse("8,64,1k,2M"));
    }

    @Test
    void shouldDoubleThroughARange() {
        assertEquals(List.of(8, 16, 32, 64), SizeRange.parse("8..64"));
    }

    @Test
    void shouldEndARangeWithItsLastSize() {
        assertEquals(List.of(10, 20, 40, 50), SizeRange.parse("10..50"));
    }

    @Test
    void shouldMixRangesAndSizes() {
        assertEquals(List.of(1, 512, 1024, 2048, 7), SizeRange.parse("1,512..2k,7"));
    }

    @Test
    void shouldReachTheLongestMessage() {
        final List<Integer> sizes = SizeRange.parse("512m..1g");

        assertEquals(List.of(1 << 29, 1 << 30), sizes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "8,", ",8", "k", "-8", "0", "8x", "1.5k", "2g", "9999999999g", "64..8",
        "8..", "..8", "8...64"})
    void shouldRefuseWhatIsNoSize(final String text) {
        final IllegalArgumentException problem =
            assertThrows(IllegalArgumentException.class, () -> SizeRange.parse(text));

        assertTrue(problem.getMessage().startsWith("size="), problem.getMessage());
    }
}
