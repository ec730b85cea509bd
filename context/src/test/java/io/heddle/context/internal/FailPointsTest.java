package io.heddle.context.internal;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class FailPointsTest {
    @Test
    void shouldReadNamesAndActions() {
        final String setting = "a.b:kill, c.d:pause,,e-f:fail,g:kill@12";
        assertTrue(FailPoints.isKnown(setting, "a.b"));
        assertTrue(FailPoints.isKnown(setting, "c.d"));
        assertTrue(FailPoints.isKnown(setting, "e-f"));
        assertTrue(FailPoints.isKnown(setting, "g"));
        assertFalse(FailPoints.isKnown(setting, "a"));
        assertFalse(FailPoints.isKnown("", "a"));
    }

    @Test
    void shouldRefuseWhatIsNoAction() {
        assertThrows(IllegalArgumentException.class, () -> FailPoints.isKnown("a.b:explode", "a.b"));
        assertThrows(IllegalArgumentException.class, () -> FailPoints.isKnown("a.b", "a.b"));
        assertThrows(IllegalArgumentException.class, () -> FailPoints.isKnown("a.b:kill@0", "a.b"));
        assertThrows(IllegalArgumentException.class, () -> FailPoints.isKnown("a.b:kill@many", "a.b"));
    }

    @Test
    void shouldDoNothingWhenUnset() {
        FailPoints.at("any.point");
    }
}
