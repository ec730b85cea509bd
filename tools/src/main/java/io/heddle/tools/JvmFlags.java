package io.heddle.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How the child JVMs are started: this JVM's own java, class path and {@code heddle.*} properties. Immutable, no
 * state.
 */
final class JvmFlags {
    /** The one flag that Heddle needs. */
    static final List<String> NEEDED = List.of("--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED");

    /**
     * The same for every measured JVM. Two processors whatever the affinity says, since a JVM that believes it has
     * one spins and collects differently; the serial collector, which has no threads of its own to compete on two
     * cores.
     */
    static final List<String> MEASURED = List.of("-Xms512m", "-Xmx2g", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=2",
        "-XX:+PerfDisableSharedMem", "-Dagrona.disable.bounds.checks=true");

    private JvmFlags() {
    }

    /** Everything between {@code java} and the main class; {@code extra} is split at white space and counts last. */
    static List<String> of(final List<String> fixed, final boolean debug, final String extra) {
        final List<String> flags = new ArrayList<>(NEEDED);
        flags.addAll(fixed);
        if (debug) {
            flags.add("-ea:io.heddle...");
        }
        for (final Map.Entry<Object, Object> property : System.getProperties().entrySet()) {
            if (property.getKey().toString().startsWith("heddle.")) {
                flags.add("-D" + property.getKey() + "=" + property.getValue());
            }
        }
        if (extra != null && !extra.isBlank()) {
            flags.addAll(List.of(extra.strip().split("\\s+")));
        }
        return flags;
    }
}
