package io.heddle.tests.base;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What this process holds at one moment that Heddle could leave behind: its threads, the files of the runtime
 * directory, descriptors and mappings of such files. Immutable.
 *
 * @param threads     ids and names of live threads whose names begin with {@code heddle-}
 * @param files       files below the runtime directory
 * @param descriptors open descriptors by the path they refer to, counted
 * @param mappings    mapped files, counted
 */
record Footprint(
    Set<String> threads, Set<String> files, Map<String, Long> descriptors, Map<String, Long> mappings) {

    /** Counter files are mapped until the last counter is collected: a late count harms nothing. */
    private static final String COUNTERS = ".counters";

    static Footprint take(final Path runtimeDirectory) {
        return new Footprint(threadsNow(), filesIn(runtimeDirectory), descriptorsNow(),
            mappingsOf(runtimeDirectory));
    }

    /** One line for each thing that is here and was not there. */
    List<String> since(final Footprint before) {
        final List<String> left = new ArrayList<>();
        threads.stream().filter(thread -> !before.threads.contains(thread))
            .forEach(thread -> left.add("leaked thread: " + thread));
        files.stream().filter(file -> !before.files.contains(file))
            .forEach(file -> left.add("leaked file: " + file));
        addGrown(left, "leaked descriptor: ", descriptors, before.descriptors);
        addGrown(left, "leaked mapping: ", mappings, before.mappings);
        return left;
    }

    private static void addGrown(
        final List<String> left, final String what, final Map<String, Long> now, final Map<String, Long> before) {

        now.forEach((path, count) -> {
            final long more = count - before.getOrDefault(path, 0L);
            if (more > 0) {
                left.add(what + path + (more > 1 ? " times=" + more : ""));
            }
        });
    }

    private static Set<String> threadsNow() {
        return Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.isAlive() && thread.getName().startsWith("heddle-"))
            .map(thread -> thread.getName() + " id=" + threadId(thread))
            .collect(Collectors.toCollection(TreeSet::new));
    }

    @SuppressWarnings("deprecation") // threadId() came with 19
    private static long threadId(final Thread thread) {
        return thread.getId();
    }

    private static Set<String> filesIn(final Path directory) {
        if (!Files.isDirectory(directory)) {
            return Set.of();
        }
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(path -> !path.equals(directory)).map(Path::toString)
                .collect(Collectors.toCollection(TreeSet::new));
        } catch (final NoSuchFileException | UncheckedIOException ex) {
            return filesIn(directory); // one went while we looked: look again
        } catch (final IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Class path entries are left out: a checkout may have the name too. */
    private static Map<String, Long> descriptorsNow() {
        final Map<String, Long> counts = new TreeMap<>();
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            all.map(Footprint::target)
                .filter(path -> path.contains("heddle") && !path.endsWith(".jar") && !path.contains("/target/"))
                .forEach(path -> counts.merge(path, 1L, Long::sum));
        } catch (final IOException ex) {
            throw new UncheckedIOException(ex);
        }
        return counts;
    }

    private static String target(final Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (final IOException ex) {
            return ""; // closed while we looked
        }
    }

    private static Map<String, Long> mappingsOf(final Path directory) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(directory + "/") && !line.contains(COUNTERS))
                .map(line -> line.substring(line.indexOf('/')))
                .collect(Collectors.groupingBy(path -> path, TreeMap::new, Collectors.counting()));
        } catch (final IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
