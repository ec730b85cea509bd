package io.heddle.context;

import io.heddle.context.internal.LoggingErrorHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Collectors;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * The settings of a {@code Context}. For every key the first of these counts: the setter here, the system property of
 * the key's name, the environment variable of that name in capitals with underscores, the default. Sizes read
 * {@code 8k}, {@code 1m}, {@code 1g}; durations {@code 5us}, {@code 100ms}, {@code 2s}.
 *
 * <p>Everything is read and checked together by {@link #conclude()}, which creating a context calls. Before that,
 * accessors show what would count now, and throw {@link ConfigurationException} for a value that cannot be read. The
 * table of keys, with defaults and ranges, is {@link #entries()}.
 *
 * <p>Confined to one thread until concluded, then immutable and thread safe. One concluded configuration may serve
 * several contexts. The accessors look values up: read once, not per message.
 */
public final class ContextConfig {
    /** Of {@link #rendezvousThresholdBytes()}: the transport's figures decide. */
    public static final long RENDEZVOUS_AUTO = -1;
    /** Of {@link #rendezvousThresholdBytes()}: no message is announced first. */
    public static final long RENDEZVOUS_NEVER = Long.MAX_VALUE;

    private final Map<ConfigKey<?>, Object> setters = new HashMap<>();
    private final ConfigSources sources;
    private EpochClock epochClock = SystemEpochClock.INSTANCE;
    private NanoClock nanoClock = SystemNanoClock.INSTANCE;
    private ThreadFactory threadFactory = ContextConfig::newDaemon;
    private ErrorHandler errorHandler = new LoggingErrorHandler();
    // Written once by conclude() after all else (volatile release); a reader that sees it (volatile acquire in
    // values()) sees the rest.
    private volatile ConfigValues concluded;

    /** Nothing set: properties, environment and defaults of this JVM count. */
    public ContextConfig() {
        this(ConfigSources.JVM);
    }

    ContextConfig(final ConfigSources sources) {
        this.sources = sources;
    }

    /** Whether threads are held to a worker's mode. Once per JVM, so there is no setter. */
    public enum ThreadChecks {
        /** The caller is trusted. */
        OFF,
        /** The first foreign or overlapping call throws. */
        ASSERT
    }

    /** What is recorded to explain received data that is never released. */
    public enum LeakTracking {
        /** Counts only. */
        OFF,
        /** Stacks for some. */
        SAMPLED,
        /** Stacks for all; slow. */
        FULL
    }

    /** What happens when a worker's receive descriptors are all out. */
    public enum PoolExhausted {
        /** Senders wait for credit. */
        WAIT,
        /** Kept data is copied to private memory, so that its descriptor serves again. */
        COPY
    }

    /** Where a value came from. */
    public enum Origin {
        /** Nobody said anything. */
        DEFAULT,
        /** A setter of this class. */
        SETTER,
        /** A system property. */
        PROPERTY,
        /** An environment variable. */
        ENVIRONMENT;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A key as it stands, for tools to print. Immutable.
     *
     * @param key its name
     * @param value as text that would be read back as the same value
     * @param origin where the value came from
     * @param type the type or unit: {@code size}, {@code duration}, {@code count}, the choices
     * @param defaultValue as text
     * @param help one line
     */
    public record Entry(String key, String value, Origin origin, String type, String defaultValue, String help) {
    }

    /**
     * Reads, checks and fixes everything; later calls do nothing. Setters throw from now on.
     *
     * @return this
     * @throws ConfigurationException naming all that is wrong; nothing is fixed then, and the call may be repeated
     */
    public ContextConfig conclude() {
        if (concluded == null) {
            concluded = ConfigValues.conclude(setters, sources);
        }
        return this;
    }

    /** Whether {@link #conclude()} has succeeded. */
    public boolean isConcluded() {
        return concluded != null;
    }

    /** All keys, always in the same order. */
    public List<Entry> entries() {
        return values().entries();
    }

    /** One line per key: {@code name=value (origin)}. */
    @Override
    public String toString() {
        return entries().stream()
            .map(entry -> entry.key() + "=" + entry.value() + " (" + entry.origin() + ")")
            .collect(Collectors.joining("\n"));
    }

    /** {@code heddle.directory}: absolute. */
    public Path directory() {
        return values().value(ConfigKeys.DIRECTORY);
    }

    /** Sets {@link #directory()}; null unsets. */
    public ContextConfig directory(final Path directory) {
        return with(ConfigKeys.DIRECTORY, directory);
    }

    /** {@code heddle.wakeup}. */
    public boolean isWakeupEnabled() {
        return values().value(ConfigKeys.WAKEUP);
    }

    /** Sets {@link #isWakeupEnabled()}. */
    public ContextConfig wakeup(final boolean enabled) {
        return with(ConfigKeys.WAKEUP, enabled);
    }

    /** {@code heddle.lock.bias}. */
    public boolean isLockBiased() {
        return values().value(ConfigKeys.LOCK_BIAS);
    }

    /** Sets {@link #isLockBiased()}. */
    public ContextConfig lockBias(final boolean enabled) {
        return with(ConfigKeys.LOCK_BIAS, enabled);
    }

    /** {@code heddle.thread.checks}, as it was when this was concluded; the JVM's own reading of it counts. */
    public ThreadChecks threadChecks() {
        return values().value(ConfigKeys.THREAD_CHECKS);
    }

    /** {@code heddle.leak.tracking}. */
    public LeakTracking leakTracking() {
        return values().value(ConfigKeys.LEAK_TRACKING);
    }

    /** Sets {@link #leakTracking()}; null unsets. */
    public ContextConfig leakTracking(final LeakTracking tracking) {
        return with(ConfigKeys.LEAK_TRACKING, tracking);
    }

    /** {@code heddle.close.timeout}. */
    public long closeTimeoutNs() {
        return values().value(ConfigKeys.CLOSE_TIMEOUT);
    }

    /** Sets {@link #closeTimeoutNs()}; null unsets. */
    public ContextConfig closeTimeout(final Duration timeout) {
        return with(ConfigKeys.CLOSE_TIMEOUT, nanoseconds(timeout));
    }

    /**
     * {@code heddle.peer.timeout}; 0, the default, is never. After that long, or up to a quarter more, without a sign
     * of the peer's process its endpoints fail with {@link Status#ENDPOINT_TIMEOUT}, once; connecting anew is possible.
     *
     * <p>What is asked is the peer's <em>process</em>: a thread of Heddle's in this context asks a thread of Heddle's
     * in the peer, four times per timeout and connection, beside the traffic and at no cost to it. Found out in this
     * way: a process that is stopped, frozen with its container, held by a debugger or in one long pause of its JVM.
     * Not found out: a worker that its application does not progress, since that is what an idle one looks like; and no
     * process that has ended, since its end is told at once, as {@link Status#CONNECTION_RESET}, whatever this says. A
     * pause of this process is not taken for one of the peer's. A peer that goes on after it was given up is told so,
     * as {@link Status#CONNECTION_RESET}; what it had published before was delivered, what it publishes after is not.
     * Transports other than the one over shared memory have their own means.
     */
    public long peerTimeoutNs() {
        return values().value(ConfigKeys.PEER_TIMEOUT);
    }

    /** Sets {@link #peerTimeoutNs()}; null unsets. */
    public ContextConfig peerTimeout(final Duration timeout) {
        return with(ConfigKeys.PEER_TIMEOUT, nanoseconds(timeout));
    }

    /** {@code heddle.pool.limit}, per worker. */
    public long poolLimitBytes() {
        return values().value(ConfigKeys.POOL_LIMIT);
    }

    /** Sets {@link #poolLimitBytes()}. */
    public ContextConfig poolLimitBytes(final long bytes) {
        return with(ConfigKeys.POOL_LIMIT, bytes);
    }

    /** {@code heddle.pool.exhausted}. */
    public PoolExhausted poolExhausted() {
        return values().value(ConfigKeys.POOL_EXHAUSTED);
    }

    /** Sets {@link #poolExhausted()}; null unsets. */
    public ContextConfig poolExhausted(final PoolExhausted reaction) {
        return with(ConfigKeys.POOL_EXHAUSTED, reaction);
    }

    /** {@code heddle.shm.limit}, per context. */
    public long sharedMemoryLimitBytes() {
        return values().value(ConfigKeys.SHM_LIMIT);
    }

    /** Sets {@link #sharedMemoryLimitBytes()}. */
    public ContextConfig sharedMemoryLimitBytes(final long bytes) {
        return with(ConfigKeys.SHM_LIMIT, bytes);
    }

    /** {@code heddle.send.pending.max}, per endpoint. */
    public int sendPendingMax() {
        return values().value(ConfigKeys.SEND_PENDING_MAX);
    }

    /** Sets {@link #sendPendingMax()}. */
    public ContextConfig sendPendingMax(final int sends) {
        return with(ConfigKeys.SEND_PENDING_MAX, sends);
    }

    /** {@code heddle.unexpected.bytes}, per endpoint. */
    public long unexpectedBytes() {
        return values().value(ConfigKeys.UNEXPECTED_BYTES);
    }

    /** Sets {@link #unexpectedBytes()}. */
    public ContextConfig unexpectedBytes(final long bytes) {
        return with(ConfigKeys.UNEXPECTED_BYTES, bytes);
    }

    /** {@code heddle.unexpected.messages}, per endpoint. */
    public int unexpectedMessages() {
        return values().value(ConfigKeys.UNEXPECTED_MESSAGES);
    }

    /** Sets {@link #unexpectedMessages()}. */
    public ContextConfig unexpectedMessages(final int messages) {
        return with(ConfigKeys.UNEXPECTED_MESSAGES, messages);
    }

    /** {@code heddle.inline.max}: a multiple of 8. */
    public int inlineMaxBytes() {
        return Math.toIntExact(values().value(ConfigKeys.INLINE_MAX));
    }

    /** Sets {@link #inlineMaxBytes()}. */
    public ContextConfig inlineMaxBytes(final int bytes) {
        return with(ConfigKeys.INLINE_MAX, (long)bytes);
    }

    /** {@code heddle.rendezvous.threshold}: bytes, {@link #RENDEZVOUS_AUTO} or {@link #RENDEZVOUS_NEVER}. */
    public long rendezvousThresholdBytes() {
        return values().value(ConfigKeys.RENDEZVOUS_THRESHOLD);
    }

    /** Sets {@link #rendezvousThresholdBytes()}. */
    public ContextConfig rendezvousThresholdBytes(final long bytes) {
        return with(ConfigKeys.RENDEZVOUS_THRESHOLD, bytes);
    }

    /**
     * {@code heddle.message.max}: the longest message. Memory for long messages, what is received and what of it is
     * kept together, is bounded by it, rounded up to a power of two and to at least 128 KiB: a worker takes three times
     * as much, at least 1 MiB, and one endpoint as much once, yet no more than half of what the worker's other
     * endpoints leave. A message that would be over that waits, on its own endpoint, until memory comes back.
     */
    public long messageMaxBytes() {
        return values().value(ConfigKeys.MESSAGE_MAX);
    }

    /** Sets {@link #messageMaxBytes()}. */
    public ContextConfig messageMaxBytes(final long bytes) {
        return with(ConfigKeys.MESSAGE_MAX, bytes);
    }

    /** {@code heddle.ring.slots}: a power of two. */
    public int ringSlots() {
        return values().value(ConfigKeys.RING_SLOTS);
    }

    /** Sets {@link #ringSlots()}. */
    public ContextConfig ringSlots(final int slots) {
        return with(ConfigKeys.RING_SLOTS, slots);
    }

    /** {@code heddle.ring.bytes}: a power of two. */
    public int ringBytes() {
        return Math.toIntExact(values().value(ConfigKeys.RING_BYTES));
    }

    /** Sets {@link #ringBytes()}. */
    public ContextConfig ringBytes(final int bytes) {
        return with(ConfigKeys.RING_BYTES, (long)bytes);
    }

    /** {@code heddle.transports}: empty stands for all. */
    public List<String> transports() {
        return values().value(ConfigKeys.TRANSPORTS);
    }

    /** Sets {@link #transports()}; null unsets. */
    public ContextConfig transports(final List<String> names) {
        return with(ConfigKeys.TRANSPORTS, names == null ? null : List.copyOf(names));
    }

    /**
     * {@code heddle.failpoints}, as it was when this was concluded; the JVM's own reading of it counts, so there is no
     * setter.
     */
    public String failpoints() {
        return values().value(ConfigKeys.FAILPOINTS);
    }

    /** For times that are shown, in milliseconds since 1970. */
    public EpochClock epochClock() {
        return epochClock;
    }

    /** Sets {@link #epochClock()}. */
    public ContextConfig epochClock(final EpochClock clock) {
        requireOpen("epochClock");
        epochClock = Objects.requireNonNull(clock, "clock");
        return this;
    }

    /** For deadlines. Called once per progress round, never under a worker's lock. */
    public NanoClock nanoClock() {
        return nanoClock;
    }

    /** Sets {@link #nanoClock()}. */
    public ContextConfig nanoClock(final NanoClock clock) {
        requireOpen("nanoClock");
        nanoClock = Objects.requireNonNull(clock, "clock");
        return this;
    }

    /** For every thread that Heddle starts; daemon threads by default. Heddle names the threads itself. */
    public ThreadFactory threadFactory() {
        return threadFactory;
    }

    /** Sets {@link #threadFactory()}. */
    public ContextConfig threadFactory(final ThreadFactory factory) {
        requireOpen("threadFactory");
        threadFactory = Objects.requireNonNull(factory, "factory");
        return this;
    }

    /** For what nobody can be thrown at, on any thread; must not block. Logs through SLF4J by default. */
    public ErrorHandler errorHandler() {
        return errorHandler;
    }

    /** Sets {@link #errorHandler()}. */
    public ContextConfig errorHandler(final ErrorHandler handler) {
        requireOpen("errorHandler");
        errorHandler = Objects.requireNonNull(handler, "handler");
        return this;
    }

    private <T> ContextConfig with(final ConfigKey<T> key, final T value) {
        requireOpen(key.name());
        if (value == null) {
            setters.remove(key);
        } else {
            setters.put(key, value);
        }
        return this;
    }

    private void requireOpen(final String name) {
        if (concluded != null) {
            throw new ConfigurationException("configuration is concluded, and cannot be changed: setter=" + name);
        }
    }

    private ConfigValues values() {
        final ConfigValues fixed = concluded;
        return fixed == null ? ConfigValues.preview(setters, sources) : fixed;
    }

    private static Long nanoseconds(final Duration duration) {
        if (duration == null) {
            return null;
        }
        try {
            return duration.toNanos();
        } catch (final ArithmeticException ex) {
            // More than the clock can tell: the range check refuses it.
            return Long.MAX_VALUE;
        }
    }

    private static Thread newDaemon(final Runnable task) {
        final Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }
}
