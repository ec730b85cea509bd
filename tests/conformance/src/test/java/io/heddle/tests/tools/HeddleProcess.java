package io.heddle.tests.tools;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The command line, started with this JVM's java and class path, its output in files. Confined. */
final class HeddleProcess implements AutoCloseable {
    /** What the JVM needs. */
    static final List<String> FLAGS = List.of("--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED");
    private static final long LIMIT_SECONDS = 120;

    private final Process process;
    private final Path stdout;
    private final Path stderr;

    private HeddleProcess(final Process process, final Path stdout, final Path stderr) {
        this.process = process;
        this.stdout = stdout;
        this.stderr = stderr;
    }

    /** Starts {@code heddle arguments}; {@code directory} takes its output. */
    static HeddleProcess start(final Path directory, final String arguments) throws IOException {
        return start(directory, List.of(), FLAGS, arguments);
    }

    /** As the other, with a command before java and other flags after it. */
    static HeddleProcess start(final Path directory, final List<String> launcher, final List<String> flags,
        final String arguments) throws IOException {
        final List<String> command = new ArrayList<>(launcher);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
            "io.heddle.tools.Main"));
        command.addAll(List.of(arguments.split(" ")));
        final Path stdout = Files.createTempFile(directory, "stdout", ".txt");
        final Path stderr = Files.createTempFile(directory, "stderr", ".txt");
        return new HeddleProcess(new ProcessBuilder(command)
            .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(stdout.toFile())
            .redirectError(stderr.toFile())
            .start(), stdout, stderr);
    }

    /** Runs it to its end. */
    static HeddleProcess run(final Path directory, final String arguments) throws IOException, InterruptedException {
        return run(directory, List.of(), FLAGS, arguments);
    }

    /** Runs it to its end, with a command before java and other flags after it. */
    static HeddleProcess run(final Path directory, final List<String> launcher, final List<String> flags,
        final String arguments) throws IOException, InterruptedException {
        try (HeddleProcess heddle = start(directory, launcher, flags, arguments)) {
            return heddle.awaitEnd();
        }
    }

    HeddleProcess awaitEnd() throws InterruptedException {
        assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS), "still running: " + this);
        return this;
    }

    int exitCode() {
        return process.exitValue();
    }

    /** Starts it with a runtime directory of its own. */
    static HeddleProcess startIn(final Path runtimeDirectory, final Path directory, final String arguments)
        throws IOException {
        final List<String> flags = new ArrayList<>(FLAGS);
        flags.add("-Dheddle.directory=" + runtimeDirectory);
        return start(directory, List.of(), flags, arguments);
    }

    /** The child that runs a sub-command, or empty. */
    Optional<ProcessHandle> child(final String subCommand) {
        return process.children()
            .filter(each -> read(Path.of("/proc", Long.toString(each.pid()), "cmdline")).contains(subCommand))
            .findFirst();
    }

    ProcessHandle handle() {
        return process.toHandle();
    }

    String stdout() {
        return read(stdout);
    }

    String stderr() {
        return read(stderr);
    }

    String lastLine() {
        final List<String> lines = stdout().lines().toList();
        assertTrue(!lines.isEmpty(), "nothing on stdout: " + this);
        return lines.get(lines.size() - 1);
    }

    /** The value of a key of the last line. */
    double number(final String key) {
        final Matcher matcher = Pattern.compile("(?:^| )" + key + "=([0-9.]+)(?= |$)").matcher(lastLine());
        assertTrue(matcher.find(), key + " is missing: " + this);
        return Double.parseDouble(matcher.group(1));
    }

    private static String read(final Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Override
    public String toString() {
        return "exit code=" + (process.isAlive() ? "none" : process.exitValue())
            + "\n--- stdout\n" + stdout() + "--- stderr\n" + stderr();
    }
}
