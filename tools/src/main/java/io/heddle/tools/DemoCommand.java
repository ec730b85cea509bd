package io.heddle.tools;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.agrona.concurrent.SystemNanoClock;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code heddle demo}: a real file from one JVM to another, checked to the last byte. */
@Command(name = "demo", mixinStandardHelpOptions = true,
    description = "Streams a file from a producer JVM to a consumer JVM, whose handler threads checksum it where it "
        + "lies.",
    footer = {"", "The producer's CRC of the file comes from a separate read of it. in_use and leaks count received "
        + "data of both JVMs that",
        "was not returned by the end; violations are calls that the thread mode forbids, caught when --debug is "
            + "given.", "",
        "Exit codes: 0 right; 1 failed (a wrong byte is always 1); 2 bad arguments; 3 a thread-mode violation was "
            + "caught;",
        "4 every byte right, but the audit found loss or refused misuse.", "",
        "Examples:",
        "  heddle demo",
        "  heddle demo --mode single --file /var/log/syslog --repeat 100",
        "  heddle demo --mode serialized --release async --debug     no lock needed, no false alarm",
        "  heddle demo --mode serialized --misuse --debug            the rule broken, and the break caught"})
final class DemoCommand implements Callable<Integer> {
    /** Violations are told by {@link DemoErrors}, in the same words as the log would. */
    private static final String QUIET_LOG = "-Dtools.log.violations=OFF";
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration RUN_TIMEOUT = Duration.ofDays(1);

    @Spec
    private CommandSpec spec;
    @Mixin
    private DemoOptions options;

    @Override
    public Integer call() {
        try {
            options.validate();
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        final TerminalProgress progress = new TerminalProgress(System.err, TerminalProgress.isTerminal(),
            SystemNanoClock.INSTANCE, options.fileBytes() * options.repeat);
        final List<String> flags = options.children.flags(List.of(QUIET_LOG));
        final DemoReport report;
        try (ChildJvm consumer = start("demo-consumer", flags, progress)) {
            final String address = consumer.await(DemoConsumer.ADDRESS, START_TIMEOUT);
            try (ChildJvm producer = start("demo-producer", flags, progress)) {
                producer.tell(address);
                final ResultLine consumed =
                    ResultLine.parse(consumer.await(DemoConsumer.RESULT, RUN_TIMEOUT, producer));
                if (consumed.text("complete").equals("false")) {
                    throw new ToolException("the stream ended early: " + consumed);
                }
                producer.tell(DemoProducer.FINISH);
                report = new DemoReport(options, consumed,
                    ResultLine.parse(producer.await(DemoProducer.RESULT, START_TIMEOUT)));
            }
        } finally {
            progress.done();
        }
        final PrintWriter out = spec.commandLine().getOut();
        report.findings().forEach(spec.commandLine().getErr()::println);
        out.println(report.line());
        out.flush();
        return report.exitCode();
    }

    private ChildJvm start(final String name, final List<String> flags, final TerminalProgress progress) {
        final List<String> arguments = new ArrayList<>(List.of(name));
        arguments.addAll(options.toArguments());
        return ChildJvm.start(name, flags, arguments, (word, text) -> {
            if (word.equals(DemoConsumer.PROGRESS)) {
                progress.show(Long.parseLong(text));
            } else if (word.equals(DemoConsumer.NOTICE)) {
                progress.done();
            }
        });
    }
}
