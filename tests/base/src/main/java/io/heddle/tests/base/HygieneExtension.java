package io.heddle.tests.base;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Fails a system test that leaves something behind: a warning or error in the log that no {@link ExpectedLog} declares,
 * a thread named {@code heddle-…}, a file in the runtime directory, a descriptor or a mapping.
 *
 * <p>Checked after each test against its own beginning, and after the class against the class's. Things that end on
 * other threads, such as an unmap by the control thread, have 5 s for it. A test that failed anyway is not checked, its
 * own failure says more.
 *
 * <p>Gives this JVM a runtime directory of its own, by the property {@code heddle.directory} where it is not set, so
 * that nothing else on the machine is in the way. Hands {@link TestSeed} to methods that ask for it. For tests that run
 * one at a time.
 */
public final class HygieneExtension
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback, ParameterResolver {

    /** JUnit configuration parameter: how long to wait for what ends on other threads, in milliseconds. */
    static final String PATIENCE_PARAMETER = "heddle.hygiene.patience.ms";

    private static final String DIRECTORY_PROPERTY = "heddle.directory";
    private static final long DEFAULT_PATIENCE_MS = 5_000;
    private static final ExtensionContext.Namespace NAMESPACE =
        ExtensionContext.Namespace.create(HygieneExtension.class);

    /** The beginning of a test or of a class. */
    private record Beginning(Footprint footprint, CapturedLog log) {
    }

    @Override
    public void beforeAll(final ExtensionContext context) {
        System.out.println("seed of " + context.getDisplayName() + ": " + TestSeed.ofThisJvm());
        begin(context);
    }

    @Override
    public void beforeEach(final ExtensionContext context) {
        begin(context);
    }

    @Override
    public void afterEach(final ExtensionContext context) {
        final List<ExpectedLog> ofMethod = Arrays.asList(
            context.getRequiredTestMethod().getAnnotationsByType(ExpectedLog.class));
        end(context, ofMethod);
    }

    @Override
    public void afterAll(final ExtensionContext context) {
        end(context, List.of());
    }

    @Override
    public boolean supportsParameter(final ParameterContext parameter, final ExtensionContext context) {
        return parameter.getParameter().getType() == TestSeed.class;
    }

    @Override
    public Object resolveParameter(final ParameterContext parameter, final ExtensionContext context) {
        return TestSeed.ofThisJvm();
    }

    /**
     * The runtime directory of this JVM's tests.
     *
     * @return what {@code heddle.directory} says; the property is set, and the directory made, if it was not
     */
    public static synchronized Path runtimeDirectory() {
        final String given = System.getProperty(DIRECTORY_PROPERTY);
        if (given != null) {
            return Path.of(given);
        }
        final Path memory = Path.of("/dev/shm");
        final Path parent = Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
        try {
            final Path directory = Files.createTempDirectory(parent, "heddle-test-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            System.setProperty(DIRECTORY_PROPERTY, directory.toString());
            Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(directory), "remove-" + directory));
            return directory;
        } catch (final IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static void begin(final ExtensionContext context) {
        final Footprint footprint = Footprint.take(runtimeDirectory());
        context.getStore(NAMESPACE).put(Beginning.class, new Beginning(footprint, CapturedLog.attach()));
    }

    private static void end(final ExtensionContext context, final List<ExpectedLog> ofMethod) {
        final Beginning beginning = context.getStore(NAMESPACE).remove(Beginning.class, Beginning.class);
        final List<String> complaints = new ArrayList<>();
        try (CapturedLog log = beginning.log()) {
            if (context.getExecutionException().isPresent()) {
                return;
            }
            complaints.addAll(leftAfterPatience(beginning.footprint(), patienceMs(context)));
            complaints.addAll(judge(log.messages(), ofMethod, ofClass(context)));
        }
        if (!complaints.isEmpty()) {
            throw new AssertionError(context.getDisplayName() + " is not clean; run again with "
                + TestSeed.ofThisJvm() + System.lineSeparator() + String.join(System.lineSeparator(), complaints));
        }
    }

    private static long patienceMs(final ExtensionContext context) {
        return context.getConfigurationParameter(PATIENCE_PARAMETER, Long::valueOf).orElse(DEFAULT_PATIENCE_MS);
    }

    private static List<String> leftAfterPatience(final Footprint before, final long patienceMs) {
        final long begunNs = System.nanoTime();
        List<String> left = Footprint.take(runtimeDirectory()).since(before);
        while (!left.isEmpty() && System.nanoTime() - begunNs < TimeUnit.MILLISECONDS.toNanos(patienceMs)) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            left = Footprint.take(runtimeDirectory()).since(before);
        }
        return left;
    }

    /** What the log holds and should not, and what it should hold and does not. */
    static List<String> judge(
        final List<String> messages, final List<ExpectedLog> ofMethod, final List<ExpectedLog> ofClass) {

        final List<String> complaints = new ArrayList<>();
        messages.stream()
            .filter(message -> Stream.concat(ofMethod.stream(), ofClass.stream()).noneMatch(e -> matches(e, message)))
            .forEach(message -> complaints.add("not expected in the log: " + message));
        ofMethod.stream()
            .filter(expected -> !expected.optional() && messages.stream().noneMatch(m -> matches(expected, m)))
            .forEach(expected -> complaints.add("expected in the log and not seen: " + expected.value()));
        return complaints;
    }

    private static boolean matches(final ExpectedLog expected, final String message) {
        return Pattern.compile(expected.value()).matcher(message).find();
    }

    /** The class's own declarations; for its end also those of its methods, whose events it has seen too. */
    private static List<ExpectedLog> ofClass(final ExtensionContext context) {
        final Class<?> test = context.getRequiredTestClass();
        final List<ExpectedLog> expected = new ArrayList<>(List.of(test.getAnnotationsByType(ExpectedLog.class)));
        if (context.getTestMethod().isEmpty()) {
            for (Class<?> type = test; type != null; type = type.getSuperclass()) {
                Arrays.stream(type.getDeclaredMethods())
                    .forEach(method -> expected.addAll(List.of(method.getAnnotationsByType(ExpectedLog.class))));
            }
        }
        return expected;
    }

    private static void remove(final Path directory) {
        try (Stream<Path> all = Files.walk(directory)) {
            all.sorted((a, b) -> b.getNameCount() - a.getNameCount()).forEach(path -> path.toFile().delete());
        } catch (final IOException ex) {
            System.err.println("could not remove " + directory + ": " + ex);
        }
    }
}
