package io.heddle.tools;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** What can be said of the JVMs that a command forks. Confined. */
final class ChildOptions {
    @Option(names = "--debug", description = "Thread checks on: both JVMs get -ea:io.heddle... .")
    boolean debug;

    @Option(names = "--jvm", paramLabel = "FLAGS", description = "More flags for both JVMs. May be repeated.")
    private final List<String> jvm = new ArrayList<>();

    /** How the children are started; {@code fixed} come before what was asked for. */
    List<String> flags(final List<String> fixed) {
        return JvmFlags.of(fixed, debug, String.join(" ", jvm));
    }

    /** What a child is told of it. */
    void addTo(final List<String> arguments) {
        if (debug) {
            arguments.add("--debug");
        }
    }
}
