package io.heddle.tools;

import io.heddle.context.ConfigurationException;
import io.heddle.context.ContextConfig;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code heddle doctor}: what of this machine stands in Heddle's way, and the cure. */
@Command(name = "doctor", mixinStandardHelpOptions = true,
    description = "Checks this machine and JVM for what Heddle needs, then sends a message through the real thing.",
    footer = {"", "One line per check: ok|warn|fail name: what was seen; cure: what to do. The last line is for "
        + "scripts.",
        "Exit codes: 0 Heddle runs, with or without warnings; 1 something stops it; 2 bad arguments.", "",
        "Examples:",
        "  heddle doctor",
        "  heddle doctor --directory /mnt/shm/heddle | grep -v ^ok",
        "  heddle doctor | tail -1 | grep -q usable=true"})
final class DoctorCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;
    @Option(names = "--directory", paramLabel = "D", description = "The runtime directory. Default: heddle.directory.")
    private Path directory;

    @Override
    public Integer call() {
        final PrintWriter out = spec.commandLine().getOut();
        final List<Finding> findings = examine();
        findings.forEach(out::println);
        final boolean isUsable = findings.stream().noneMatch(each -> each.level() == Finding.Level.FAIL);
        out.println(new ResultLine().put("usable", isUsable)
            .put("checks", findings.size())
            .put("warned", names(findings, Finding.Level.WARN))
            .put("failed", names(findings, Finding.Level.FAIL)));
        return isUsable ? ExitCode.RIGHT : ExitCode.FAILED;
    }

    private List<Finding> examine() {
        final List<Finding> findings = new ArrayList<>();
        findings.add(JvmCheck.ofThisJvm().finding());
        findings.add(LimitCheck.fileDescriptors());
        findings.add(LimitCheck.mappings());
        findings.add(CoresCheck.finding(Runtime.getRuntime().availableProcessors()));
        try {
            final ContextConfig config = new ContextConfig();
            if (directory != null) {
                config.directory(directory.toAbsolutePath());
            }
            config.conclude();
            findings.add(NamespaceCheck.ofThisProcess().finding(config.directory()));
            findings.add(DirectoryCheck.finding(config.directory()));
            findings.add(SpaceCheck.finding(config.directory()));
            findings.add(EndToEndCheck.finding(config));
        } catch (final ConfigurationException ex) {
            findings.add(Finding.fail("configuration", OneLineErrors.oneLine(ex), "heddle info -c lists every key"));
        }
        return findings;
    }

    private static String names(final List<Finding> findings, final Finding.Level level) {
        final String names = findings.stream().filter(each -> each.level() == level).map(Finding::check)
            .collect(Collectors.joining(","));
        return names.isEmpty() ? "none" : names;
    }
}
