package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The JDK at hand gives what Heddle rests on, with exactly the one flag it asks for. */
@Tag("smoke")
@Timeout(30)
class JdkSmokeTest {
    @Test
    void shouldReachOffHeapMemoryWithTheOneFlag() {
        final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(64));
        buffer.putLongRelease(8, 0x0102030405060708L);

        assertEquals(0x0102030405060708L, buffer.getLongAcquire(8));
    }

    @Test
    void shouldRunWithNoOtherFlagThatOpensTheJdk() {
        final List<String> opening = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(flag -> flag.startsWith("--add-") || flag.contains("unsafe") || flag.contains("native-access"))
            .toList();

        assertAll(
            () -> assertEquals(List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"), opening),
            () -> assertTrue(Runtime.version().feature() >= 17));
    }
}
