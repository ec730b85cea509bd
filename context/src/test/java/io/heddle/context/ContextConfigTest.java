package io.heddle.context;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ContextConfig.Entry;
import io.heddle.context.ContextConfig.LeakTracking;
import io.heddle.context.ContextConfig.Origin;
import io.heddle.context.ContextConfig.PoolExhausted;
import io.heddle.context.ContextConfig.ThreadChecks;
import io.heddle.context.internal.HostProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(20)
class ContextConfigTest {
    private final Map<String, String> properties = new HashMap<>();
    private final Map<String, String> environment = new HashMap<>();
    private final ContextConfig config = new ContextConfig(ConfigSources.of(properties, environment));

    @Test
    void shouldHaveTheDocumentedDefaults() {
        config.conclude();

        assertAll(
            () -> assertEquals(Path.of("/dev/shm/heddle-" + HostProcess.uid()), config.directory()),
            () -> assertTrue(config.isWakeupEnabled()),
            () -> assertEquals(
                Context.class.desiredAssertionStatus() ? ThreadChecks.ASSERT : ThreadChecks.OFF,
                config.threadChecks()),
            () -> assertEquals(LeakTracking.OFF, config.leakTracking()),
            () -> assertEquals(2_000_000_000L, config.closeTimeoutNs()),
            () -> assertEquals(0, config.peerTimeoutNs()),
            () -> assertEquals(256L << 20, config.poolLimitBytes()),
            () -> assertEquals(PoolExhausted.WAIT, config.poolExhausted()),
            () -> assertEquals(1L << 30, config.sharedMemoryLimitBytes()),
            () -> assertEquals(4096, config.sendPendingMax()),
            () -> assertEquals(64L << 20, config.unexpectedBytes()),
            () -> assertEquals(65536, config.unexpectedMessages()),
            () -> assertEquals(2048, config.inlineMaxBytes()),
            () -> assertEquals(ContextConfig.RENDEZVOUS_AUTO, config.rendezvousThresholdBytes()),
            () -> assertEquals(1L << 30, config.messageMaxBytes()),
            () -> assertEquals(256, config.ringSlots()),
            () -> assertEquals(32768, config.ringBytes()),
            () -> assertEquals(List.of(), config.transports()),
            () -> assertEquals("", config.failpoints()));
    }

    @Test
    void shouldPreferSetterToPropertyToEnvironmentToDefault() {
        assertOrigin(Origin.DEFAULT, "32k");
        environment.put("HEDDLE_RING_BYTES", "64k");
        assertOrigin(Origin.ENVIRONMENT, "64k");
        properties.put("heddle.ring.bytes", "128k");
        assertOrigin(Origin.PROPERTY, "128k");
        config.ringBytes(256 << 10);
        assertOrigin(Origin.SETTER, "256k");

        assertEquals(256 << 10, config.conclude().ringBytes());
    }

    @Test
    void shouldUnsetWithNull() {
        environment.put("HEDDLE_CLOSE_TIMEOUT", "5ms");
        config.closeTimeout(Duration.ofSeconds(1)).closeTimeout(null);

        assertEquals(5_000_000, config.conclude().closeTimeoutNs());
    }

    @ParameterizedTest
    @CsvSource({
        "heddle.pool.limit, 65536, 64k",
        "heddle.pool.limit, 1M, 1m",
        "heddle.pool.limit, 70000, 70000",
        "heddle.close.timeout, 0, 0",
        "heddle.close.timeout, 5us, 5us",
        "heddle.close.timeout, 100ms, 100ms",
        "heddle.close.timeout, 1000ms, 1s",
        "heddle.close.timeout, 2min, 120s",
        "heddle.wakeup, off, off",
        "heddle.lock.bias, off, off",
        "heddle.leak.tracking, sampled, sampled",
        "heddle.rendezvous.threshold, inf, inf",
        "heddle.rendezvous.threshold, 64k, 64k",
        "heddle.transports, 'posix, loop', 'posix,loop'",
        "heddle.failpoints, 'after-claim:kill', 'after-claim:kill'",
    })
    void shouldReadTextAndPrintItShortest(final String key, final String text, final String printed) {
        properties.put(key, text);

        assertEquals(printed, entry(config.conclude(), key).value());
    }

