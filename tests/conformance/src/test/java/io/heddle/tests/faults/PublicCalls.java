package io.heddle.tests.faults;

import io.heddle.context.Context;
import io.heddle.endpoints.ConnectionRequest;
import io.heddle.endpoints.Endpoint;
import io.heddle.endpoints.Listener;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.Claim;
import io.heddle.worker.Connection;
import io.heddle.worker.HandlerPool;
import io.heddle.worker.NamedListener;
import io.heddle.worker.PendingConnection;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The public methods through which an application reaches a worker, as they are compiled. Stateless. */
final class PublicCalls {
    /** Classes of which a call may be a use of a worker; and the context, which workers share. */
    private static final List<Class<?>> OF_A_WORKER = List.of(Context.class, Worker.class, Endpoint.class,
        Connection.class, Request.class, Claim.class, ActiveMessage.class, ReceivedData.class, Listener.class,
        NamedListener.class, PendingConnection.class, ConnectionRequest.class, ProgressThread.class, HandlerPool.class,
        HandlerPool.Builder.class);
    /** The others of their packages: values, constants, and what the application implements. */
    private static final Set<String> OF_NO_WORKER = Set.of("BufferVector", "WorkerAddress", "WorkerStatistics",
        "SendFlags", "ReleasePolicy", "ConnectOptions", "ActiveMessageHandler", "CompletionHandler",
        "ConnectionErrorHandler", "PendingConnectionHandler", "PooledHandler", "WorkerErrorHandler",
        "ConnectionRequestHandler", "EndpointErrorHandler");

    private PublicCalls() {
    }

    /** Public classes of {@code worker} and {@code endpoints} of which nobody has said whether they use a worker. */
    static Set<String> unknownClasses() throws Exception {
        final Set<String> unknown = publicClassesBeside(Worker.class);
        unknown.addAll(publicClassesBeside(Endpoint.class));
        OF_A_WORKER.forEach(type -> unknown.remove(type.getSimpleName()));
        unknown.removeAll(OF_NO_WORKER);
        return unknown;
    }

    /** Of its package, from the directory or the jar that it came from. */
    private static Set<String> publicClassesBeside(final Class<?> type) throws Exception {
        final Path source = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        final String folder = type.getPackageName().replace('.', '/');
        if (Files.isDirectory(source)) {
            return publicClasses(source.resolve(folder), type.getPackageName());
        }
        try (FileSystem jar = FileSystems.newFileSystem(source)) {
            return publicClasses(jar.getPath(folder), type.getPackageName());
        }
    }

    private static Set<String> publicClasses(final Path folder, final String packageName) throws Exception {
        final Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (final Path file : files.toList()) {
                final String name = file.getFileName().toString().replaceFirst("[.]class$", "");
                if (!name.equals("package-info")) {
                    final Class<?> type = Class.forName(packageName + '.' + name);
                    if (Modifier.isPublic(type.getModifiers())) {
                        names.add(type.getSimpleName());
                    }
                }
            }
        }
        return names;
    }

    /** As {@code Worker.await(Duration)}. */
    static Set<String> signatures() {
        return OF_A_WORKER.stream().flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
            .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
            .map(PublicCalls::signature).collect(Collectors.toCollection(TreeSet::new));
    }

    private static String signature(final Method method) {
        return method.getDeclaringClass().getSimpleName() + '.' + method.getName() + Arrays
            .stream(method.getParameterTypes()).map(Class::getSimpleName).collect(Collectors.joining(",", "(", ")"));
    }
}
