package io.heddle.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.tests.base.StandsFor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class FullDirectoryTest {
    @TempDir
    Path temp;

    @Test
    @StandsFor("S1")
    void shouldSayWhatIsMissingWhenTheFileSystemIsFull() throws Exception {
        fill("-Xshare:auto");
    }

    /** What a missing page does depends on how the code that touches it is run. */
    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-Xcomp", "-XX:-TieredCompilation"})
    @StandsFor("S1")
    @Tag("faults")
    void shouldSayWhatIsMissingHoweverCodeIsRun(final String flag) throws Exception {
        fill(flag);
    }

    private void fill(final String flag) throws Exception {
        final List<String> launcher = List.of(
            "env", "JAVA_TOOL_OPTIONS=" + flag,
            "unshare", "-Urm", "sh", "-c", "mount -t tmpfs -o size=8m tmpfs \"$0\" && exec \"$@\"", temp.toString());
        assumeTrue(canMount(), "a user namespace with a tmpfs of its own");
        try (TestPeer child = new TestPeer(launcher, "", "full", temp.toString())) {
            final String outcome = child.expect("outcome");
            assertTrue(outcome.startsWith("NO_MEMORY "), outcome);
            assertTrue(outcome.contains("directory=" + temp), outcome);
            assertTrue(outcome.contains("neededBytes=" + (64 << 20)), outcome);
            assertTrue(outcome.contains("availableBytes="), outcome);
            assertTrue(outcome.contains("heddle.directory"), outcome);
            assertEquals("[] charged=0 maps=0", child.expect("left"));
            assertTrue(child.ended());
            assertEquals(0, child.exitCode());
        }
    }

    private boolean canMount() throws IOException, InterruptedException {
        final Path probe = Files.createDirectory(temp.resolve("probe"));
        return new ProcessBuilder("unshare", "-Urm", "mount", "-t", "tmpfs", "tmpfs", probe.toString())
            .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
    }
}
