package io.heddle.context;

import io.heddle.context.ContextConfig.LeakTracking;
import io.heddle.context.ContextConfig.PoolExhausted;
import io.heddle.context.ContextConfig.ThreadChecks;
import io.heddle.context.internal.HostProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** The table of keys: the only place that knows an option's name, type, default, range and help. Immutable. */
final class ConfigKeys {
    private static final long K = 1L << 10;
    private static final long M = 1L << 20;
    private static final long G = 1L << 30;
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);
    private static final List<ConfigKey<?>> TABLE = new ArrayList<>();

    static final ConfigKey<Path> DIRECTORY = computed(
        "heddle.directory", ConfigType.PATH, ConfigKeys::defaultDirectory, ConfigKeys::absolute,
        "runtime directory, in shared memory; processes that share it can connect; default /dev/shm/heddle-<uid>");
    static final ConfigKey<Boolean> WAKEUP = key(
        "heddle.wakeup", ConfigType.SWITCH, true, any(),
        "workers can arm and sleep; off spares what that costs and makes arm() throw");
    static final ConfigKey<Boolean> LOCK_BIAS = key(
        "heddle.lock.bias", ConfigType.SWITCH, true, any(),
        "who alone uses a worker long enough pays no atomic instruction; the next one to come stops it for a moment");
    static final ConfigKey<ThreadChecks> THREAD_CHECKS = computed(
        "heddle.thread.checks", ConfigType.choice(ThreadChecks.class), ConfigKeys::defaultThreadChecks, any(),
        "whether ownership of SINGLE and SERIALIZED workers is asserted; read once per JVM; default assert under -ea");
    static final ConfigKey<LeakTracking> LEAK_TRACKING = key(
        "heddle.leak.tracking", ConfigType.choice(LeakTracking.class), LeakTracking.OFF, any(),
        "whether the stack of receipt and last touch is kept for received data, for some or for all of it");
    static final ConfigKey<Long> CLOSE_TIMEOUT = key(
        "heddle.close.timeout", ConfigType.DURATION, TimeUnit.SECONDS.toNanos(2),
        between(ConfigType.DURATION, 0L, HOUR_NS),
        "how long close() flushes before it cuts off what is left");
    static final ConfigKey<Long> PEER_TIMEOUT = key(
        "heddle.peer.timeout", ConfigType.DURATION, 0L,
        both(between(ConfigType.DURATION, 0L, 24 * HOUR_NS), ConfigKeys::zeroOrTenMilliseconds),
        "how long a peer's process may stand still before its endpoints fail; 0 is for ever");
    static final ConfigKey<Long> POOL_LIMIT = key(
        "heddle.pool.limit", ConfigType.SIZE, 256 * M, between(ConfigType.SIZE, 64 * K, 1024 * G),
        "bytes of receive descriptors per worker");
    static final ConfigKey<PoolExhausted> POOL_EXHAUSTED = key(
        "heddle.pool.exhausted", ConfigType.choice(PoolExhausted.class), PoolExhausted.WAIT, any(),
        "when all descriptors are out: senders wait for credit, or kept data is copied to free them");
    static final ConfigKey<Long> SHM_LIMIT = key(
        "heddle.shm.limit", ConfigType.SIZE, G, between(ConfigType.SIZE, M, 1024 * G),
        "bytes of shared memory per context");
    static final ConfigKey<Integer> SEND_PENDING_MAX = key(
        "heddle.send.pending.max", ConfigType.COUNT, 4096, between(ConfigType.COUNT, 1, 1 << 20),
        "sends of an endpoint that may wait for room");
    static final ConfigKey<Long> UNEXPECTED_BYTES = key(
        "heddle.unexpected.bytes", ConfigType.SIZE, 64 * M, between(ConfigType.SIZE, 0L, 1024 * G),
        "payload kept per endpoint for messages that no receive was posted for");
    static final ConfigKey<Integer> UNEXPECTED_MESSAGES = key(
        "heddle.unexpected.messages", ConfigType.COUNT, 65536, between(ConfigType.COUNT, 0, 1 << 24),
        "messages kept per endpoint that no receive was posted for");
    static final ConfigKey<Long> INLINE_MAX = key(
        "heddle.inline.max", ConfigType.SIZE, 2 * K, both(between(ConfigType.SIZE, 64L, 4 * K), multipleOf(8)),
        "largest message that travels in the ring itself");
    static final ConfigKey<Long> RENDEZVOUS_THRESHOLD = key(
        "heddle.rendezvous.threshold", ConfigType.THRESHOLD, ContextConfig.RENDEZVOUS_AUTO, any(),
        "size from which a message is announced before its payload moves; auto chooses, inf is never");
    static final ConfigKey<Long> MESSAGE_MAX = key(
        "heddle.message.max", ConfigType.SIZE, G, between(ConfigType.SIZE, K, G),
        "largest message; a worker has three times as much memory for long ones, an endpoint half of what is free");
    static final ConfigKey<Integer> RING_SLOTS = key(
        "heddle.ring.slots", ConfigType.COUNT, 256,
        both(between(ConfigType.COUNT, 2, 4096), slots -> powerOfTwo(slots.longValue())),
        "records of a lane that may be under way");
    static final ConfigKey<Long> RING_BYTES = key(
        "heddle.ring.bytes", ConfigType.SIZE, 32 * K, both(between(ConfigType.SIZE, 4 * K, M), ConfigKeys::powerOfTwo),
        "size of a lane's record ring");
    static final ConfigKey<List<String>> TRANSPORTS = key(
        "heddle.transports", ConfigType.NAMES, List.of(), any(),
        "transports that may be used, by name");
    static final ConfigKey<String> FAILPOINTS = key(
        "heddle.failpoints", ConfigType.TEXT, "", any(),
        "test builds: named points that kill, pause or fail; read once per JVM");

    /** In the order in which they are printed. */
    static final List<ConfigKey<?>> ALL = List.copyOf(TABLE);

    private ConfigKeys() {
    }

    private static <T> ConfigKey<T> key(
        final String name,
        final ConfigType<T> type,
        final T defaultValue,
        final Function<T, String> check,
        final String help) {
        return computed(name, type, () -> defaultValue, check, help);
    }

    private static <T> ConfigKey<T> computed(
        final String name,
        final ConfigType<T> type,
        final Supplier<T> defaultValue,
        final Function<T, String> check,
        final String help) {
        final ConfigKey<T> key = new ConfigKey<>(name, type, defaultValue, check, help);
        TABLE.add(key);
        return key;
    }

    private static Path defaultDirectory() {
        return Path.of("/dev/shm/heddle-" + HostProcess.uid());
    }

    private static ThreadChecks defaultThreadChecks() {
        return Context.class.desiredAssertionStatus() ? ThreadChecks.ASSERT : ThreadChecks.OFF;
    }

    private static <T> Function<T, String> any() {
        return value -> null;
    }

    private static <T extends Comparable<T>> Function<T, String> between(
        final ConfigType<T> type,
        final T least,
        final T most) {
        return value -> {
            if (value.compareTo(least) < 0) {
                return "must be >= " + type.print(least);
            }
            return value.compareTo(most) > 0 ? "must be <= " + type.print(most) : null;
        };
    }

    private static <T> Function<T, String> both(final Function<T, String> first, final Function<T, String> second) {
        return value -> {
            final String problem = first.apply(value);
            return problem == null ? second.apply(value) : problem;
        };
    }

    private static String zeroOrTenMilliseconds(final long ns) {
        return ns == 0 || ns >= TimeUnit.MILLISECONDS.toNanos(10) ? null : "must be 0 or >= 10ms";
    }

    private static Function<Long, String> multipleOf(final long unit) {
        return value -> value % unit == 0 ? null : "must be a multiple of " + unit;
    }

    private static String powerOfTwo(final long value) {
        return Long.bitCount(value) == 1 ? null : "must be a power of two";
    }

    private static String absolute(final Path path) {
        return path.isAbsolute() && path.getFileName() != null ? null : "must be an absolute path, and not /";
    }
}
