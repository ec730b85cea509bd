package io.heddle.tools;

import io.heddle.context.ContextConfig;
import io.heddle.context.RuntimeDirectories;
import io.heddle.context.SweepReport;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code heddle clean}: the sweep that every new context does, by itself and told file by file. */
@Command(name = "clean", mixinStandardHelpOptions = true,
    description = "Removes what dead processes left in the runtime directory, never what a living one owns, and says "
        + "what it did.",
    footer = {"", "A process counts as living as long as it holds its lock file, whatever process ids say. The newest "
        + "counter files of the",
        "dead stay, for whoever asks what happened. One line per file, the last one sums up.", "",
        "Examples:",
        "  heddle clean --dry-run                 what would go, and why",
        "  heddle clean --directory /mnt/shm/heddle"})
final class CleanCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;
    @Option(names = "--dry-run", description = "Only say what would be done.")
    private boolean dryRun;
    @Option(names = "--directory", paramLabel = "D", description = "The runtime directory. Default: heddle.directory.")
    private Path directory;

    @Override
    public Integer call() {
        final PrintWriter out = spec.commandLine().getOut();
        final Path path = directory == null ? new ContextConfig().conclude().directory() : directory.toAbsolutePath();
        final SweepReport report = RuntimeDirectories.sweep(path, dryRun);
        for (final SweepReport.Entry file : report.files()) {
            out.println(verb(file.reason()) + " " + file.name() + " bytes=" + file.lengthBytes() + ": "
                + file.reason().text());
        }
        out.println(new ResultLine().put("dry_run", dryRun)
            .put("removed", report.removed().size()).put("removed_bytes", report.removedBytes())
            .put("kept", report.kept().size()).put("kept_bytes", report.keptBytes()));
        return ExitCode.RIGHT;
    }

    private String verb(final SweepReport.Reason reason) {
        if (!reason.isRemoved()) {
            return "kept";
        }
        return dryRun ? "would remove" : "removed";
    }
}
