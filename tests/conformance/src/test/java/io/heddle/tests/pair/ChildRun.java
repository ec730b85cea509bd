package io.heddle.tests.pair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A class's {@code main} in a JVM of its own, run to its end, with this JVM's assertions and class path. Immutable.
 *
 * @param exitCode of the process; 134 is a JVM that aborted.
 * @param output   stdout and stderr.
 */
public record ChildRun(int exitCode, String output) {
    private static final long LIMIT_SECONDS = 120;
    private static final String CLASS_PATH =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    /**
     * Runs it.
     *
     * @param directory where it runs, and leaves its crash report if it must.
     * @param launcher  put before the java command.
     * @param flags     of the JVM.
     */
    public static ChildRun of(final Path directory, final List<String> launcher, final List<String> flags,
        final Class<?> main, final String... arguments) throws IOException, InterruptedException {
        return of(directory, launcher, flags, CLASS_PATH, main, arguments);
    }

    /** As the other, with another class path. */
    public static ChildRun of(final Path directory, final List<String> launcher, final List<String> flags,
        final String classPath, final Class<?> main, final String... arguments)
        throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(launcher);
        command.addAll(javaCommand(directory, flags, classPath));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        final Path output = Files.createTempFile(directory, "output", ".txt");
        final Process process = new ProcessBuilder(command).directory(directory.toFile())
            .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        process.getOutputStream().close();
        final boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly().waitFor();
        }
        final String text = Files.readString(output);
        assertTrue(ended, () -> "still running: main=" + main.getName() + "\n" + text);
        assertNoCrash(directory);
        return new ChildRun(process.exitValue(), text);
    }

    /** The java command of a child, without its main class. */
    static List<String> javaCommand(final Path directory, final List<String> flags) {
        return javaCommand(directory, flags, CLASS_PATH);
    }

    private static List<String> javaCommand(final Path directory, final List<String> flags, final String classPath) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-XX:+UseSerialGC",
            "-Xmx512m", "-XX:ErrorFile=" + directory.resolve("hs_err_pid%p.log"), "-XX:-CreateCoredumpOnCrash"));
        if (ChildRun.class.desiredAssertionStatus()) {
            command.add("-ea:io.heddle...");
        }
        command.addAll(flags);
        command.addAll(List.of("-cp", classPath));
        return command;
    }

    /** Fails if a JVM left a crash report. */
    public static void assertNoCrash(final Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (final Path file : files.filter(path -> path.getFileName().toString().startsWith("hs_err")).toList()) {
                throw new AssertionError("a JVM crashed:\n" + Files.readString(file).lines().limit(60)
                    .reduce("", (a, b) -> a + b + "\n"));
            }
        }
    }

    /** Fails unless it ended well. */
    public ChildRun assertRight() {
        assertEquals(0, exitCode, output);
        return this;
    }
}
