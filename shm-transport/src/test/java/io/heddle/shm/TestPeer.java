package io.heddle.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.context.ContextConfig;
import io.heddle.context.HeddleException;
import io.heddle.context.spi.Lane;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A peer in a JVM of its own. Speaks one line per event on stdout; ends when its stdin does, or killed. */
final class TestPeer implements AutoCloseable {
    private final Process process;
    private final BufferedReader lines;

    /** @param arguments mode, directory, and what the mode wants. */
    TestPeer(final String failpoints, final String... arguments) throws IOException {
        this(List.of(), failpoints, arguments);
    }

    /** @param launcher put before the java command. */
    TestPeer(final List<String> launcher, final String failpoints, final String... arguments) throws IOException {
        final List<String> command = new ArrayList<>(launcher);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-Dheddle.failpoints=" + failpoints, "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            TestPeer.class.getName()));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        lines = process.inputReader(StandardCharsets.UTF_8);
    }

    /** The next line that begins with the word, without it; null at the end. Log lines are passed over. */
    String expect(final String word) throws IOException {
        String line = lines.readLine();
        while (line != null && !line.startsWith(word + " ")) {
            line = lines.readLine();
        }
        return line == null ? null : line.substring(word.length() + 1);
    }

    void kill() {
        process.destroyForcibly();
    }

    /** Stops it, or lets it go on. */
    void signal(final String name) throws IOException, InterruptedException {
        assertEquals(0, new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor());
    }

    /** Whether it ended within the limit. */
    boolean ended() throws InterruptedException {
        return process.waitFor(TestWorker.LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    int exitCode() {
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (final InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    static byte[] bytes(final String hex) {
        return HexFormat.of().parseHex(hex);
    }

    static String hex(final byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    // ---- in the child

    public static void main(final String[] arguments) throws IOException {
        final Path directory = Path.of(arguments[1]);
        switch (arguments[0]) {
            case "listen" -> listen(directory);
            case "lose" -> lose(directory);
            case "connect" -> connect(directory, bytes(arguments[2]));
            case "name" -> name(directory);
            case "full" -> full(directory);
            case "exhaust" -> exhaust(directory);
            default -> throw new IllegalArgumentException("mode=" + arguments[0]);
        }
    }

    private static void listen(final Path directory) throws IOException {
        try (TestHost host = new TestHost(directory)) {
            final TestWorker worker = host.worker("child");
            say("address", hex(worker.shm.address()));
            stepUntilEnd(worker);
        }
    }

    /** As listen, and tells how its first lane ended. */
    private static void lose(final Path directory) throws IOException {
        try (TestHost host = new TestHost(directory)) {
            final TestWorker worker = host.worker("child");
            say("address", hex(worker.shm.address()));
            TestWorker.stepUntil("gone", () -> !worker.gone.isEmpty(), worker);
            say("gone", worker.gone.get(0).status() + " " + worker.gone.get(0).reason());
            stepUntilEnd(worker);
        }
    }

    private static void connect(final Path directory, final byte[] address) throws IOException {
        try (TestHost host = new TestHost(directory)) {
            final TestWorker worker = host.worker("child");
            final Lane lane = worker.connect(address);
            TestWorker.stepUntil("outcome", () -> lane.isReady() || !worker.gone.isEmpty(), worker);
            say("outcome", lane.isReady() ? "ready" : worker.gone.get(0).status() + " " + worker.gone.get(0).reason());
            stepUntilEnd(worker);
        }
    }

    private static void name(final Path directory) throws IOException {
        try (TestHost host = new TestHost(directory)) {
            final TestWorker worker = host.worker("child");
            worker.shm.listen("prices");
            say("address", hex(worker.shm.address()));
            stepUntilEnd(worker);
        }
    }

    private static void full(final Path directory) {
        final SegmentBudget budget = new SegmentBudget(1L << 30);
        final SegmentGauge gauge = new SegmentGauge();
        try {
            SegmentFile.create(directory, "x-1.seg", 64 << 20, budget, gauge);
            say("outcome", "made");
        } catch (final HeddleException ex) {
            say("outcome", ex.status() + " " + ex.getMessage());
        }
        say("left", TestHost.leftovers(directory) + " charged=" + budget.usedBytes() + " maps=" + gauge.liveMaps());
    }

    /** Connects to itself until file descriptors run out, lets go, and tries again. */
    private static void exhaust(final Path directory) {
        final ControlTimings hasty = new ControlTimings(
            TimeUnit.SECONDS.toNanos(2), TestHost.TIMINGS.lingerNs(), TestHost.TIMINGS.closeLingerNs(),
            TestHost.TIMINGS.acceptPauseNs());
        try (TestHost host = new TestHost(directory, new ContextConfig(), hasty)) {
            final TestWorker worker = host.worker("greedy");
            worker.connect(new byte[0]); // so that the test's own classes are loaded before descriptors run out
            TestWorker.stepUntil("refused", () -> !worker.gone.isEmpty(), worker);
            worker.gone.clear();
            final int wanted = 300;
            for (int i = 0; i < wanted; i++) {
                worker.connect(worker.shm.address());
            }
            TestWorker.stepUntil(
                "each has an outcome", () -> worker.gone.size() + worker.connected.size() >= wanted, worker);
            say("failed", Integer.toString(worker.gone.size()));
            say("reason", worker.gone.isEmpty() ? "none" : worker.gone.get(0).reason());
            List.copyOf(worker.connected).forEach(worker::dispose);
            List.copyOf(worker.accepted).forEach(worker::dispose);
            worker.connected.clear();
            worker.gone.clear();
            worker.connect(worker.shm.address());
            TestWorker.stepUntil("descriptors are back", () -> {
                if (worker.connected.isEmpty() && !worker.gone.isEmpty()) {
                    worker.gone.clear();
                    worker.connect(worker.shm.address());
                }
                return !worker.connected.isEmpty();
            }, worker);
            say("left", host.segmentFiles().toString());
        }
    }

    private static void say(final String word, final String text) {
        System.out.println(String.format(Locale.ROOT, "%s %s", word, text));
        System.out.flush();
    }

    private static void stepUntilEnd(final TestWorker worker) throws IOException {
        final InputStreamReader in = new InputStreamReader(System.in, StandardCharsets.UTF_8);
        final Thread parent = new Thread(() -> {
            try {
                while (in.read() >= 0) {
                    Thread.onSpinWait();
                }
            } catch (final IOException ex) {
                // the parent is gone as well
            }
        });
        parent.setDaemon(true);
        parent.start();
        while (parent.isAlive()) {
            worker.step();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }
}
