package io.heddle.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.tests.base.OtherJvm;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Owners are other JVMs, one that lives and one that is killed. */
@Timeout(60)
class CleanCommandTest {
    @TempDir
    private Path directory;

    private List<String> run(final String... options) {
        final StringWriter out = new StringWriter();
        final String[] arguments =
            Stream.concat(Stream.of("clean", "--directory", directory.resolve("heddle").toString()), Stream.of(options))
                .toArray(String[]::new);
        final PrintWriter err = new PrintWriter(System.err, true);
        assertEquals(ExitCode.RIGHT, Main.run(arguments, new PrintWriter(out, true), err));
        return out.toString().lines().toList();
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("heddle"))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldSweepTheKilledAndNeverTheLiving() throws IOException {
        try (OtherJvm living = OwnerJvm.start(directory.resolve("heddle"), "living")) {
            final List<String> ofTheLiving = names();
            assertEquals(5, ofTheLiving.size(), ofTheLiving::toString);
            final List<String> before;
            try (OtherJvm killed = OwnerJvm.start(directory.resolve("heddle"), "killed")) {
                assertTrue(killed.isAlive());
                before = names();
            }

            final List<String> told = run("--dry-run");

            assertEquals(before, names());
            assertEquals(4, told.stream().filter(line -> line.startsWith("would remove ")).count(), told::toString);
            assertTrue(told.stream().anyMatch(line ->
                line.matches("would remove [0-9a-f]{16}\\.lock bytes=\\d+: its owner is dead")), told::toString);

            final List<String> done = run();

            assertEquals(told.stream().map(line -> line.replace("would remove", "removed").replace("dry_run=true",
                "dry_run=false")).toList(), done);
            final ResultLine sum = ResultLine.parse(done.get(done.size() - 1));
            assertEquals(4, sum.number("removed"));
            assertTrue(sum.number("removed_bytes") > 0, sum::toString);
            assertEquals(6, sum.number("kept"), done::toString);
            assertTrue(names().containsAll(ofTheLiving), names()::toString);
            assertEquals(List.of(), names().stream().filter(name -> !ofTheLiving.contains(name))
                .filter(name -> !name.endsWith(".counters")).toList());
            assertTrue(living.isAlive());
        }
    }

    @Test
    void shouldFindNothingInADirectoryThatIsNotThere() {
        assertEquals(List.of("dry_run=false removed=0 removed_bytes=0 kept=0 kept_bytes=0"), run());
    }
}
