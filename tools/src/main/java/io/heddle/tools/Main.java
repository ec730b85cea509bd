package io.heddle.tools;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code heddle} command. Exit codes are the same for every sub-command, see {@code --help}. */
@Command(name = "heddle", mixinStandardHelpOptions = true, versionProvider = BuildFacts.class,
    description = "Heddle: workers and endpoints over shared memory, in three thread modes.",
    subcommands = {DemoCommand.class, PerftestCommand.class, InfoCommand.class, DoctorCommand.class, CleanCommand.class,
        DemoConsumer.class, DemoProducer.class, PerfServer.class, PerfClient.class},
    footer = {"", "Exit codes: 0 right; 1 failed (a wrong byte is always 1); 2 bad arguments; 3 a thread-mode "
        + "violation was",
        "caught; 4 every byte right, but the audit found loss or refused misuse.", "",
        "Examples:",
        "  heddle demo                                       stream the JDK's own modules file to another process",
        "  heddle demo --mode serialized --misuse --debug    break the rule and see it caught",
        "  heddle perftest --test am_lat --size 8,1k --pin 0,1 --idle spin",
        "  heddle info | grep thread_modes",
        "  heddle doctor                                     what of this machine is in the way, and the cure",
        "  heddle clean --dry-run                            what dead processes left"})
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec;

    private Main() {
    }

    /** Runs one command and ends the process with its exit code. */
    public static void main(final String[] arguments) {
        System.exit(run(arguments, new PrintWriter(System.out, true), new PrintWriter(System.err, true)));
    }

    /**
     * Runs one command in this process (its children are processes of their own).
     *
     * @return the exit code
     */
    static int run(final String[] arguments, final PrintWriter out, final PrintWriter err) {
        final OneLineErrors errors = new OneLineErrors();
        return new CommandLine(new Main())
            .setOut(out)
            .setErr(err)
            .setUsageHelpWidth(120)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setParameterExceptionHandler(errors)
            .setExecutionExceptionHandler(errors)
            .execute(arguments);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing: demo, perftest, info, doctor or clean");
    }
}
