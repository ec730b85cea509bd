package io.heddle.tools;

import io.heddle.context.Context;
import io.heddle.context.ThreadMode;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.agrona.UnsafeApi;
import picocli.CommandLine.IVersionProvider;

/** What was built and what runs it, as {@code heddle info -b} prints it. */
final class BuildFacts implements IVersionProvider {
    private static final String UNKNOWN = "unknown";

    @Override
    public String[] getVersion() {
        return new String[] {"heddle " + version()};
    }

    /** One fact per key. */
    static ResultLine collect() {
        final ResultLine facts = new ResultLine()
            .put("version", version())
            .put("git_revision", Checkout.of(BuildFacts.class).revision().orElse(UNKNOWN))
            .put("jdk", Runtime.version().toString())
            .put("jvm", System.getProperty("java.vm.name").replace(' ', '_'))
            .put("os", System.getProperty("os.name") + "-" + System.getProperty("os.arch"))
            .put("thread_modes", modes())
            .put("thread_checks", Context.isCheckingThreads() ? "on" : "off")
            .put("agrona", implementationVersion(UnsafeApi.class))
            .put("jvm_flag", isFlagPresent() ? "present" : "missing");
        return facts.put("jvm_flag_needed", String.join("=", JvmFlags.NEEDED));
    }

    static String version() {
        return implementationVersion(Context.class);
    }

    private static String modes() {
        return Arrays.stream(ThreadMode.values()).map(OptionRules::lower).collect(Collectors.joining(","));
    }

    /** Whether the package that Agrona's off-heap access needs is open to it. */
    static boolean isFlagPresent() {
        return Object.class.getModule().isOpen("jdk.internal.misc", UnsafeApi.class.getModule());
    }

    /** From the jar's manifest; classes that were not packaged have the version of the checkout they lie in. */
    private static String implementationVersion(final Class<?> type) {
        final String version = type.getPackage().getImplementationVersion();
        return version != null ? version : Checkout.of(type).version().orElse(UNKNOWN);
    }
}
