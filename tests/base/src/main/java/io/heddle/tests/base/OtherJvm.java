package io.heddle.tests.base;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Another JVM of a test, with the test's class path. Its main class prints what it did, a line each, and then calls
 * {@link #stay()}; it is there until it is killed. Confined to the test's thread.
 */
public final class OtherJvm implements AutoCloseable {
    private static final String READY = "ready";

    private final Process process;
    private final List<String> printed = new ArrayList<>();

    private OtherJvm(final Process process) {
        this.process = process;
    }

    /**
     * Returns when the other side stays; the test's time limit applies.
     *
     * @param before words before {@code java}: a program that executes what follows it.
     * @throws IOException if it ended instead.
     */
    public static OtherJvm start(final List<String> before, final Class<?> main, final String... arguments)
        throws IOException {
        final List<String> command = new ArrayList<>(before);
        command.addAll(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-Xmx64m", "-XX:TieredStopAtLevel=1", "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")), main.getName()));
        command.addAll(List.of(arguments));
        final Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        final OtherJvm other = new OtherJvm(process);
        final BufferedReader output =
            new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = output.readLine(); !READY.equals(line); line = output.readLine()) {
            if (line == null) {
                throw new IOException("the other JVM ended: main=" + main.getSimpleName() + " arguments="
                    + List.of(arguments) + " printed=" + other.printed);
            }
            other.printed.add(line);
        }
        return other;
    }

    /** For the other side: says that it is ready, and returns when the test is no more. */
    public static void stay() throws IOException {
        System.out.println(READY);
        while (System.in.read() >= 0) {
            continue;
        }
    }

    /** What it printed before it was ready. */
    public List<String> printed() {
        return printed;
    }

    /** As this process counts. */
    public long pid() {
        return process.pid();
    }

    /** Whether it still runs, so nothing went wrong in it. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Kills it as {@code kill -9} does, and returns when it is gone. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("does not end: pid=" + process.pid());
            }
        } catch (final InterruptedException ex) {
            throw new IllegalStateException("interrupted", ex);
        }
    }
}
