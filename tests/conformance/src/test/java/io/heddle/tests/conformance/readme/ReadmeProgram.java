package io.heddle.tests.conformance.readme;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The program of a page: the Java block whose first line is {@value #MARK}. It is either a class with a main
 * method or, as in the design, statements that use {@code executor}, {@code use(kept)}, {@code header}, {@code data},
 * {@code offset}, {@code lengthBytes} and {@code onDone}, which are put around it. Immutable.
 */
final class ReadmeProgram {
    static final String MARK = "// README program";

    private static final Pattern BLOCK =
        Pattern.compile("```java\\R(" + Pattern.quote(MARK) + "\\R.*?)\\R```", Pattern.DOTALL);
    private static final Pattern CLASS = Pattern.compile("^(?:public |final )*class (\\w+)", Pattern.MULTILINE);
    private static final String AROUND = """
        import io.heddle.context.*;
        import io.heddle.endpoints.*;
        import io.heddle.worker.*;
        import java.time.Duration;
        import java.util.concurrent.*;
        import org.agrona.*;
        import org.agrona.concurrent.UnsafeBuffer;

        public final class Program {
            static void use(final ReceivedData kept) {
                kept.getByte(0);
            }

            public static void main(final String[] arguments) throws Exception {
                final ExecutorService executor = Executors.newSingleThreadExecutor();
                final UnsafeBuffer header = new UnsafeBuffer(new byte[8]);
                final UnsafeBuffer data = new UnsafeBuffer(new byte[64]);
                final int offset = 0;
                final int lengthBytes = data.capacity();
                final CompletionHandler onDone = (request, status) -> { };
                try {
        %s
                } finally {
                    executor.shutdown();
                    executor.awaitTermination(10, TimeUnit.SECONDS);
                }
            }
        }
        """;

    private final String className;
    private final String source;

    private ReadmeProgram(final String className, final String source) {
        this.className = className;
        this.source = source;
    }

    /** Of a page's text; empty if no block is marked. */
    static Optional<ReadmeProgram> of(final String page) {
        final Matcher block = BLOCK.matcher(page);
        if (!block.find()) {
            return Optional.empty();
        }
        final Matcher type = CLASS.matcher(block.group(1));
        return Optional.of(type.find() ? new ReadmeProgram(type.group(1), block.group(1))
            : new ReadmeProgram("Program", AROUND.formatted(block.group(1))));
    }

    /** Compiles it into the directory. What the compiler says; empty if nothing. */
    String compile(final Path directory) throws IOException {
        final Path file = directory.resolve(className + ".java");
        Files.writeString(file, source);
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final StringWriter says = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            final boolean isDone = compiler.getTask(says, files, null,
                List.of("-d", directory.toString(), "--release", "17", "-proc:none", "-classpath",
                    System.getProperty("java.class.path")), null, files.getJavaFileObjects(file)).call();
            return isDone ? says.toString() : "does not compile: " + says;
        }
    }

    /** Runs its main method in this JVM, from where it was compiled to. */
    void run(final Path directory) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(new URL[] {url(directory)})) {
            final Method main = loader.loadClass(className).getMethod("main", String[].class);
            main.setAccessible(true); // its class need not be public
            main.invoke(null, (Object) new String[0]);
        } catch (final InvocationTargetException ex) {
            throw new AssertionError("the program threw", ex.getCause());
        }
    }

    private static URL url(final Path directory) throws MalformedURLException {
        return directory.toUri().toURL();
    }
}
