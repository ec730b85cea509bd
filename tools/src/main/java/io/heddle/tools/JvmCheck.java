package io.heddle.tools;

import java.util.Locale;

/**
 * Whether this JVM can run Heddle. Immutable.
 *
 * @param system        the operating system's name
 * @param feature       the JDK's version
 * @param isFlagPresent whether the package that Agrona's buffers need is open
 */
record JvmCheck(String system, int feature, boolean isFlagPresent) {
    private static final String NAME = "jvm";
    private static final int OLDEST = 17;

    static JvmCheck ofThisJvm() {
        return new JvmCheck(System.getProperty("os.name", "unknown"), Runtime.version().feature(),
            BuildFacts.isFlagPresent());
    }

    Finding finding() {
        final String seen = system + ", JDK " + feature;
        if (!system.toLowerCase(Locale.ROOT).contains("linux")) {
            return Finding.fail(NAME, seen, "Heddle runs on Linux only");
        }
        if (feature < OLDEST) {
            return Finding.fail(NAME, seen, "a JDK of version " + OLDEST + " or later");
        }
        if (!isFlagPresent) {
            return Finding.fail(NAME, seen + ", without the flag that Agrona's buffers need",
                "java " + String.join(" ", JvmFlags.NEEDED) + ", or JDK_JAVA_OPTIONS=\""
                    + String.join("=", JvmFlags.NEEDED) + "\"");
        }
        return Finding.ok(NAME, seen + ", " + String.join("=", JvmFlags.NEEDED)
            + " is given here (the application's JVM needs it too)");
    }
}
