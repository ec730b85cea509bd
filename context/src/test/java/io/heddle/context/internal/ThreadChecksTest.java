package io.heddle.context.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(5)
final class ThreadChecksTest {
    @ParameterizedTest
    @CsvSource(nullValues = "null", value = {
        "null,   null,   true,  true",
        "null,   null,   false, false",
        "assert, null,   false, true",
        "off,    null,   true,  false",
        "off,    assert, true,  false",
        "assert, off,    false, true",
        "null,   assert, false, true",
        "null,   off,    true,  false",
        "wrong,  null,   true,  true",
    })
    void shouldTakeThePropertyThenTheVariableThenTheAssertions(
        final String property, final String variable, final boolean hasAssertions, final boolean expected) {
        assertEquals(expected, ThreadChecks.isEnabled(property, variable, hasAssertions));
    }
}
