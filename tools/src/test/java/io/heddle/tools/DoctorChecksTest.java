package io.heddle.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each check makes of machines that are not this one. */
@Timeout(10)
class DoctorChecksTest {
    private static final long MIB = 1 << 20;
    private static final Path MEMORY = Path.of("/dev/shm/heddle-0");

    private static void check(final Finding finding, final Finding.Level level, final String text) {
        assertEquals(level, finding.level(), finding::toString);
        assertTrue(finding.toString().contains(text), finding::toString);
        assertEquals(level == Finding.Level.OK, finding.cure().isEmpty(), finding::toString);
    }

    @Test
    void shouldBeOneLine() {
        assertEquals("ok a: b", Finding.ok("a", "b").toString());
        assertEquals("warn a: b; cure: c", Finding.warn("a", "b", "c").toString());
    }

    @Test
    void shouldRefuseAJvmThatCannotRunHeddle() {
        check(new JvmCheck("Linux", 25, true).finding(), Finding.Level.OK, "JDK 25");
        check(new JvmCheck("Linux", 17, false).finding(), Finding.Level.FAIL,
            "cure: java --add-opens java.base/jdk.internal.misc=ALL-UNNAMED");
        check(new JvmCheck("Linux", 11, true).finding(), Finding.Level.FAIL, "17 or later");
        check(new JvmCheck("Windows 11", 17, true).finding(), Finding.Level.FAIL, "Linux only");
    }

    @ParameterizedTest
    @CsvSource({"65530,300,OK", "9000,300,WARN", "363,300,FAIL", "300,301,FAIL", "9223372036854775807,1,OK"})
    void shouldWeighALimitByTheConnectionsItLeavesRoomFor(final long limit, final long used,
        final Finding.Level level) {
        check(new LimitCheck("mappings", limit, used, 16, "raise it").finding(), level, "limit=" + limit);
    }

    @ParameterizedTest
    @CsvSource({"tmpfs,64,OK", "tmpfs,13,OK", "tmpfs,12,FAIL", "tmpfs,8,FAIL", "ext4,64,WARN", "ext4,8,FAIL"})
    void shouldWeighSpace(final String type, final long freeMib, final Finding.Level level) {
        check(SpaceCheck.finding(MEMORY, type, freeMib * MIB, 64 * MIB), level, "free=" + freeMib + ".0MiB of 64.0MiB");
    }

    @Test
    void shouldWarnOfASpinningThreadOnOneProcessor() {
        check(CoresCheck.finding(2), Finding.Level.OK, "processors=2");
        check(CoresCheck.finding(1), Finding.Level.WARN, "idle strategy");
    }

    @Test
    void shouldTellAContainersOwnMemoryFromASharedOne() {
        final String map = "0 1000 1";
        check(new NamespaceCheck(false, false, false, map).finding(MEMORY), Finding.Level.OK, "pid=host");
        check(new NamespaceCheck(true, true, true, map).finding(MEMORY), Finding.Level.WARN, "--ipc=container");
        check(new NamespaceCheck(true, false, true, map).finding(MEMORY), Finding.Level.OK, "harmless");
        check(new NamespaceCheck(true, true, true, map).finding(Path.of("/mnt/heddle")), Finding.Level.OK, "harmless");
        check(new NamespaceCheck(false, false, true, "").finding(MEMORY), Finding.Level.WARN, "no user id is mapped");
    }
}
