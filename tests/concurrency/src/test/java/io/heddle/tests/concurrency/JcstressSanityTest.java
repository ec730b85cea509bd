package io.heddle.tests.concurrency;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * Runs every jcstress test of the module once, briefly and in this JVM: enough to find gross errors and tests that do
 * not run. The full length is {@link JcstressFullTest}'s.
 */
@Tag("release-only")
class JcstressSanityTest {
    private static final int MILLIS = 100;

    static {
        // All of them share this JVM, which reads it once, and one of the first would have it read too early for the
        // guard's.
        System.setProperty("heddle.thread.checks", "assert");
    }

    @TestFactory
    @Timeout(300)
    List<DynamicTest> shouldSeeNoForbiddenOutcome() {
        return JcstressTests.correct().stream()
            .map(name -> DynamicTest.dynamicTest(name, () -> {
                final JcstressSample sample = JcstressSample.of(name, MILLIS);
                assertEquals(JcstressRun.Verdict.PASSED, sample.verdict(), sample::detail);
            }))
            .toList();
    }

    @Test
    @Timeout(60)
    void shouldNoticeForbiddenOutcome() throws Exception {
        final JcstressSample sample = JcstressSample.of(JcstressTests.SELF_CHECK, MILLIS);
        assertEquals(JcstressRun.Verdict.FORBIDDEN, sample.verdict(), sample::detail);
    }
}
