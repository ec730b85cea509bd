package io.heddle.tests.pair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A test's hold on a {@link PairChild}. Confined, but for the thread that reads. */
public final class PairJvm implements AutoCloseable {
    /** A JVM that aborted. */
    public static final int ABORTED = 134;
    private static final long LIMIT_SECONDS = 90;

    private final Path directory;
    private final Process process;
    private final OutputStream stdin;
    private final LinkedBlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();

    private PairJvm(final Path directory, final Process process) {
        this.directory = directory;
        this.process = process;
        stdin = process.getOutputStream();
        final Thread reader = new Thread(this::read, "pair-reader-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts one; its crash reports go to the directory, its runtime directory is {@code directory/heddle}. */
    public static PairJvm start(final Path directory, final String... flags) throws IOException {
        return start(directory, PairChild.class, flags);
    }

    /** As the other, with another main class that takes the directory, and commands and answers alike. */
    public static PairJvm start(final Path directory, final Class<?> main, final String... flags) throws IOException {
        return start(List.of(), directory, directory.resolve("heddle"), main, flags);
    }

    /** As the others, with a command before java, and a runtime directory as that command lets java see it. */
    public static PairJvm start(final List<String> launcher, final Path directory, final Path runtimeDirectory,
        final Class<?> main, final String... flags) throws IOException {
        final List<String> command = new ArrayList<>(launcher);
        command.addAll(ChildRun.javaCommand(directory, List.of(flags)));
        command.add(main.getName());
        command.add(runtimeDirectory.toString());
        final PairJvm jvm = new PairJvm(directory,
            new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
        jvm.answer("start");
        return jvm;
    }

    private void read() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream(),
            StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith("@event ")) {
                    events.add(line.substring("@event ".length()));
                } else if (line.startsWith("@")) {
                    answers.add(line.substring(1));
                } else {
                    System.err.println(line);
                }
            }
        } catch (final IOException ex) {
            System.err.println("pair child " + process.pid() + ": " + ex);
        }
    }

    /** Tells it a command and returns its answer; fails if it failed. */
    public String tell(final String command) throws IOException {
        stdin.write((command + "\n").getBytes(StandardCharsets.UTF_8));
        stdin.flush();
        return answer(command);
    }

    /** Tells it a command that must fail, and returns what it said. */
    public String tellInVain(final String command) throws IOException {
        stdin.write((command + "\n").getBytes(StandardCharsets.UTF_8));
        stdin.flush();
        return answer(command, "failed ");
    }

    /** The answer to a command that {@link #tellLast} told it. */
    public String answer(final String command) {
        return answer(command, "ok ");
    }

    private String answer(final String command, final String outcome) {
        try {
            String answer = null;
            for (int i = 0; i < LIMIT_SECONDS && answer == null; i++) {
                final boolean isAlive = process.isAlive(); // before the look: its last answer may be under way
                answer = answers.poll(1, TimeUnit.SECONDS);
                assertTrue(isAlive || answer != null, () -> "ended before it answered: command=" + command);
            }
            assertNotNull(answer, "no answer: command=" + command);
            assertTrue(answer.startsWith(outcome), "command=" + command + " answer=" + answer);
            return answer.substring(outcome.length());
        } catch (final InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    /** The next event. */
    public String event() throws InterruptedException {
        final String event = events.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertNotNull(event, "no event");
        return event;
    }

    /** Forgets events of the past. */
    public void clearEvents() {
        events.clear();
    }

    /** Whether events are waiting to be read. */
    public boolean hasEvent() {
        return !events.isEmpty();
    }

    /** A number out of a worker's state. */
    public long number(final String name, final String key) throws IOException {
        return number(key, tell("state " + name), key);
    }

    /** A number out of a text of {@code key=value}. */
    public static long number(final String what, final String text, final String key) {
        final Matcher matcher = Pattern.compile("(?:^| )" + key + "=([0-9]+)(?= |$)").matcher(text);
        assertTrue(matcher.find(), () -> what + " is missing: " + text);
        return Long.parseLong(matcher.group(1));
    }

    /** Fails unless the worker saw nothing wrong. */
    public void assertNoProblem(final String name) throws IOException {
        final String state = tell("state " + name);
        assertEquals(0, number("problems", state, "problems"), state);
    }

    /** The process. */
    public long pid() {
        return process.pid();
    }

    /** A line of {@code /proc/PID/status} that counts KiB, such as {@code VmRSS}, in bytes. */
    public long memoryBytes(final String key) throws IOException {
        for (final String line : Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status"))) {
            if (line.startsWith(key + ':')) {
                return 1024 * Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new AssertionError("no such line: key=" + key);
    }

    /** {@code kill -9}, and waits for the end. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        awaitKilled();
    }

    /** Waits for the end of one that something else kills. */
    public void awaitKilled() throws InterruptedException {
        assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS));
        assertEquals(137, process.exitValue());
    }

    /** Tells it a command that it does not live to answer, or whose {@link #answer} is asked for later. */
    public void tellLast(final String command) throws IOException {
        stdin.write((command + "\n").getBytes(StandardCharsets.UTF_8));
        stdin.flush();
    }

    /** Stops it, as a debugger or a long pause would. */
    public void stop() throws IOException, InterruptedException {
        signal("-STOP");
    }

    /** Lets it go on. */
    public void go() throws IOException, InterruptedException {
        signal("-CONT");
    }

    private void signal(final String signal) throws IOException, InterruptedException {
        assertEquals(0, new ProcessBuilder("kill", signal, Long.toString(process.pid())).start().waitFor());
    }

    /** Ends it by the end of its stdin; fails if a JVM crashed. */
    @Override
    public void close() throws IOException {
        try {
            stdin.close();
        } catch (final IOException ex) {
            System.err.println("pair child " + process.pid() + ": " + ex);
        }
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (final InterruptedException ex) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            return;
        }
        ChildRun.assertNoCrash(directory);
        assertTrue(process.exitValue() != ABORTED, "the JVM aborted");
    }
}
