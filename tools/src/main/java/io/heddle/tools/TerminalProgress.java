package io.heddle.tools;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.agrona.concurrent.NanoClock;

/**
 * Shows how far a stream has come: on a terminal one line that is written over ten times a second, elsewhere a line a
 * second. Guarded by its own monitor.
 */
final class TerminalProgress {
    private static final long TERMINAL_INTERVAL_NS = 100_000_000L;
    private static final long PLAIN_INTERVAL_NS = 1_000_000_000L;
    private static final String ERASE_LINE = "\r\u001b[K";

    private final PrintStream out;
    private final boolean terminal;
    private final NanoClock clock;
    private final long totalBytes;
    private long startNs;
    private long shownNs;
    private boolean started;
    private boolean lineOpen;

    TerminalProgress(final PrintStream out, final boolean terminal, final NanoClock clock, final long totalBytes) {
        this.out = out;
        this.terminal = terminal;
        this.clock = clock;
        this.totalBytes = totalBytes;
    }

    /** Whether this process's stderr is a terminal. */
    static boolean isTerminal() {
        try {
            final String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (final IOException e) {
            return false;
        }
    }

    /** Shows {@code bytes} of the total, if the last time is long enough ago. The first call starts the clock. */
    synchronized void show(final long bytes) {
        final long now = clock.nanoTime();
        if (!started) {
            started = true;
            startNs = now;
        } else if (now - shownNs < (terminal ? TERMINAL_INTERVAL_NS : PLAIN_INTERVAL_NS)) {
            return;
        }
        shownNs = now;
        final double seconds = Math.max(1, now - startNs) / 1e9;
        final String line = String.format(Locale.ROOT, "demo: %d%% (%.0f of %.0f MB) after %.1f s",
            totalBytes == 0 ? 100 : bytes * 100 / totalBytes, bytes / 1e6, totalBytes / 1e6, seconds);
        if (terminal) {
            out.print(ERASE_LINE + line);
            out.flush();
            lineOpen = true;
        } else {
            out.println(line);
        }
    }

    /** Takes the updating line away, so that what follows begins at the margin. */
    synchronized void done() {
        if (lineOpen) {
            out.print(ERASE_LINE);
            out.flush();
            lineOpen = false;
        }
    }
}
