package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class TurnTakingTest {
    private static final int MOST = 64;
    private static final int HABIT = 16;

    private final TurnTaking turns = new TurnTaking();

    @Test
    void shouldTakeTurnsOnceAnswersHaveBecomeAHabit() {
        for (int i = 1; i < HABIT; i++) {
            assertFalse(exchange(1), "after " + i);
            assertEquals(MOST, turns.limit(MOST));
        }
        assertTrue(exchange(1));
    }

    @Test
    void shouldNotTakeTurnsWhileNothingIsSent() {
        for (int i = 0; i < 4 * HABIT; i++) {
            assertFalse(turns.received(1));
        }
        assertEquals(MOST, turns.limit(MOST));
    }

    @Test
    void shouldCollectOneAtATimeAndNowAndThenLookAround() {
        becomeHabit();
        int ones = 0;
        int wholes = 0;
        for (int i = 0; i < 4 * HABIT; i++) {
            if (turns.limit(MOST) == 1) {
                ones++;
            } else {
                wholes++;
            }
            assertTrue(exchange(1));
        }
        assertEquals(4, wholes);
        assertEquals(4 * HABIT - 4, ones);
    }

    @Test
    void shouldGiveItUpWhenSeveralCameAtOnce() {
        becomeHabit();
        assertFalse(exchange(2));
        assertEquals(MOST, turns.limit(MOST));
    }

    @Test
    void shouldGiveItUpWhenTwoCameInARow() {
        becomeHabit();
        assertFalse(turns.received(1));
    }

    private void becomeHabit() {
        for (int i = 0; i < HABIT; i++) {
            exchange(1);
        }
    }

    private boolean exchange(final int records) {
        turns.sent();
        return turns.received(records);
    }
}
