package io.heddle.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class HotThreadTest {
    private static final Executor NEW_THREAD = task -> new Thread(task, "hot-thread-test").start();

    /** Processors that the calling thread may use, as the kernel prints them. */
    private static String allowed() {
        try {
            return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                .filter(line -> line.startsWith("Cpus_allowed_list:"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip()).findFirst().orElseThrow();
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldPinTheCallingThreadAlone() {
        final String before = allowed();
        final int cpu = Integer.parseInt(before.split("[-,]")[0]);

        final String pinned = CompletableFuture.supplyAsync(() -> {
            HotThread.pin(cpu);
            return allowed();
        }, NEW_THREAD).join();

        assertEquals(Integer.toString(cpu), pinned);
        assertEquals(before, allowed());
    }

    @Test
    void shouldLeaveTheThreadAloneWithoutAProcessor() {
        final String before = allowed();
        HotThread.pin(-1);

        assertEquals(before, allowed());
    }

    @Test
    void shouldSayWhenThereIsNoSuchProcessor() {
        assertThrows(ToolException.class, () -> HotThread.pin(9999));
    }
}
