package io.heddle.tests.concurrency;

import java.io.IOException;
import java.util.List;

import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.grading.TestGrading;
import org.openjdk.jcstress.infra.runners.ForkedTestConfig;
import org.openjdk.jcstress.infra.runners.Runner;
import org.openjdk.jcstress.infra.runners.TestConfig;
import org.openjdk.jcstress.infra.runners.TestList;
import org.openjdk.jcstress.os.AffinityMode;
import org.openjdk.jcstress.os.NodeType;
import org.openjdk.jcstress.os.SchedulingClass;
import org.openjdk.jcstress.vm.CompileMode;

/**
 * One jcstress test, run briefly in this JVM. jcstress itself starts two JVMs for each test, which for a look that
 * takes a tenth of a second is nearly all the time; its generated runners do not mind where they run. Immutable.
 */
final class JcstressSample {
    private static final List<String> OPTIONS =
        List.of("-m", "quick", "-iters", "1", "-af", "NONE", "-c", "2", "-time");

    private final TestResult result;
    private final boolean isComplete;
    private final boolean isPassed;

    private JcstressSample(final TestResult result) {
        this.result = result;
        isComplete = result.status() == Status.NORMAL && !result.isEmpty();
        isPassed = isComplete && TestGrading.grade(result).isPassed;
    }

    /**
     * Runs a test.
     *
     * @param name   as in {@link TestList}
     * @param millis for how long, roughly
     * @throws IOException                  if jcstress does not take its options
     * @throws ReflectiveOperationException if the generated runner is not there
     */
    static JcstressSample of(final String name, final int millis) throws IOException, ReflectiveOperationException {
        final TestInfo info = TestList.getInfo(name);
        final String[] arguments = OPTIONS.toArray(new String[OPTIONS.size() + 1]);
        arguments[OPTIONS.size()] = String.valueOf(millis);
        final Options options = new Options(arguments);
        if (!options.parse()) {
            throw new IOException("jcstress refuses its options: " + OPTIONS);
        }
        final TestConfig config = new TestConfig(options, info, 1, List.of(), CompileMode.UNIFIED,
            new SchedulingClass(AffinityMode.NONE, info.threads(), NodeType.PACKAGE));
        final Runner<?> runner = (Runner<?>) Class.forName(info.generatedRunner())
            .getConstructor(ForkedTestConfig.class)
            .newInstance(new ForkedTestConfig(config));
        final TestResult result = runner.run();
        result.setConfig(config);
        return new JcstressSample(result);
    }

    JcstressRun.Verdict verdict() {
        if (!isComplete) {
            return JcstressRun.Verdict.ERROR;
        }
        return isPassed ? JcstressRun.Verdict.PASSED : JcstressRun.Verdict.FORBIDDEN;
    }

    /** What was seen, and how often. */
    String detail() {
        return JcstressRun.describe(result);
    }
}
