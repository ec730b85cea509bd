package io.heddle.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class TerminalProgressTest {
    private static final long MS = 1_000_000;

    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
    private long now = 5_000 * MS;

    private TerminalProgress progress(final boolean terminal) {
        return new TerminalProgress(
            new PrintStream(shown, true, StandardCharsets.UTF_8), terminal, () -> now, 200_000_000);
    }

    private String text() {
        return shown.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldPrintALineASecondWhereThereIsNoTerminal() {
        final TerminalProgress progress = progress(false);
        for (int i = 0; i <= 20; i++) {
            progress.show(i * 10_000_000L);
            now += 100 * MS;
        }
        progress.done();

        assertEquals("demo: 0% (0 of 200 MB) after 0.0 s\ndemo: 50% (100 of 200 MB) after 1.0 s\n"
            + "demo: 100% (200 of 200 MB) after 2.0 s\n", text());
    }

    @Test
    void shouldUpdateOneLineOnATerminal() {
        final TerminalProgress progress = progress(true);
        progress.show(0);
        now += 50 * MS;
        progress.show(10_000_000);
        now += 50 * MS;
        progress.show(20_000_000);
        progress.done();

        assertEquals("\r\u001b[Kdemo: 0% (0 of 200 MB) after 0.0 s"
            + "\r\u001b[Kdemo: 10% (20 of 200 MB) after 0.1 s\r\u001b[K",
            text());
    }
}
