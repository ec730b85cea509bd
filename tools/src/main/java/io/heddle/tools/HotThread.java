package io.heddle.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Pins the calling thread, and no other, to one processor. */
final class HotThread {
    private HotThread() {
    }

    /** Does nothing when {@code cpu} is negative. Takes a few milliseconds; the thread stays pinned for its life. */
    static void pin(final int cpu) {
        if (cpu < 0) {
            return;
        }
        try {
            final String id = Long.toString(id());
            final Process taskset = new ProcessBuilder("taskset", "-p", "-c", Integer.toString(cpu), id)
                .redirectErrorStream(true).start();
            final String said = new String(taskset.getInputStream().readAllBytes()).strip();
            if (!taskset.waitFor(10, TimeUnit.SECONDS) || taskset.exitValue() != 0) {
                throw new ToolException("taskset could not pin a thread: cpu=" + cpu + " said=" + said);
            }
        } catch (final IOException e) {
            throw new ToolException("taskset is needed for --pin (package util-linux): " + e.getMessage(), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted while pinning", e);
        }
    }

    /** The kernel's id of the calling thread. */
    static long id() throws IOException {
        return Long.parseLong(Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString());
    }
}
