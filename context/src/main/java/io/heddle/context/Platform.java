package io.heddle.context;

import java.util.Locale;

/** Whether this JVM can run Heddle at all. Static functions. */
final class Platform {
    static final String FLAG = "--add-opens java.base/jdk.internal.misc=ALL-UNNAMED";

    private Platform() {
    }

    /** @throws HeddleException naming what is missing and where to add it. */
    static void check() {
        final String system = System.getProperty("os.name", "");
        if (!system.toLowerCase(Locale.ROOT).contains("linux")) {
            throw new HeddleException(Status.UNSUPPORTED, "heddle runs on Linux only: os.name=" + system);
        }
        if (!isFlagPresent()) {
            throw new HeddleException(Status.UNSUPPORTED,
                "this JVM lacks the one flag that Agrona's buffers need: add\n    " + FLAG
                + "\nto the java command line, to JDK_JAVA_OPTIONS, or (as Add-Opens: java.base/jdk.internal.misc) to "
                + "the manifest of the jar that is started; for tests to Surefire's argLine or Gradle's jvmArgs");
        }
    }

    private static boolean isFlagPresent() {
        return Object.class.getModule().isOpen("jdk.internal.misc", Platform.class.getClassLoader().getUnnamedModule());
    }
}
