package io.heddle.tools;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A child's side of {@link ChildJvm}: lines {@code @word text} to the parent on stdout, lines from it on stdin. When
 * stdin ends the parent is gone, or done with us, and this process ends. Thread safe.
 */
final class ChildChannel {
    /** What a line to the parent begins with. */
    static final String MARK = "@";
    private static final long PATIENCE_SECONDS = 60;

    private final PrintStream out;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private ChildChannel(final PrintStream out) {
        this.out = out;
    }

    /** Over this process's stdin and stdout, with a daemon thread that watches for the parent's end. */
    static ChildChannel open() {
        final ChildChannel channel = new ChildChannel(System.out);
        final Thread watcher = new Thread(channel::watch, "heddle-parent-watch");
        watcher.setDaemon(true);
        watcher.start();
        return channel;
    }

    void tell(final String word, final String text) {
        synchronized (out) {
            out.println(MARK + word + " " + text);
            out.flush();
        }
    }

    /** The next line from the parent. */
    String hear() {
        try {
            final String line = lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (line == null) {
                throw new ToolException("the parent has said nothing for " + PATIENCE_SECONDS + " s");
            }
            return line;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted", e);
        }
    }

    private void watch() {
        try {
            final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(line);
            }
        } catch (final IOException e) {
            System.err.println("stdin cannot be read: " + e.getMessage());
        }
        // Not exit: nothing of ours needs to be cleaned up that the next context does not sweep, and a stuck hook
        // must not keep us.
        Runtime.getRuntime().halt(ExitCode.FAILED);
    }
}
