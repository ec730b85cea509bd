package io.heddle.context;

import io.heddle.context.internal.ListenerName;
import io.heddle.context.internal.RuntimeDirectory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SystemEpochClock;

/**
 * Another JVM that uses a runtime directory. It prints what it did, then {@code ready}, and stays until its standard
 * input ends or it is killed; it never closes in an orderly way.
 */
public final class OwnerChild implements AutoCloseable {
    static final long COUNTED = 42;
    /** What mode {@code name} listens by. */
    public static final String NAME = "prices";

    private final Process process;
    private final List<String> printed = new ArrayList<>();

    private OwnerChild(final Process process) {
        this.process = process;
    }

    /** Returns when the child is ready; the test's time limit applies. */
    public static OwnerChild start(final String umask, final String mode, final Path path) throws IOException {
        return start(List.of("sh", "-c", "umask " + umask + "; exec \"$@\"", "sh"), mode, path);
    }

    /**
     * As {@link #start(String, String, Path)}, with a file system of its own where {@code path} is to be; needs user
     * namespaces.
     */
    public static OwnerChild startOnSmallFileSystem(final int kibibytes, final String mode, final Path path)
        throws IOException {
        final String mount = "mount -t tmpfs -o size=" + kibibytes + "k none \"$0\" && exec \"$@\"";
        return start(List.of("unshare", "-rm", "sh", "-c", mount, path.getParent().toString()), mode, path);
    }

    private static OwnerChild start(final List<String> before, final String mode, final Path path) throws IOException {
        final List<String> command = new ArrayList<>(before);
        command.addAll(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-Xmx64m", "-XX:TieredStopAtLevel=1",
            "-cp", System.getProperty("java.class.path"),
            OwnerChild.class.getName(), mode, path.toString()));
        final Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        final OwnerChild child = new OwnerChild(process);
        final BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream()));
        for (String line = output.readLine(); !"ready".equals(line); line = output.readLine()) {
            if (line == null) {
                throw new IOException("child ended: mode=" + mode + " printed=" + child.printed);
            }
            child.printed.add(line);
        }
        return child;
    }

    /** What it printed, a line each. */
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
                throw new IllegalStateException("child does not end: pid=" + process.pid());
            }
        } catch (final InterruptedException ex) {
            throw new IllegalStateException("interrupted", ex);
        }
    }

    /** The other side. */
    public static void main(final String[] args) throws IOException {
        final Path path = Path.of(args[1]);
        switch (args[0]) {
            case "own" -> own(path);
            case "churn" -> new Thread(() -> churn(path)).start();
            case "fill" -> fill(path);
            case "name" -> name(path);
            case "sweep" -> RuntimeDirectory.sweep(path, false).removed().forEach(System.out::println);
            case "lock" -> FileChannel.open(path, StandardOpenOption.WRITE).lock();
            default -> throw new IllegalArgumentException(args[0]);
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
        Runtime.getRuntime().halt(0);
    }

    private static void name(final Path path) {
        try {
            ListenerName.claim(path, NAME, new byte[] {1, 2, 3});
            System.out.println("claimed");
        } catch (final HeddleException ex) {
            System.out.println(ex.status() + " " + ex.getMessage());
        }
    }

    private static void churn(final Path path) {
        try {
            while (true) {
                RuntimeDirectory.open(path).close();
            }
        } catch (final HeddleException ex) {
            System.err.println(ex);
            Runtime.getRuntime().halt(1);
        }
    }

    private static void fill(final Path path) {
        try (RuntimeDirectory directory = RuntimeDirectory.open(path)) {
            Counters.create(directory, SystemEpochClock.INSTANCE);
        } catch (final NoSharedMemoryException ex) {
            System.out.println(ex.getMessage());
            System.out.println(ex.neededBytes() > ex.availableBytes());
        }
        System.out.println(path.toFile().list().length);
    }

    private static void own(final Path path) throws IOException {
        final RuntimeDirectory directory = RuntimeDirectory.open(path);
        final Counters counters = Counters.create(directory, SystemEpochClock.INSTANCE);
        counters.newWorkerCounters("w-1").counter(WorkerCounter.MESSAGES_RECEIVED).getAndAddPlain(COUNTED);
        Files.writeString(directory.file("-segment"), "data");
        System.out.println(directory.ownerId());
    }
}
