package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ContextConfig;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestSeed;
import io.heddle.tests.pair.ChildRun;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Arming against sending, many times. */
@ExtendWith(HygieneExtension.class)
@Timeout(180)
class LostWakeUpTest {
    @TempDir(factory = SharedMemoryTemp.class)
    Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @StandsFor("W3")
    void shouldNotSleepOnAMessage(final boolean isSelecting, final TestSeed seed) throws Exception {
        final ArmRace race = new ArmRace(new ContextConfig(), isSelecting, seed.value());
        final long rounds = race.run(20_000, TimeUnit.SECONDS.toNanos(1));
        assertTrue(rounds > 0, race::toString);
        System.out.println(race + " rounds=" + rounds);
    }

    /** Five million rounds in all, most of them as the JVM compiles them. */
    @ParameterizedTest
    @CsvSource({
        "0,-Xshare:auto,select,2,550000", "0,-Xshare:auto,select,256,550000",
        "0,-Xshare:auto,await,2,550000", "0,-Xshare:auto,await,256,550000",
        "0-1,-Xshare:auto,select,2,550000", "0-1,-Xshare:auto,select,256,550000",
        "0-1,-Xshare:auto,await,2,550000", "0-1,-Xshare:auto,await,256,550000",
        "0,-Xint,select,2,75000", "0,-Xint,select,256,75000", "0,-Xint,await,2,75000", "0,-Xint,await,256,75000",
        "0-1,-Xint,select,2,75000", "0-1,-Xint,select,256,75000", "0-1,-Xint,await,2,75000",
        "0-1,-Xint,await,256,75000"})
    @Tag("slow")
    @StandsFor("W3")
    void shouldNotStallForFiftyMilliseconds(final String processors, final String flag, final String waiting,
        final int slots, final long rounds, final TestSeed seed) throws Exception {
        Assumptions.assumeTrue(Runtime.getRuntime().availableProcessors() >= 2, "one processor");
        final ChildRun run = ChildRun.of(directory, List.of("taskset", "-c", processors), List.of(flag), ArmRace.class,
            directory.toString(), waiting, Integer.toString(slots), Long.toString(rounds),
            Long.toString(seed.value()));
        System.out.println("processors=" + processors + " flag=" + flag + ' ' + run.output().strip());
        run.assertRight();
    }
}
