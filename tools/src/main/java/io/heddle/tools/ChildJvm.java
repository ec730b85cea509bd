package io.heddle.tools;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

/**
 * A JVM that runs one half of a command. It tells things on its stdout as lines {@code @word text} ({@link
 * ChildChannel}), is told things on its stdin, shares our stderr, and ends when its stdin ends: so it cannot outlive
 * us, however we end. While we live it is destroyed by {@link #close()} or, on a signal, by a shutdown hook. Thread
 * safe.
 */
final class ChildJvm implements AutoCloseable {
    private static final long LOOK_AGAIN_MS = 100;
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final String name;
    private final Process process;
    private final OutputStream stdin;
    private final Thread hook;
    private final Map<String, CompletableFuture<String>> told = new ConcurrentHashMap<>();
    private volatile boolean ended;
    private volatile boolean closing;

    private ChildJvm(final String name, final Process process, final BiConsumer<String, String> listener) {
        this.name = name;
        this.process = process;
        this.stdin = process.getOutputStream();
        this.hook = new Thread(process::destroyForcibly, "heddle-end-" + name);
        Runtime.getRuntime().addShutdownHook(hook);
        final Thread reader = new Thread(() -> read(listener), "heddle-read-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts {@code heddle} with {@code arguments} in a new JVM.
     *
     * @param listener gets each word and its text, on a thread of this class, before those who wait for it
     */
    static ChildJvm start(
        final String name,
        final List<String> flags,
        final List<String> arguments,
        final BiConsumer<String, String> listener) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(arguments);
        try {
            return new ChildJvm(name, new ProcessBuilder(command).redirectError(Redirect.INHERIT).start(), listener);
        } catch (final IOException e) {
            throw new ToolException("cannot start a JVM for the " + name + ": " + e.getMessage(), e);
        }
    }

    /** What the child told with this word; fails if it ends first, or if {@code timeout} passes. */
    String await(final String word, final Duration timeout) {
        return await(word, timeout, this);
    }

    /**
     * As {@link #await(String, Duration)}; fails too if {@code other} ends, without which this child would wait in
     * vain.
     */
    String await(final String word, final Duration timeout, final ChildJvm other) {
        final Future<String> future = future(word);
        final long start = System.nanoTime();
        while (System.nanoTime() - start < timeout.toNanos()) {
            try {
                return future.get(LOOK_AGAIN_MS, TimeUnit.MILLISECONDS);
            } catch (final TimeoutException e) {
                if (other.ended && !future.isDone()) {
                    throw new ToolException("the " + other.name + " process ended too early", e);
                }
            } catch (final ExecutionException e) {
                throw new ToolException(e.getCause().getMessage(), e);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ToolException("interrupted", e);
            }
        }
        throw new ToolException("the " + name + " has not said " + word + " after " + timeout.toSeconds() + " s");
    }

    /** One line to the child's stdin. */
    void tell(final String line) {
        try {
            stdin.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            stdin.flush();
        } catch (final IOException e) {
            throw new ToolException("the " + name + " cannot be told anything: " + e.getMessage(), e);
        }
    }

    /** Lets the child end by itself for a moment, then ends it. */
    @Override
    public void close() {
        closing = true;
        try {
            if (!process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (final InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            // The JVM is ending already, and the hook runs: there is nothing to remove.
            return;
        }
    }

    private CompletableFuture<String> future(final String word) {
        final CompletableFuture<String> future = told.computeIfAbsent(word, ignored -> new CompletableFuture<>());
        if (ended) {
            fail(future);
        }
        return future;
    }

    private void read(final BiConsumer<String, String> listener) {
        try (BufferedReader in = new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith(ChildChannel.MARK)) {
                    final int space = line.indexOf(' ');
                    final String word = line.substring(1, space < 0 ? line.length() : space);
                    final String text = space < 0 ? "" : line.substring(space + 1);
                    listener.accept(word, text);
                    future(word).complete(text);
                } else {
                    System.err.println(line);
                }
            }
        } catch (final IOException e) {
            // Ending a process closes its streams under the reader.
            if (!closing) {
                System.err.println("reading from the " + name + ": " + e.getMessage());
            }
        } finally {
            // Written before the sweep: who asks for a word later than the sweep sees it (volatile) in future().
            ended = true;
            told.values().forEach(this::fail);
        }
    }

    private void fail(final CompletableFuture<String> future) {
        future.completeExceptionally(new ToolException("the " + name + " process ended too early"));
    }
}
