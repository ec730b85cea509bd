package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ThreadMode;
import io.heddle.tests.pair.ChildRun;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A long message for which the system had no memory is received when it has some, though nothing else came back. */
@Timeout(60)
class DirectMemoryTest {
    @TempDir(factory = SharedMemoryTemp.class)
    Path directory;

    @Test
    void shouldReceiveALongMessageWhenThereIsDirectMemoryAgain() throws Exception {
        final ChildRun run = ChildRun.of(directory, List.of(), List.of("-XX:MaxDirectMemorySize=24m"),
            DirectMemoryChild.class, directory.toString(), ThreadMode.MULTI.toString());
        assertTrue(run.assertRight().output().contains("received=1"), run::output);
    }
}
