package io.heddle.tools;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code heddle info}: facts, one a line, made to be grepped. */
@Command(name = "info", mixinStandardHelpOptions = true,
    description = "Prints build facts, configuration, transports or the layout of segments, after ucx_info.",
    footer = {"", "Examples:",
        "  heddle info | grep thread_modes      the question that ucx_info -b | grep ENABLE_MT answers",
        "  heddle info -c | grep pool           settings, each with where its value comes from and what it does",
        "  HEDDLE_POOL_LIMIT=1g heddle info -c",
        "  heddle info -d",
        "  heddle info --layout"})
final class InfoCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;
    @Option(names = {"-b", "--build"}, description = "Build facts, key=value. The default.")
    private boolean build;
    @Option(names = {"-c", "--config"}, description = "Configuration: each key with value, origin and help.")
    private boolean config;
    @Option(names = {"-d", "--transports"}, description = "Transports that a context finds here.")
    private boolean transports;
    @Option(names = "--layout", description = "Layout of the shared segments, from the constants that the code uses.")
    private boolean layout;

    @Override
    public Integer call() {
        final PrintWriter out = spec.commandLine().getOut();
        if (build || !config && !transports && !layout) {
            BuildFacts.collect().print(out);
        }
        if (config) {
            printConfig(out, new ContextConfig().conclude());
        }
        if (transports) {
            out.println(fromContext(Context::describe));
        }
        if (layout) {
            out.println(fromContext(Context::describeLayout));
        }
        out.flush();
        return ExitCode.RIGHT;
    }

    private static void printConfig(final PrintWriter out, final ContextConfig config) {
        for (final ContextConfig.Entry entry : config.entries()) {
            out.println(entry.key() + "=" + entry.value() + " origin=" + entry.origin() + " type=" + entry.type()
                + " default=" + entry.defaultValue() + " # " + entry.help());
        }
    }

    private static String fromContext(final Function<Context, String> question) {
        try (Context context = Context.create()) {
            return question.apply(context).stripTrailing();
        }
    }
}
