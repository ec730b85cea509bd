package io.heddle.tests.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Starts JMH with the one JVM flag that Heddle needs, so that every fork has it; everything else is JMH's own
 * command line.
 *
 * <p>{@code java -jar tests/benchmarks/target/benchmarks.jar -l} lists what there is.
 */
public final class BenchmarkMain {
    private static final String PREPEND = "-jvmArgsPrepend";
    private static final String ADD_OPENS = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";

    private BenchmarkMain() {
    }

    /**
     * Runs JMH.
     *
     * @param args JMH's options; a {@code -jvmArgsPrepend} among them is kept, behind the flag
     * @throws IOException when JMH cannot read or write its files
     */
    public static void main(final String[] args) throws IOException {
        final List<String> all = new ArrayList<>(Arrays.asList(args));
        final int given = all.indexOf(PREPEND);
        if (given >= 0 && given + 1 < all.size()) {
            all.set(given + 1, ADD_OPENS + ' ' + all.get(given + 1));
        } else {
            all.add(PREPEND);
            all.add(ADD_OPENS);
        }
        org.openjdk.jmh.Main.main(all.toArray(new String[0]));
    }
}
