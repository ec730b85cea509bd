package io.heddle.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(20)
class HeddleExceptionTest {
    private static Stream<HeddleException> all() {
        return Stream.of(
            new ConfigurationException("heddle.x=1 must be <= 0"),
            new ClosedException("worker=w-3", "progress"),
            new VersionMismatchException("layoutVersion", "layout=1", "layout=2"),
            new NoSharedMemoryException("/dev/shm", 8192, 10, "heddle.shm.limit", null),
            new DescriptorStateException(DescriptorStateException.Kind.DOUBLE_RELEASE, 7, "receive-8k", null),
            new CallbackException("progress", "w-3"),
            new UnreachableException("ab12", Map.of()),
            new AccessRefusedException("peer of another user: uid=1 must be 2"));
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldCarryAnErrorStatusAndBeginInLowerCase(final HeddleException exception) {
        assertTrue(exception.status().isError(), exception::toString);
        assertTrue(Character.isLowerCase(exception.getMessage().charAt(0)), exception::toString);
        assertTrue(exception.getMessage().contains("="), exception::toString);
    }

    @Test
    void shouldNeedAStatus() {
        assertThrows(NullPointerException.class, () -> new HeddleException(null, "x"));
    }

    @Test
    void shouldListEachProblemOnItsOwnLine() {
        final ConfigurationException exception = new ConfigurationException(List.of("a=1 must be 2", "b=1 must be 2"));

        assertEquals(exception.problems(), exception.getMessage().lines().toList());
    }

    @Test
    void shouldNameDirectoryNeedRestAndSetting() {
        assertEquals(
            "not enough shared memory: directory=/dev/shm neededBytes=8192 availableBytes=10; change heddle.shm.limit",
            new NoSharedMemoryException("/dev/shm", 8192, 10, "heddle.shm.limit", null).getMessage());
    }

    @ParameterizedTest
    @EnumSource(DescriptorStateException.Kind.class)
    void shouldNameElementPoolAndBothThreads(final DescriptorStateException.Kind kind) {
        final String message = new DescriptorStateException(kind, 7, "receive-8k", "handler-1").getMessage();

        for (final String part : List.of(
            "kind=" + kind, "element=7", "pool=receive-8k", "thread=" + Thread.currentThread().getName(),
            "firstReleaser=handler-1")) {
            assertTrue(message.contains(part), message);
        }
    }

    @Test
    void shouldSayWhyEachTransportRefused() {
        final Map<String, String> refusals = new LinkedHashMap<>();
        refusals.put("posix", "another host");
        refusals.put("loop", "another process");

        assertEquals(
            "no transport reaches address=ab12: posix=[another host] loop=[another process]",
            new UnreachableException("ab12", refusals).getMessage());
    }
}
