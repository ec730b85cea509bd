package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ThreadMode;
import io.heddle.tests.pair.ChildRun;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A segment's file is truncated under traffic: its endpoint fails, the JVM and the other endpoints live. */
@Timeout(120)
class LostSegmentTest {
    @TempDir(factory = SharedMemoryTemp.class)
    Path directory;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLoseOnlyTheEndpointWhoseSegmentIsLost(final ThreadMode mode) throws Exception {
        lose(mode, 100, List.of("-Xint"));
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 2000, 5000, 100_000})
    @Tag("slow")
    void shouldLoseOnlyTheEndpointWhateverItCarries(final int bytes) throws Exception {
        lose(ThreadMode.MULTI, bytes, List.of("-Xint"));
    }

    /** Compiled code throws the fault at some later place, which may be the application's: all that is owed is life. */
    @ParameterizedTest
    @CsvSource({"-Xcomp,8", "-Xcomp,5000", "-XX:TieredStopAtLevel=1,2000", "-XX:-TieredCompilation,100"})
    @Tag("slow")
    void shouldNotLoseTheJvmHoweverCodeIsRun(final String flag, final int bytes) throws Exception {
        final ChildRun run = ChildRun.of(directory, List.of(), List.of(flag), LostSegmentChild.class,
            directory.toString(), "MULTI", Integer.toString(bytes));
        assertTrue(run.exitCode() <= 1, run::output);
    }

    private void lose(final ThreadMode mode, final int bytes, final List<String> flags) throws Exception {
        final ChildRun run = ChildRun.of(directory, List.of(), flags, LostSegmentChild.class, directory.toString(),
            mode.toString(), Integer.toString(bytes)).assertRight();
        assertTrue(run.output().contains("lost=SHMEM_SEGMENT "), run::output);
        assertTrue(run.output().contains("closed=true"), run::output);
        assertTrue(run.output().contains("healthy=OK wrong=0"), run::output);
        assertTrue(run.output().contains("in_use=0"), run::output);
    }
}
