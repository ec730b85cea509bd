package io.heddle.tests.conformance.checklist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class StandsForSourcesTest {
    @Test
    void shouldFindAnnotatedMethod() {
        assertEquals(List.of(new StandingTest("M1", "ATest.shouldA")), StandsForSources.parse("ATest", """
            class ATest {
                @Test
                @StandsFor("M1")
                void shouldA() {
            """));
    }

    @Test
    void shouldFindSeveralItemsBehindFurtherAnnotations() {
        assertEquals(List.of(new StandingTest("6.6/a", "ATest.shouldA"), new StandingTest("6.6/b", "ATest.shouldA")),
            StandsForSources.parse("ATest", """
                class ATest {
                    @StandsFor({"6.6/a",
                        "6.6/b"})
                    @ParameterizedTest(name = "{0} (of many)")
                    @EnumSource(value = ThreadMode.class, names = f("x"))
                    public void shouldA(final ThreadMode mode) {
                """));
    }

    @Test
    void shouldFindAnnotatedTypes() {
        assertEquals(List.of(new StandingTest("O1", "ATest"), new StandingTest("O2", "ATest.Inner")),
            StandsForSources.parse("ATest", """
                @StandsFor("O1")
                @Timeout(10)
                public final class ATest {
                    @StandsFor(value = "O2")
                    static class Inner {
                """));
    }

    @Test
    void shouldRefuseAnnotationThatStandsOnNothing() {
        assertThrows(IllegalArgumentException.class, () -> StandsForSources.parse("ATest", "@StandsFor(\"M1\") }"));
    }
}
