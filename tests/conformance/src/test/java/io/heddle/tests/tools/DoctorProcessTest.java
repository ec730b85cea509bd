package io.heddle.tests.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.tests.base.StandsFor;
import io.heddle.tests.pair.Isolation;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code heddle doctor} says of a JVM or a machine that lacks something. */
@Timeout(60)
class DoctorProcessTest {
    @TempDir
    private Path temp;

    private void assertLine(final HeddleProcess doctor, final String begin, final String text) {
        assertTrue(doctor.stdout().lines().anyMatch(line -> line.startsWith(begin) && line.contains(text)),
            doctor::toString);
    }

    @Test
    @StandsFor("A2")
    void shouldNameTheFlagThatIsMissing() throws Exception {
        final HeddleProcess doctor =
            HeddleProcess.run(temp, List.of(), List.of(), "doctor --directory " + temp.resolve("heddle"));

        assertEquals(1, doctor.exitCode(), doctor::toString);
        assertLine(doctor, "fail jvm: ", "; cure: java --add-opens java.base/jdk.internal.misc=ALL-UNNAMED");
        assertLine(doctor, "fail end_to_end: ", "this JVM lacks the one flag");
        assertTrue(doctor.lastLine().startsWith("usable=false "), doctor::toString);
        assertTrue(doctor.lastLine().endsWith(" failed=jvm,end_to_end"), doctor::toString);
    }

    @Test
    @StandsFor("E1")
    void shouldRefuseTooSmallAFileSystem() throws Exception {
        final HeddleProcess doctor = onFileSystem("8m");

        assertEquals(1, doctor.exitCode(), doctor::toString);
        assertLine(doctor, "fail space: ", "type=tmpfs free=8.0MiB of 8.0MiB, needed=12.5MiB");
        assertLine(doctor, "fail space: ", "; cure: enlarge it");
        assertTrue(doctor.lastLine().endsWith(" failed=space"), doctor::toString);
    }

    @Test
    @StandsFor("E1")
    void shouldBeContentWithTheSizeThatContainersHave() throws Exception {
        final HeddleProcess doctor = onFileSystem("64m");

        assertEquals(0, doctor.exitCode(), doctor::toString);
        assertLine(doctor, "ok space: ", "free=64.0MiB of 64.0MiB");
        assertLine(doctor, "ok end_to_end: ", "");
    }

    private HeddleProcess onFileSystem(final String size) throws Exception {
        return HeddleProcess.run(temp, Isolation.smallFileSystem(temp, size), HeddleProcess.FLAGS,
            "doctor --directory " + temp.resolve("heddle"));
    }
}
