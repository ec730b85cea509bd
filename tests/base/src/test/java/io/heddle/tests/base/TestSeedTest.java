package io.heddle.tests.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class TestSeedTest {
    @Test
    void shouldTakeGivenSeed() {
        assertEquals(42, TestSeed.parse("42").value());
        assertEquals(-1, TestSeed.parse(" -1 ").value());
        assertEquals(255, TestSeed.parse("0xff").value());
    }

    @Test
    void shouldDrawSeedWhenNoneIsGiven() {
        assertNotEquals(TestSeed.parse("").value(), TestSeed.parse(null).value());
    }

    @Test
    void shouldRefuseSeedThatIsNoNumber() {
        assertThrows(NumberFormatException.class, () -> TestSeed.parse("today"));
    }

    @Test
    void shouldRepeatSequenceOfSeed() {
        final TestSeed seed = TestSeed.parse("7");

        assertEquals(seed.random().nextLong(), seed.random().nextLong());
        assertEquals(seed.random(3).nextLong(), TestSeed.parse("7").random(3).nextLong());
        assertNotEquals(seed.random(1).nextLong(), seed.random(2).nextLong());
    }

    @Test
    void shouldPrintHowToRepeat() {
        assertEquals("-Dtests.seed=7", TestSeed.parse("7").toString());
    }
}
