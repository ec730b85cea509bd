package io.heddle.tests.faults;

import io.heddle.tests.base.StandsFor;
import io.heddle.tests.pair.ChildRun;
import io.heddle.tests.pair.Isolation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** In a file system of its own that is small, or full. */
@Timeout(150)
class SmallSpaceTest {
    @TempDir(factory = SharedMemoryTemp.class)
    Path temp;

    @Test
    @StandsFor("S1")
    void shouldRefuseWhoComesWhenItIsFullAndHurtNobody() throws Exception {
        run("8m", FullSpaceChild.class).assertRight();
    }

    /** Four JVMs in the size that containers have, then in an eighth of it. */
    @Test
    @StandsFor("E1")
    @Tag("slow")
    void shouldWorkInWhatThereIsAndNameWhatThereIsNot() throws Exception {
        final ChildRun run = run("64m", SmallSpaceDriver.class);
        run.output().lines().filter(line -> line.startsWith("4 JVMs")).forEach(System.out::println);
        run.assertRight();
    }

    private ChildRun run(final String size, final Class<?> main) throws Exception {
        final Path small = Files.createDirectory(temp.resolve("small"));
        return ChildRun.of(Files.createDirectory(temp.resolve("run")), Isolation.smallFileSystem(small, size),
            List.of(), main, small.toString());
    }
}
