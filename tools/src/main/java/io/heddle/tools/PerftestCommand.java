package io.heddle.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code heddle perftest}: for every size a server JVM and a client JVM, and one line of what they measured. */
@Command(name = "perftest", mixinStandardHelpOptions = true,
    description = "Measures active messages between two JVMs, after ucx_perftest.",
    footer = {"", "Latency is the whole round trip, timed one by one. Rates are what the receiver counted. MBps is "
        + "10^6 bytes of payload",
        "per second. alloc_bytes_per_op counts all threads of both JVMs after warm-up. When both sides spin, the "
            + "time is cut",
        "into slices, the distance of the cores is probed between them, and slices of one placement are reported.", "",
        "Examples:",
        "  heddle perftest --test am_lat --size 8,64,1k --pin 0,1",
        "  heddle perftest --test am_bw --size 8..64k --receive touch --json",
        "  heddle perftest --test am_bw --mode multi --threads 4 --seconds 10",
        "  heddle perftest --test am_lat --jvm -Dheddle.wakeup=off        (both JVMs; a heddle.* property of this one "
            + "counts too)",
        "  heddle perftest --server here & heddle perftest --client here     (same options on both sides)"})
final class PerftestCommand implements Callable<Integer> {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    @Spec
    private CommandSpec spec;
    @Mixin
    private PerftestOptions options;
    @Option(names = "--server", paramLabel = "NAME",
        description = "Run the server alone, in this JVM with its flags, for a client with the same NAME.")
    private String serverName;
    @Option(names = "--client", paramLabel = "NAME",
        description = "Run the client alone, in this JVM with its flags, against the server called NAME.")
    private String clientName;

    @Override
    public Integer call() throws IOException {
        final List<Integer> sizes;
        try {
            options.validate();
            Meeting.checkName(serverName);
            Meeting.checkName(clientName);
            sizes = SizeRange.parse(options.size);
            if (serverName != null && clientName != null) {
                throw new IllegalArgumentException("--server and --client are for two processes");
            }
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        final PrintWriter out = spec.commandLine().getOut();
        for (int i = 0; i < sizes.size(); i++) {
            options.size = Integer.toString(sizes.get(i));
            if (serverName != null) {
                Meeting.serve(serverName, i, options);
            } else {
                final ResultLine result = clientName != null
                    ? Meeting.visit(clientName, i, options) : fork(sizes.get(i));
                out.println(options.json ? result.toJson() : result.toString());
                out.flush();
            }
        }
        return ExitCode.RIGHT;
    }

    private ResultLine fork(final int size) throws IOException {
        final Path page = sharedMemory().resolve("heddle-perftest-" + UUID.randomUUID() + ".page");
        final Thread cleaner = new Thread(() -> delete(page), "heddle-clean");
        Runtime.getRuntime().addShutdownHook(cleaner);
        try {
            ControlPage.create(page);
            final List<String> flags = options.children.flags(JvmFlags.MEASURED);
            try (ChildJvm server = start("perftest-server", flags, size, page)) {
                final String address = server.await(PerfServer.ADDRESS, START_TIMEOUT);
                try (ChildJvm client = start("perftest-client", flags, size, page)) {
                    client.tell(address);
                    return ResultLine.parse(client.await(PerfClient.RESULT, patience(), server));
                }
            }
        } finally {
            delete(page);
            Runtime.getRuntime().removeShutdownHook(cleaner);
        }
    }

    private ChildJvm start(final String name, final List<String> flags, final int size, final Path page) {
        final List<String> arguments = new ArrayList<>(List.of(name));
        arguments.addAll(options.toArguments(size, page.toString()));
        return ChildJvm.start(name, flags, arguments, (word, text) -> { });
    }

    /** A run takes up to four times as long as asked where placement changes. */
    private Duration patience() {
        return START_TIMEOUT.plusSeconds((long) (options.warmupSeconds + 4 * options.seconds + 1));
    }

    private static Path sharedMemory() {
        final Path shm = Path.of("/dev/shm");
        return Files.isWritable(shm) ? shm : Path.of(System.getProperty("java.io.tmpdir"));
    }

    private static void delete(final Path page) {
        try {
            Files.deleteIfExists(page);
        } catch (final IOException e) {
            System.err.println("cannot delete " + page + ": " + e.getMessage());
        }
    }
}
