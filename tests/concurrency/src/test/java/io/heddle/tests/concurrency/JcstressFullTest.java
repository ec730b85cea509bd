package io.heddle.tests.concurrency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * Runs every jcstress test of the module as {@code tests.jcstress.options} say, and requires of each broken twin that
 * it shows its error.
 */
@Tag("stress")
@Tag("release-only")
class JcstressFullTest {
    @TestFactory
    @Timeout(value = 4, unit = TimeUnit.HOURS)
    List<DynamicTest> shouldSeeNoForbiddenOutcome() throws Exception {
        final JcstressRun run = run("correct", JcstressTests.CORRECT);
        return JcstressTests.correct().stream()
            .map(name -> DynamicTest.dynamicTest(name,
                () -> assertEquals(JcstressRun.Verdict.PASSED, run.verdict(name), () -> run.detail(name))))
            .toList();
    }

    @TestFactory
    @Timeout(value = 4, unit = TimeUnit.HOURS)
    List<DynamicTest> shouldSeeForbiddenOutcomeOfBrokenTwin() throws Exception {
        final JcstressRun run = run("broken", JcstressTests.BROKEN);
        return Stream.concat(
            JcstressTests.brokenHere().stream().map(name -> DynamicTest.dynamicTest(name,
                () -> assertEquals(JcstressRun.Verdict.FORBIDDEN, run.verdict(name), () -> run.detail(name)))),
            JcstressTests.brokenButHidden().stream().map(name -> DynamicTest.dynamicTest(
                name + " (hidden on x86: " + JcstressTests.hidden(name) + ")",
                () -> assertNotEquals(JcstressRun.Verdict.ERROR, run.verdict(name), () -> run.detail(name)))))
            .toList();
    }

    private static JcstressRun run(final String name, final String tests) throws Exception {
        final List<String> options =
            new ArrayList<>(List.of(System.getProperty("tests.jcstress.options", "-m default").strip().split("\\s+")));
        options.addAll(List.of("-jvmArgsPrepend", JcstressRun.JVM_FLAGS, "-t", tests));
        return JcstressRun.of(Path.of("target", "jcstress", name), options);
    }
}
