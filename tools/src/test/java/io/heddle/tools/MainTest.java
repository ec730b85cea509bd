package io.heddle.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.tests.base.StandsFor;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(final String line) {
        final String[] arguments = line.isEmpty() ? new String[0] : line.split(" ");
        return Main.run(arguments, new PrintWriter(out, true), new PrintWriter(err, true));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "weave", "demo --mode many", "demo --no-such-option", "demo --file /no/such/file",
        "demo --misuse",
        "demo --mode serialized --misuse --release async", "demo --chunk 8", "demo --repeat 0", "demo --handlers 0",
        "demo --repeat 1000000000", "perftest --size 1x", "perftest --size 64..8", "perftest --test am_up",
        "perftest --threads 2", "perftest --mode multi --threads 2 --test am_lat", "perftest --pin 0",
        "perftest --pin a,b",
        "perftest --seconds 0", "perftest --receive keep --test am_lat", "perftest --server a --client b",
        "perftest --server a/b", "perftest --iterations -1", "info extra", "doctor extra", "clean extra"})
    void shouldRefuseBadArgumentsInOneLine(final String line) {
        assertEquals(ExitCode.BAD_ARGUMENTS, run(line));
        assertEquals("", out.toString());
        assertEquals(1, err.toString().lines().count(), err.toString());
        assertTrue(err.toString().contains("--help"), err.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "demo --help", "perftest --help", "info --help", "demo -h", "doctor --help",
        "clean --help"})
    void shouldHelpWithExamples(final String line) {
        assertEquals(ExitCode.RIGHT, run(line));
        assertTrue(out.toString().contains("Examples:"), out.toString());
        assertEquals("", err.toString());
    }

    @Test
    void shouldNotOfferTheChildrensCommands() {
        run("--help");

        assertTrue(out.toString().contains("perftest"));
        assertEquals(-1, out.toString().indexOf("demo-producer"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"info", "info -b"})
    @StandsFor("6.3/lib_query.test_max_thread_support")
    void shouldPrintOneFactPerLine(final String line) {
        assertEquals(ExitCode.RIGHT, run(line));
        assertTrue(out.toString().lines().allMatch(each -> each.matches("[a-z_]+=\\S+")), out.toString());
        assertTrue(out.toString().lines().anyMatch("thread_modes=single,serialized,multi"::equals), out.toString());
        final String checks = Main.class.desiredAssertionStatus() ? "thread_checks=on" : "thread_checks=off";
        assertTrue(out.toString().lines().anyMatch(checks::equals), out.toString());
        assertTrue(out.toString().lines().anyMatch("jvm_flag=present"::equals), out.toString());
    }

    @Test
    @StandsFor("6.3/version_string")
    void shouldPrintItsVersion() {
        assertEquals(ExitCode.RIGHT, run("--version"));
        assertTrue(out.toString().strip().matches("heddle \\d+\\.\\d+\\.\\d+\\S*"), out.toString());
    }

    @Test
    void shouldPrintConfigurationWithOriginAndHelp() {
        assertEquals(ExitCode.RIGHT, run("info -c"));
        assertTrue(out.toString().lines().allMatch(each -> each.matches("heddle\\.[a-z.]+=.* origin=[a-z]+ .* # .+")),
            out.toString());
        assertTrue(out.toString().contains("heddle.pool.limit="), out.toString());
    }
}
