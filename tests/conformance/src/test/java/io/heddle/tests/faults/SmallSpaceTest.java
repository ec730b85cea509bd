package io.heddle.tests.faults;

import io.heddle.tests.base.StandsFor;
import io.heddle.tests.pair.ChildRun;
import io.heddle.tests.pair.Isolation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Four JVMs in a file system of their own, of the size that containers have, then of an eighth, then full. */
@Timeout(120)
class SmallSpaceTest {
    @TempDir(factory = SharedMemoryTemp.class)
    Path temp;

    @Test
    @StandsFor({"E1", "S1"})
    void shouldWorkInWhatThereIsAndNameWhatThereIsNot() throws Exception {
        final Path small = Files.createDirectory(temp.resolve("small"));
        final ChildRun run = ChildRun.of(Files.createDirectory(temp.resolve("run")),
            Isolation.smallFileSystem(small, "64m"), List.of(), SmallSpaceDriver.class, small.toString());
        System.out.print(run.output());
        run.assertRight();
    }
}
