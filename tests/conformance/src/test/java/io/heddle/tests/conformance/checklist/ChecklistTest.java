package io.heddle.tests.conformance.checklist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(10)
class ChecklistTest {
    private static final Checklist LIST = Checklist.parse(List.of(
        "# a comment",
        "== 6.6 Active messages",
        "6.6/zero_send | P | ported | nothing is sent",
        "6.6/psn | X | left out | duplicates | there are none",
        "== M Memory",
        "M1 | F | planned | a leak without a name"));

    @Test
    void shouldAcceptTestsThatFit() {
        assertEquals(List.of(), LIST.complaints(List.of(
            new StandingTest("6.6/zero_send", "ATest.shouldA"), new StandingTest("M1", "BTest"))));
    }

    @Test
    void shouldFindTestOfUnknownItem() {
        final List<String> complaints = LIST.complaints(List.of(
            new StandingTest("6.6/zero_send", "ATest.shouldA"), new StandingTest("6.6/zero", "ATest.shouldB")));

        assertEquals(List.of("no such item: id=6.6/zero test=ATest.shouldB"), complaints);
    }

    @Test
    void shouldFindPortedItemWithoutTest() {
        assertEquals(List.of("no test stands for it: id=6.6/zero_send decision=ported"), LIST.complaints(List.of()));
    }

    @Test
    void shouldFindTestOfItemLeftOut() {
        final List<String> complaints = LIST.complaints(List.of(
            new StandingTest("6.6/zero_send", "ATest.shouldA"), new StandingTest("6.6/psn", "ATest.shouldB")));

        assertEquals(List.of("left out, but tested: id=6.6/psn test=ATest.shouldB"), complaints);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "a | P | planned", "a | P | someday | shows", "a | Q | planned | shows", " | P | planned | shows",
        "a | P | left out | shows", "a | P | planned | shows | a reason", "a | P | adapted | shows"})
    void shouldRefuseLineThatMakesNoSense(final String line) {
        assertThrows(IllegalArgumentException.class, () -> Checklist.parse(List.of("== s", line)));
    }

    @Test
    void shouldRefuseItemThatStandsTwice() {
        final String line = "a | P | planned | shows";

        assertThrows(IllegalArgumentException.class, () -> Checklist.parse(List.of("== s", line, line)));
    }

    @Test
    void shouldWritePageInOrderOfList() {
        final String page = ConformancePage.render(LIST, List.of(
            new StandingTest("6.6/zero_send", "BTest.shouldB"), new StandingTest("6.6/zero_send", "ATest.shouldA")));

        assertTrue(page.contains("Items: 1 planned, 1 ported, 1 left out."), page);
        assertTrue(page.endsWith("""

            ## 6.6 Active messages

            | item | kind | shows | decision | tests, or why |
            |---|---|---|---|---|
            | 6.6/zero_send | P | nothing is sent | ported | `ATest.shouldA`, `BTest.shouldB` |
            | 6.6/psn | X | duplicates | left out | there are none |

            ## M Memory

            | item | kind | shows | decision | tests, or why |
            |---|---|---|---|---|
            | M1 | F | a leak without a name | planned |  |
            """), page);
    }
}
