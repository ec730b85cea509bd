package io.heddle.tools;

import io.heddle.context.ContextConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * How two processes that were started by hand find each other: the server leaves its worker's address, in hex, in a
 * small file of the runtime directory, whole or not at all; the control page lies beside it. Both are gone when the
 * server ends.
 */
final class Meeting {
    private static final long PATIENCE_NS = 60_000_000_000L;
    private static final long LOOK_AGAIN_MS = 20;

    private final Path address;
    private final Path page;

    private Meeting(final String name, final int index) throws IOException {
        final Path directory = new ContextConfig().conclude().directory();
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        address = directory.resolve("perftest-" + name + "-" + index + ".address");
        page = directory.resolve("perftest-" + name + "-" + index + ".page");
    }

    /** Throws unless {@code name} is null or fit to be part of a file's name. */
    static void checkName(final String name) {
        if (name != null && !name.matches("[A-Za-z0-9_.]{1,40}")) {
            throw new IllegalArgumentException(
                "name=" + name + " must be 1 to 40 letters, digits, dots or underscores");
        }
    }

    /** Runs the server of measurement {@code index} until its client is done. */
    static void serve(final String name, final int index, final PerftestOptions options) throws IOException {
        final Meeting meeting = new Meeting(name, index);
        final Thread cleaner = new Thread(meeting::leave, "heddle-clean");
        Runtime.getRuntime().addShutdownHook(cleaner);
        try {
            meeting.leave();
            options.page = meeting.page.toString();
            ControlPage.create(meeting.page);
            PerfServer.serve(options, meeting::publish);
        } finally {
            meeting.leave();
            Runtime.getRuntime().removeShutdownHook(cleaner);
        }
    }

    /** Waits for the server of measurement {@code index} and measures against it. */
    static ResultLine visit(final String name, final int index, final PerftestOptions options) throws IOException {
        final Meeting meeting = new Meeting(name, index);
        final String hex = meeting.find();
        options.page = meeting.page.toString();
        return PerfClient.measure(options, hex);
    }

    private void publish(final String hex) {
        try {
            final Path draft = Files.createTempFile(address.getParent(), "perftest-", ".draft",
                PosixFilePermissions.asFileAttribute(Set.copyOf(PosixFilePermissions.fromString("rw-------"))));
            Files.writeString(draft, hex);
            Files.move(draft, address, StandardCopyOption.ATOMIC_MOVE);
        } catch (final IOException e) {
            throw new ToolException(
                "cannot leave the address for the client: file=" + address + " " + e.getMessage(), e);
        }
    }

    private String find() throws IOException {
        final long start = System.nanoTime();
        while (!Files.exists(address)) {
            if (System.nanoTime() - start > PATIENCE_NS) {
                throw new ToolException("no server: file=" + address + " has not appeared for 60 s");
            }
            try {
                Thread.sleep(LOOK_AGAIN_MS);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ToolException("interrupted", e);
            }
        }
        return Files.readString(address);
    }

    private void leave() {
        try {
            Files.deleteIfExists(address);
            Files.deleteIfExists(page);
        } catch (final IOException e) {
            System.err.println("cannot delete " + address + ": " + e.getMessage());
        }
    }
}
