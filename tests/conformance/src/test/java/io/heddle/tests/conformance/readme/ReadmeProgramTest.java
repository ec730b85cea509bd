package io.heddle.tests.conformance.readme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The README's program compiles and runs as it stands there. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class ReadmeProgramTest {
    private static final String STATEMENTS = """
        # Of the shape that the design gives

        ```java
        // README program
        try (Context context = Context.create();
             Worker worker = Worker.create(context, ThreadMode.MULTI)) {
            worker.onActiveMessage(7, message -> {
                Endpoint back = Endpoint.replyTo(message);
                ReceivedData kept = message.retain();
                executor.execute(() -> { try (kept) { use(kept); } });
            });
            try (ProgressThread progress = ProgressThread.start(worker);
                 Endpoint endpoint = Endpoint.create(worker, worker.address())) {
                Request sent = endpoint.sendActiveMessage(7, header, data, offset, lengthBytes, onDone);
                Status now = endpoint.trySendActiveMessage(7, header, data, offset, lengthBytes);
                sent.await(Duration.ofSeconds(1));
                CloseReport cut = endpoint.close(CloseMode.FLUSH, Duration.ofSeconds(1));
            }
        }
        ```

        ```java
        this is another block
        ```
        """;

    @TempDir
    private Path directory;

    @Test
    void shouldCompileAndRunTheProgramOfTheReadme() throws Exception {
        final Path readme = Path.of(System.getProperty("heddle.test.project.root", "../..")).resolve("README.md");
        assumeTrue(Files.isRegularFile(readme), "there is no README.md yet");
        final Optional<ReadmeProgram> program = ReadmeProgram.of(Files.readString(readme));
        assumeTrue(program.isPresent(), "README.md has no Java block that begins with the line " + ReadmeProgram.MARK);

        assertEquals("", program.get().compile(directory));
        program.get().run(directory);
    }

    @Test
    @ExpectedLog(value = "was not returned to pool", optional = true) // the shape ends without waiting for its handler
    void shouldRunStatementsOfTheDesignsShape() throws Exception {
        final ReadmeProgram program = ReadmeProgram.of(STATEMENTS).orElseThrow();
        assertEquals("", program.compile(directory));
        program.run(directory);
    }

    @Test
    void shouldRunAClassAsItIs() throws Exception {
        final ReadmeProgram program = ReadmeProgram.of("""
            ```java
            // README program
            public final class Shout {
                public static void main(final String[] arguments) {
                    throw new IllegalStateException("heard");
                }
            }
            ```
            """).orElseThrow();
        assertEquals("", program.compile(directory));
        assertEquals("heard", assertThrows(AssertionError.class, () -> program.run(directory)).getCause().getMessage());
    }

    @Test
    void shouldSayWhatDoesNotCompile() throws Exception {
        final String says = ReadmeProgram.of("```java\n// README program\nint i = \"no\";\n```\n").orElseThrow()
            .compile(directory);
        assertTrue(says.contains("does not compile") && says.contains("incompatible types"), says);
    }

    @Test
    void shouldFindNoProgramWhereNoneIsMarked() {
        assertEquals(Optional.empty(), ReadmeProgram.of("# Title\n\n```java\nint i;\n```\n"));
    }
}