    @ParameterizedTest
    @CsvSource({
        "heddle.pool.limit, 8q, must be a size like 8k",
        "heddle.pool.limit, '', must be a size like 8k",
        "heddle.pool.limit, -1, must be a size like 8k",
        "heddle.pool.limit, 99999999999g, must be a size like 8k",
        "heddle.pool.limit, 1k, must be >= 64k",
        "heddle.close.timeout, 100, must be a duration like",
        "heddle.close.timeout, 2h, must be a duration like",
        "heddle.close.timeout, 100min, must be <= 3600s",
        "heddle.send.pending.max, many, must be a whole number",
        "heddle.send.pending.max, 0, must be >= 1",
        "heddle.wakeup, yes, must be on or off",
        "heddle.wakeup, 'on ', must be on or off",
        "heddle.thread.checks, ASSERT, must be one of off|assert",
        "heddle.leak.tracking, some, must be one of off|sampled|full",
        "heddle.inline.max, 100, must be a multiple of 8",
        "heddle.inline.max, 8k, must be <= 4k",
        "heddle.ring.slots, 100, must be a power of two",
        "heddle.ring.slots, 8192, must be <= 4096",
        "heddle.ring.bytes, 12k, must be a power of two",
        "heddle.message.max, 2g, must be <= 1g",
        "heddle.transports, 'a,,b', must be all",
        "heddle.directory, here, must be an absolute path",
        "heddle.directory, /, must be an absolute path",
    })
    void shouldRefuseWhatIsNotInRange(final String key, final String text, final String reason) {
        properties.put(key, text);

        final ConfigurationException refusal = assertThrows(ConfigurationException.class, config::conclude);

        assertEquals(1, refusal.problems().size(), refusal::getMessage);
        assertTrue(refusal.getMessage().startsWith(key + "="), refusal::getMessage);
        assertTrue(refusal.getMessage().contains(reason), refusal::getMessage);
        assertEquals(Status.INVALID_PARAM, refusal.status());
        assertFalse(config.isConcluded());
    }

    @Test
    void shouldCheckSettingsAgainstEachOther() {
        config.sharedMemoryLimitBytes(128 << 20).ringBytes(4096);

        final ConfigurationException refusal = assertThrows(ConfigurationException.class, config::conclude);

        assertEquals(
            List.of(
                "heddle.pool.limit=256m must be <= heddle.shm.limit=128m",
                "heddle.inline.max=2k must be <= heddle.ring.bytes/4=1k"),
            refusal.problems());
    }

    @Test
    void shouldNameAllProblemsAtOnce() {
        properties.put("heddle.ring.bytes", "x");
        properties.put("heddle.rimg.slots", "2");
        environment.put("HEDDLE_WAKEUP", "x");

        assertEquals(3, assertThrows(ConfigurationException.class, config::conclude).problems().size());
    }

    @ParameterizedTest
    @CsvSource({"heddle.pool.limt, heddle.pool.limit", "heddle.shm, heddle.shm.limit", "heddle.Wakeup, heddle.wakeup"})
    void shouldNameTheNearestKeyForAnUnknownProperty(final String unknown, final String nearest) {
        properties.put(unknown, "1");

        assertEquals(
            "unknown system property " + unknown + ": did you mean " + nearest + "?",
            assertThrows(ConfigurationException.class, config::conclude).getMessage());
    }

    @Test
    void shouldNameTheNearestKeyForAnUnknownVariable() {
        environment.put("HEDDLE_DIR", "/x");

        assertEquals(
            "unknown environment variable HEDDLE_DIR: did you mean HEDDLE_DIRECTORY?",
            assertThrows(ConfigurationException.class, config::conclude).getMessage());
    }

