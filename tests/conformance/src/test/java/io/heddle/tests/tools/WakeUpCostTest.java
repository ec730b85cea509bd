package io.heddle.tests.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.tests.base.StandsFor;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What it costs two spinning sides that they could sleep; against JVMs that cannot, in turns. */
@Tag("slow")
@Timeout(600)
class WakeUpCostTest {
    private static final int TURNS = 7;

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"am_bw,64k,MBps,0.9", "am_bw,8,rate_per_s,0.95", "am_lat,8,rate_per_s,0.95"})
    @StandsFor("W2")
    void shouldCostNextToNothingWhileBothSidesSpin(final String test, final String size, final String key,
        final double least) throws Exception {
        final double[] on = new double[TURNS];
        final double[] off = new double[TURNS];
        final String arguments = "perftest --pin 0,1 --warmup 1 --seconds 1 --test " + test + " --size " + size;
        for (int i = 0; i < TURNS; i++) {
            on[i] = measure(arguments + " --jvm -Dheddle.wakeup=on", key);
            off[i] = measure(arguments + " --jvm -Dheddle.wakeup=off", key);
        }
        Arrays.sort(on);
        Arrays.sort(off);
        final double ratio = on[TURNS / 2] / off[TURNS / 2];
        final String text = "test=" + test + " size=" + size + " key=" + key + " ratio=" + ratio + " on="
            + Arrays.toString(on) + " off=" + Arrays.toString(off);
        System.out.println("wake-up on against off: " + text);
        assertTrue(ratio >= least, text);
    }

    private double measure(final String arguments, final String key) throws Exception {
        final HeddleProcess run = HeddleProcess.run(directory, arguments);
        assertEquals(0, run.exitCode(), run::stderr);
        return run.number(key);
    }
}
