package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ThreadMode;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.pair.ChildRun;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A segment's file is truncated under traffic: the JVM lives. The JVM throws the fault at some later place than the
 * access, which may be a frame of the application's, so no more than that can be asserted.
 */
@Timeout(120)
class LostSegmentTest {
    @TempDir(factory = SharedMemoryTemp.class)
    Path directory;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("P6")
    void shouldNotLoseTheJvm(final ThreadMode mode) throws Exception {
        lose(mode, 100, List.of());
    }

    @ParameterizedTest
    @CsvSource({"-Xint,8", "-Xint,5000", "-Xcomp,8", "-Xcomp,5000", "-XX:TieredStopAtLevel=1,2000",
        "-XX:-TieredCompilation,100000"})
    @Tag("slow")
    void shouldNotLoseTheJvmHoweverCodeIsRun(final String flag, final int bytes) throws Exception {
        lose(ThreadMode.MULTI, bytes, List.of(flag));
    }

    private void lose(final ThreadMode mode, final int bytes, final List<String> flags) throws Exception {
        final ChildRun run = ChildRun.of(directory, List.of(), flags, LostSegmentChild.class, directory.toString(),
            mode.toString(), Integer.toString(bytes));
        assertTrue(run.exitCode() <= 1, run::output);
        assertTrue(run.exitCode() == 0 || run.output().contains("InternalError: a fault occurred"), run::output);
    }
}
