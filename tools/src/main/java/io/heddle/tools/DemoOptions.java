package io.heddle.tools;

import static io.heddle.tools.OptionRules.lower;
import static io.heddle.tools.OptionRules.require;

import io.heddle.context.ThreadMode;
import io.heddle.worker.ReleasePolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What can be said to {@code heddle demo}; both children are given the same. Confined. */
final class DemoOptions {
    private static final long MAX_MESSAGES = 100_000_000;

    @Option(names = "--file", paramLabel = "F",
        description = "The file to stream. Default: the running JDK's lib/modules.")
    Path file = Path.of(System.getProperty("java.home"), "lib", "modules");

    @Option(names = "--repeat", paramLabel = "N", defaultValue = "1",
        description = "Stream the file N times. Default: ${DEFAULT-VALUE}.")
    int repeat;

    @Option(names = "--handlers", paramLabel = "N", defaultValue = "2",
        description = "Handler threads of the consumer. Default: ${DEFAULT-VALUE}.")
    int handlers;

    @Option(names = "--chunk", paramLabel = "BYTES", defaultValue = "64k",
        description = "Length of a message, a header of 32 bytes included. Default: ${DEFAULT-VALUE}.")
    String chunk;

    @Option(names = "--mode", paramLabel = "single|serialized|multi", defaultValue = "multi",
        description = "multi: any thread may use the worker. single: one thread does all, unless --release async. "
            + "serialized: progress "
            + "and handlers take turns under a lock of the application. Default: ${DEFAULT-VALUE}.")
    ThreadMode mode;

    @Option(names = "--release", paramLabel = "direct|async", defaultValue = "direct",
        description = "How handlers let received data go: release(), which is a use of the worker, or "
            + "releaseAsync(), which any thread "
            + "may call in every mode without a lock. Default: ${DEFAULT-VALUE}.")
    ReleasePolicy release;

    @Option(names = "--misuse",
        description = "With --mode serialized: handlers call release() with no ordering. See --debug.")
    boolean misuse;

    @Mixin
    final ChildOptions children = new ChildOptions();

    /** Throws {@link IllegalArgumentException} for what cannot be run. */
    void validate() {
        require(Files.isRegularFile(file) && Files.isReadable(file),
            "--file=" + file + " is not a file that can be read");
        require(repeat >= 1, "--repeat must be at least 1");
        require(handlers >= 1 && handlers <= 256, "--handlers must be between 1 and 256");
        require(!misuse || mode == ThreadMode.SERIALIZED, "--misuse needs --mode serialized");
        require(!misuse || release == ReleasePolicy.DIRECT, "--misuse cannot be combined with --release async");
        final long perFile = (fileBytes() + chunkBytes() - 1) / chunkBytes();
        require(perFile * repeat <= MAX_MESSAGES,
            "--repeat is too high for this file and chunk: more than 100 million messages");
    }

    long fileBytes() {
        return file.toFile().length();
    }

    /** Bytes of the file in a full message. */
    int chunkBytes() {
        return SizeRange.parseSize(chunk, 2 * ChunkHeader.LENGTH) - ChunkHeader.LENGTH;
    }

    /** Whether the consumer's one thread does all, with no progress thread and no pool. */
    boolean isOneThread() {
        return mode == ThreadMode.SINGLE && release == ReleasePolicy.DIRECT;
    }

    /** The same options for a child. */
    List<String> toArguments() {
        final List<String> arguments = new ArrayList<>(List.of("--file", file.toAbsolutePath().toString(),
            "--repeat", Integer.toString(repeat), "--handlers", Integer.toString(handlers), "--chunk", chunk,
            "--mode", lower(mode), "--release", lower(release)));
        if (misuse) {
            arguments.add("--misuse");
        }
        children.addTo(arguments);
        return arguments;
    }
}
