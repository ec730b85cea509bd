package io.heddle.context;

import io.heddle.context.internal.Dependent;
import io.heddle.context.internal.DispatchToken;
import io.heddle.context.internal.Operation;
import io.heddle.context.internal.RuntimeDirectory;
import io.heddle.context.internal.ThreadGuard;
import io.heddle.context.spi.Transport;
import io.heddle.context.spi.TransportContext;
import io.heddle.context.spi.TransportProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.LangUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The root of everything: configuration, runtime directory, transports and counters that workers share.
 *
 * <p>Thread safe, whatever the workers' modes; nothing on a data path touches its lock. Closing it closes the workers
 * that are still open.
 */
public final class Context implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(Context.class);

    private final ContextConfig config;
    private final long contextId = ThreadLocalRandom.current().nextLong();
    private final RuntimeDirectory directory;
    private final Counters counters;
    private final List<Transport> transports = new ArrayList<>();
    private final Map<String, String> unusedTransports = new LinkedHashMap<>();
    /** Guarded by this. In the order of creation. */
    private final List<Dependent> dependents = new ArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean closed;

    private Context(final ContextConfig config) {
        this.config = config;
        directory = RuntimeDirectory.open(config.directory());
        Counters made = null;
        try {
            made = Counters.create(directory, config.epochClock());
            openTransports();
            made.counter(ContextCounter.SHARED_MEMORY_LIMIT_BYTES).setRelease(config.sharedMemoryLimitBytes());
        } catch (final RuntimeException | Error ex) {
            CloseHelper.quietCloseAll(transports);
            CloseHelper.quietClose(made);
            CloseHelper.quietClose(directory);
            throw ex;
        }
        counters = made;
    }

    /** With the configuration of system properties and environment. */
    public static Context create() {
        return create(new ContextConfig());
    }

    /**
     * Opens the runtime directory, sweeps what dead processes left in it, and opens every transport.
     *
     * @param config concluded here if it is not yet; one configuration may serve several contexts.
     * @throws HeddleException if this machine, JVM, directory or configuration will not do; the text says what is wrong
     *     and the cure.
     */
    public static Context create(final ContextConfig config) {
        Platform.check();
        return new Context(config.conclude());
    }

    private void openTransports() {
        final List<String> wanted = config.transports();
        final List<String> found = new ArrayList<>();
        final TransportContext lent = new Lent();
        try {
            for (final TransportProvider provider : ServiceLoader.load(TransportProvider.class,
                Context.class.getClassLoader())) {
                found.add(provider.name());
                if (wanted.isEmpty() ? provider.isUsedByDefault() : wanted.contains(provider.name())) {
                    transports.add(provider.open(lent));
                } else {
                    unusedTransports.put(provider.name(), wanted.isEmpty()
                        ? "used only where heddle.transports names it" : "not in heddle.transports=" + wanted);
                }
            }
        } catch (final ServiceConfigurationError ex) {
            throw new HeddleException(Status.UNREACHABLE, "a transport on the class path cannot be loaded: "
                + ex.getMessage(), ex);
        }
        for (final String name : wanted) {
            if (!found.contains(name)) {
                throw new ConfigurationException("heddle.transports=" + name + " is not on the class path; found="
                    + found);
            }
        }
        if (transports.isEmpty()) {
            throw new HeddleException(Status.UNREACHABLE,
                "no transport on the class path: add io.heddle:heddle-endpoints, or io.heddle:heddle-shm-transport,"
                    + " at run time");
        }
    }

    /** The concluded configuration. */
    public ContextConfig config() {
        return config;
    }

    /** Whether {@link #close()} was called. */
    public boolean isClosed() {
        return closed;
    }

    /** Whether SINGLE and SERIALIZED workers of this JVM check who calls them. */
    public static boolean isCheckingThreads() {
        return ThreadGuard.CHECKS;
    }

    /** This context's counters, readable from outside by {@link CountersFile}. */
    public Counters counters() {
        return counters;
    }

    /** The transports in the order of preference. For workers. */
    public List<Transport> transports() {
        requireOpen("transports");
        return List.copyOf(transports);
    }

    /** Transports on the class path that are not used here, each with the reason, for descriptions. */
    public Map<String, String> unusedTransports() {
        return Collections.unmodifiableMap(unusedTransports);
    }

    /** One paragraph of {@code key=value} lines per transport; then those that are not used, with the reason. */
    public String describe() {
        final StringBuilder text = new StringBuilder("directory=").append(directory.path()).append('\n');
        for (final Transport transport : transports) {
            text.append(transport.describe().stripTrailing()).append('\n');
        }
        unusedTransports.forEach((name, reason) ->
            text.append("transport=").append(name).append(" rejected=[").append(reason).append("]\n"));
        return text.toString();
    }

    /** The layouts of what the transports share with peers, for people. */
    public String describeLayout() {
        final StringBuilder text = new StringBuilder();
        for (final Transport transport : transports) {
            text.append(transport.describeLayout());
        }
        return text.toString();
    }

    /** For workers: closed with this context if it was not closed before. */
    public void register(final Dependent dependent) {
        synchronized (this) {
            requireOpen("register");
            dependents.add(dependent);
        }
    }

    /** For workers: closed by its owner. */
    public void unregister(final Dependent dependent) {
        synchronized (this) {
            dependents.remove(dependent);
        }
    }

    private void requireOpen(final String operation) {
        if (closed) {
            throw new ClosedException("context", operation);
        }
    }

    /**
     * {@link #close(CloseMode, Duration)} with FLUSH and {@code heddle.close.timeout}; leaks and lateness are logged.
     */
    @Override
    public void close() {
        final CloseReport report = close(CloseMode.FLUSH, Duration.ofNanos(config.closeTimeoutNs()));
        report.leaks().forEach(LOGGER::warn);
        if (report.isTimedOut()) {
            LOGGER.warn("context close cut off what it could not finish: heddle.close.timeout={}ns cutRequests={} "
                + "cutBytes={}", config.closeTimeoutNs(), report.cutRequests(), report.cutBytes());
        }
    }

    /**
     * Closes the workers that are still open, with everything on them, then transports, counters and directory. From
     * any thread, at any time, idempotent; of several calls the later ones wait for the first, within their own
     * deadlines. Workers are closed one after the other within one deadline: in SINGLE and SERIALIZED by their progress
     * thread if they have one, so not by who holds its lock; a SERIALIZED worker without one is used by this call, in
     * the caller's order.
     *
     * <p>A worker whose callback does not return in time ends later, by itself; the rest is closed all the same. The
     * transport's own end takes up to five seconds more where the system is slow.
     *
     * @return what was cut off, and what the application keeps, of all workers.
     * @throws HeddleException BUSY, with nothing changed, if a SINGLE worker is owned by another living thread that is
     *     no progress thread. Otherwise what went wrong on the way, when all the rest is closed.
     * @throws CallbackException inside a callback.
     */
    public CloseReport close(final CloseMode mode, final Duration deadline) {
        DispatchToken.checkThreadNotInCallback(Operation.CLOSE_WORKER); // before anything is changed
        final long startNs = System.nanoTime();
        final long timeoutNs = TimeUnit.NANOSECONDS.convert(deadline);
        final List<Dependent> left = beginClose();
        if (left == null) {
            return new CloseReport(0, 0, List.of(), !isEndedWithin(timeoutNs));
        }
        final CloseReport[] report = {CloseReport.CLEAN};
        final List<AutoCloseable> order = new ArrayList<>();
        for (final Dependent each : left) {
            order.add(() -> report[0] = report[0].plus(each.close(mode,
                Duration.ofNanos(Math.max(0, timeoutNs - (System.nanoTime() - startNs))))));
        }
        order.addAll(transports);
        order.add(counters);
        order.add(directory);
        try {
            closeAll(order);
        } finally {
            ended.countDown();
        }
        return report[0];
    }

    /** Each of them, also after an error: a broken thread-mode rule is one, and is no reason to keep files. */
    private static void closeAll(final List<AutoCloseable> order) {
        Throwable first = null;
        for (final AutoCloseable each : order) {
            try {
                each.close();
            } catch (final Throwable ex) {
                if (first == null) {
                    first = ex;
                } else {
                    first.addSuppressed(ex);
                }
            }
        }
        if (first != null) {
            LangUtil.rethrowUnchecked(first);
        }
    }

    /** What is to be closed first; null if another call closes or has closed. */
    private List<Dependent> beginClose() {
        synchronized (this) {
            if (closed) {
                return null;
            }
            for (final Dependent each : dependents) {
                final String refusal = each.refusal();
                if (refusal != null) {
                    throw new HeddleException(Status.BUSY, "context close refused: " + refusal);
                }
            }
            closed = true;
            final List<Dependent> left = List.copyOf(dependents);
            dependents.clear();
            return left;
        }
    }

    private boolean isEndedWithin(final long timeoutNs) {
        try {
            return ended.await(timeoutNs, TimeUnit.NANOSECONDS);
        } catch (final InterruptedException ex) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** What transports see of the context. */
    private final class Lent implements TransportContext {
        @Override
        public long contextId() {
            return contextId;
        }

        @Override
        public ContextConfig config() {
            return config;
        }

        @Override
        public RuntimeDirectory runtimeDirectory() {
            return directory;
        }

        @Override
        public ThreadFactory threadFactory() {
            return config.threadFactory();
        }

        @Override
        public ErrorHandler errorHandler() {
            return config.errorHandler();
        }
    }
}