    @Test
    void shouldIgnoreNamesThatAreNotForIt() {
        properties.put("heddle.test.seed", "1");
        properties.put("other.heddle.key", "1");
        environment.put("HEDDLE_JAVA_OPTS", "-Xmx1g");
        environment.put("HEDDLE_TEST_SEED", "1");

        assertTrue(config.conclude().isConcluded());
    }

    @Test
    void shouldConcludeOnceAndThenStandStill() {
        properties.put("heddle.ring.slots", "512");
        config.conclude();
        properties.put("heddle.ring.slots", "1024");

        assertSame(config, config.conclude());
        assertEquals(512, config.ringSlots());
        assertThrows(ConfigurationException.class, () -> config.ringSlots(1024));
        assertThrows(ConfigurationException.class, () -> config.nanoClock(() -> 0));
    }

    @Test
    void shouldConcludeAfterARefusalWasCured() {
        config.ringSlots(3);
        assertThrows(ConfigurationException.class, config::conclude);

        assertEquals(4, config.ringSlots(4).conclude().ringSlots());
    }

    @Test
    void shouldRefuseADurationThatNoClockCanTell() {
        config.closeTimeout(Duration.ofSeconds(Long.MAX_VALUE));

        assertThrows(ConfigurationException.class, config::conclude);
    }

    @Test
    void shouldPrintEveryKeyOnceWithItsOrigin() {
        environment.put("HEDDLE_SHM_LIMIT", "2g");
        final List<String> lines = config.wakeup(false).conclude().toString().lines().toList();

        assertTrue(lines.contains("heddle.wakeup=off (setter)"), lines::toString);
        assertTrue(lines.contains("heddle.shm.limit=2g (environment)"), lines::toString);
        assertTrue(lines.contains("heddle.ring.slots=256 (default)"), lines::toString);
        assertEquals(
            config.entries().stream().map(Entry::key).collect(Collectors.toSet()),
            lines.stream().map(line -> line.substring(0, line.indexOf('='))).collect(Collectors.toSet()));
        assertEquals(config.entries().size(), lines.size());
    }

    @Test
    void shouldExplainEveryKey() {
        for (final Entry entry : config.conclude().entries()) {
            assertFalse(entry.help().isBlank(), entry::toString);
            assertFalse(entry.type().isBlank(), entry::toString);
            assertEquals(entry.defaultValue(), entry.value(), entry::toString);
        }
    }

    @Test
    void shouldReadBackEveryDefaultItPrints() {
        config.conclude().entries().forEach(entry -> properties.put(entry.key(), entry.value()));

        for (final Entry entry : new ContextConfig(ConfigSources.of(properties, environment)).conclude().entries()) {
            assertEquals(entry.defaultValue(), entry.value());
            assertEquals(Origin.PROPERTY, entry.origin());
        }
    }

    @Test
    void shouldTakeClocksThreadsAndErrorHandlerFromTheApplication() {
        final NanoClock clock = () -> 7;
        final ErrorHandler handler = error -> { };
        config.nanoClock(clock).epochClock(() -> 8).threadFactory(task -> null).errorHandler(handler).conclude();

        assertSame(clock, config.nanoClock());
        assertEquals(8, config.epochClock().time());
        assertEquals(null, config.threadFactory().newThread(() -> { }));
        assertSame(handler, config.errorHandler());
    }

    @Test
    void shouldStartDaemonsByDefault() {
        final Thread thread = config.threadFactory().newThread(() -> { });

        assertNotNull(thread);
        assertTrue(thread.isDaemon());
    }

    @Test
    void shouldReadTheProcessesOwnPropertiesAndEnvironment() {
        assertTrue(new ContextConfig().conclude().isConcluded());
    }

    private void assertOrigin(final Origin origin, final String value) {
        final Entry entry = entry(config, "heddle.ring.bytes");
        assertEquals(origin, entry.origin());
        assertEquals(value, entry.value());
    }

    private static Entry entry(final ContextConfig config, final String key) {
        return config.entries().stream().filter(candidate -> candidate.key().equals(key)).findFirst().orElseThrow();
    }
}
