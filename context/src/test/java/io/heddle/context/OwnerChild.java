package io.heddle.context;

import io.heddle.context.internal.ListenerName;
import io.heddle.context.internal.RuntimeDirectory;
import io.heddle.tests.base.OtherJvm;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.agrona.concurrent.SystemEpochClock;

/** What another JVM does with a runtime directory, and prints; it never closes in an orderly way. */
public final class OwnerChild {
    static final long COUNTED = 42;
    /** What mode {@code name} listens by. */
    public static final String NAME = "prices";

    private OwnerChild() {
    }

    /** Returns when the child is ready; the test's time limit applies. */
    public static OtherJvm start(final String umask, final String mode, final Path path) throws IOException {
        return OtherJvm.start(List.of("sh", "-c", "umask " + umask + "; exec \"$@\"", "sh"), OwnerChild.class, mode,
            path.toString());
    }

    /**
     * As {@link #start(String, String, Path)}, with a file system of its own where {@code path} is to be; needs user
     * namespaces.
     */
    public static OtherJvm startOnSmallFileSystem(final int kibibytes, final String mode, final Path path)
        throws IOException {
        final String mount = "mount -t tmpfs -o size=" + kibibytes + "k none \"$0\" && exec \"$@\"";
        return OtherJvm.start(List.of("unshare", "-rm", "sh", "-c", mount, path.getParent().toString()),
            OwnerChild.class, mode, path.toString());
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
        OtherJvm.stay();
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
