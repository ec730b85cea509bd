package io.heddle.tests.concurrency;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.openjdk.jcstress.Main;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.grading.TestGrading;

/**
 * One run of jcstress in a JVM of its own, and what its result file says.
 *
 * <p>The exit code of jcstress alone says little, so the verdicts are taken from the result file, and a test without a
 * result counts as an error. Confined to the thread that runs it.
 */
final class JcstressRun {
    /** Flags of the JVMs under test. Giving them also confines jcstress to one JVM configuration. */
    static final String JVM_FLAGS = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";

    /** What jcstress found for one test, over all its configurations. */
    enum Verdict {
        /** Every configuration ran, and no forbidden outcome was seen. */
        PASSED,
        /** Every configuration ran, and a forbidden outcome was seen. */
        FORBIDDEN,
        /** A configuration could not be run to its end. */
        ERROR
    }

    private static final int MAX_DETAIL_CHARS = 2_000;

    private final Map<String, Verdict> verdicts = new TreeMap<>();
    private final Map<String, String> details = new TreeMap<>();
    private final int exitCode;

    private JcstressRun(final int exitCode) {
        this.exitCode = exitCode;
    }

    /**
     * Runs jcstress and reads its results.
     *
     * @param directory where the result file, the report and the log go; emptied of earlier result files
     * @param options   jcstress options but for {@code -r}
     * @return the verdicts
     * @throws IOException          if jcstress cannot be started or leaves no readable result
     * @throws InterruptedException if the caller is interrupted, a time limit for one; jcstress is ended
     */
    static JcstressRun of(final Path directory, final List<String> options) throws IOException, InterruptedException {
        Files.createDirectories(directory);
        for (final Path old : resultFiles(directory)) {
            Files.delete(old);
        }
        final Path log = directory.resolve("jcstress.log");
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp", System.getProperty("java.class.path"), Main.class.getName(),
            "-r", directory.resolve("report").toString()));
        command.addAll(options);
        final Process process = new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
        try {
            final JcstressRun run = new JcstressRun(process.waitFor());
            run.read(directory, log);
            return run;
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** The exit code of jcstress: not 0 if it could not run, and if it saw a forbidden outcome. */
    int exitCode() {
        return exitCode;
    }

    /** The verdict on a test; {@link Verdict#ERROR} if it has no result. */
    Verdict verdict(final String test) {
        return verdicts.getOrDefault(test, Verdict.ERROR);
    }

    /** What there is to say about a test that did not pass: its outcomes, and the messages of jcstress. */
    String detail(final String test) {
        return details.getOrDefault(test, "no result; see jcstress.log");
    }

    private void read(final Path directory, final Path log) throws IOException {
        final InProcessCollector collector = new InProcessCollector();
        final List<Path> files = resultFiles(directory);
        if (files.size() != 1) {
            throw new IOException("jcstress left no single result file: files=" + files + " exitCode=" + exitCode
                + " log=" + Files.readString(log));
        }
        try {
            final DiskReadCollector reader = new DiskReadCollector(files.get(0).toString(), collector);
            reader.dump();
            reader.close();
        } catch (final ClassNotFoundException ex) {
            throw new IOException(ex);
        }
        judge(collector.getTestResults());
    }

    private void judge(final Collection<TestResult> results) {
        for (final TestResult result : results) {
            final boolean complete = result.status() == Status.NORMAL && !result.isEmpty();
            final Verdict verdict = !complete ? Verdict.ERROR
                : result.grading().isPassed ? Verdict.PASSED : Verdict.FORBIDDEN;
            verdicts.merge(result.getName(), verdict, (a, b) -> a.compareTo(b) >= 0 ? a : b);
            if (verdict != Verdict.PASSED) {
                details.merge(result.getName(), describe(result), JcstressRun::joinBriefly);
            }
        }
    }

    /** A test has up to dozens of configurations; the first few tell the story, the log has them all. */
    private static String joinBriefly(final String before, final String next) {
        return before.length() > MAX_DETAIL_CHARS ? before : before + System.lineSeparator() + next;
    }

    static String describe(final TestResult result) {
        final StringBuilder text = new StringBuilder().append("status=").append(result.status());
        for (final String outcome : result.getStateKeys()) {
            text.append(" [").append(outcome).append("]x").append(result.getCount(outcome));
        }
        TestGrading.grade(result).failureMessages.forEach(message -> text.append("; ").append(message));
        result.getMessages().forEach(message -> text.append("; ").append(message));
        result.getVmErr().forEach(line -> text.append("; ").append(line));
        return text.toString();
    }

    private static List<Path> resultFiles(final Path directory) throws IOException {
        final List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "jcstress-results-*.bin.gz")) {
            found.forEach(files::add);
        }
        return files;
    }
}
