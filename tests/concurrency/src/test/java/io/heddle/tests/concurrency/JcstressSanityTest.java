package io.heddle.tests.concurrency;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Runs every jcstress test of the module once, briefly and in one JVM configuration: enough to find gross errors and
 * tests that do not run. The full length is {@link JcstressFullTest}'s.
 */
@Tag("release-only")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JcstressSanityTest {
    private JcstressRun run;

    @BeforeAll
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void runAll() throws Exception {
        run = JcstressRun.of(Path.of("target", "jcstress", "sanity"), List.of(
            "-m", "quick", "-f", "0", "-iters", "1", "-time", "100", "-sc", "false",
            "-jvmArgs", JcstressRun.JVM_FLAGS,
            "-t", JcstressTests.CORRECT + "|" + JcstressTests.SELF_CHECK));
    }

    @TestFactory
    List<DynamicTest> shouldSeeNoForbiddenOutcome() {
        return JcstressTests.correct().stream()
            .map(name -> DynamicTest.dynamicTest(name,
                () -> assertEquals(JcstressRun.Verdict.PASSED, run.verdict(name), () -> run.detail(name))))
            .toList();
    }

    @Test
    @Timeout(10)
    void shouldNoticeForbiddenOutcome() {
        final String name = JcstressTests.SELF_CHECK;
        assertAll(
            () -> assertEquals(JcstressRun.Verdict.FORBIDDEN, run.verdict(name), () -> run.detail(name)),
            () -> assertNotEquals(0, run.exitCode()));
    }
}
