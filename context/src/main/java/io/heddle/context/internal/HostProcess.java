package io.heddle.context.internal;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the operating system says about this process. Linux only. Stateless. */
public final class HostProcess {
    private HostProcess() {
    }

    /** The effective user id, which new files get as their owner. */
    public static int uid() {
        final String label = "Uid:";
        for (final String line : read("/proc/self/status").split("\n")) {
            if (line.startsWith(label)) {
                return Integer.parseInt(line.substring(label.length()).strip().split("\\s+")[1]);
            }
        }
        throw new HeddleException(Status.UNSUPPORTED, "no user id: file=/proc/self/status has no line " + label);
    }

    /** As this process sees itself: another PID namespace has another number for it. */
    public static long pid() {
        return ProcessHandle.current().pid();
    }

    /** When this process started, in clock ticks since boot: field 22 of {@code /proc/self/stat}. */
    public static long startTicks() {
        final String stat = read("/proc/self/stat");
        // The second field is the command in parentheses and may hold anything, so count from the last one that closes.
        final String[] afterCommand = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(afterCommand[19]);
    }

    /** Differs after each boot of the host. */
    public static String bootId() {
        return read("/proc/sys/kernel/random/boot_id").strip();
    }

    /** Differs between PID namespaces, in which the same numbers mean other processes. */
    public static String pidNamespace() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
        } catch (final IOException ex) {
            throw new HeddleException(Status.UNSUPPORTED, "heddle needs linux with /proc: file=/proc/self/ns/pid", ex);
        }
    }

    private static String read(final String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (final IOException ex) {
            throw new HeddleException(Status.UNSUPPORTED, "heddle needs linux with /proc: file=" + file, ex);
        }
    }
}
