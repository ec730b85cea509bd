package io.heddle.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DoctorCommandTest {
    @TempDir
    private Path temp;
    private List<String> lines;

    private int run(final Path directory) {
        final StringWriter out = new StringWriter();
        final int exitCode = Main.run(new String[] {"doctor", "--directory", directory.toString()},
            new PrintWriter(out, true), new PrintWriter(System.err, true));
        lines = out.toString().lines().toList();
        return exitCode;
    }

    private String line(final String check) {
        return lines.stream().filter(each -> each.split(" ")[1].equals(check + ":")).findFirst().orElseThrow();
    }

    private ResultLine last() {
        return ResultLine.parse(lines.get(lines.size() - 1));
    }

    @Test
    void shouldFindAMachineThatRunsTestsFit() throws IOException {
        final Path directory = temp.resolve("heddle");

        assertEquals(ExitCode.RIGHT, run(directory), () -> lines.toString());

        assertEquals("jvm: descriptors: mappings: cores: namespaces: directory: space: end_to_end:",
            lines.stream().limit(8).map(each -> each.split(" ")[1]).collect(Collectors.joining(" ")));
        assertTrue(lines.stream().limit(8).allMatch(each -> each.matches("(ok|warn) [a-z_]+: .+")), lines::toString);
        assertEquals("true", last().text("usable"));
        assertEquals("none", last().text("failed"));
        assertTrue(line("end_to_end").startsWith("ok "), () -> line("end_to_end"));
        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void shouldSayWhyADirectoryWillNotDo() throws IOException {
        refused(Files.createFile(temp.resolve("file")), "not a directory");
        refused(Files.createSymbolicLink(temp.resolve("link"), temp), "symbolic links are not followed");
        refused(temp.resolve("none").resolve("heddle"), "its parent is missing");
        refused(temp.resolve("x".repeat(100)), "must be <= 107; cure: choose a shorter heddle.directory");
        final Path open = Files.createDirectory(temp.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwx---"));
        refused(open, "permissions=770 must be 700; cure: ");
    }

    private void refused(final Path directory, final String text) {
        assertEquals(ExitCode.FAILED, run(directory));
        assertTrue(line("directory").startsWith("fail directory: "), () -> line("directory"));
        assertTrue(line("directory").contains(text), () -> line("directory"));
        assertTrue(line("directory").contains("; cure: "), () -> line("directory"));
        assertEquals("directory,end_to_end", last().text("failed"));
    }

    @Test
    void shouldCountWhatTheDeadLeft() throws IOException {
        final Path directory = temp.resolve("heddle");
        run(directory);
        Files.writeString(directory.resolve("00000000000000aa-1-x.seg"), "12345");

        assertEquals(ExitCode.RIGHT, run(directory));
        assertTrue(line("directory").startsWith("warn "), () -> line("directory"));
        assertTrue(line("directory").contains("files=1 bytes=5; cure: heddle clean"), () -> line("directory"));
    }

    @Test
    void shouldNameAKeyThatDoesNotExist() {
        System.setProperty("heddle.poll.limit", "1m");
        try {
            assertEquals(ExitCode.FAILED, run(temp.resolve("heddle")));
        } finally {
            System.clearProperty("heddle.poll.limit");
        }

        assertTrue(line("configuration").contains("heddle.pool.limit"), () -> line("configuration"));
        assertEquals("configuration", last().text("failed"));
    }
}
