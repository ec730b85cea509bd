package io.heddle.tests.conformance.checklist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds {@code @StandsFor} in the sources of every module. Sources rather than classes, so that the answer is the same
 * whichever modules a build has made, and no class of a deleted test counts. Stateless.
 */
final class StandsForSources {
    private static final Pattern ANNOTATION =
        Pattern.compile("@StandsFor\\(\\s*(?:value\\s*=\\s*)?(\\{[^}]*}|\"[^\"]*\")\\s*\\)");
    private static final Pattern LITERAL = Pattern.compile("\"([^\"]*)\"");
    /** Between an annotation and what it stands on: space, and other annotations with at most nested parentheses. */
    private static final Pattern FURTHER_ANNOTATIONS =
        Pattern.compile("(?:\\s|@[\\w.]+(?:\\((?:[^()]|\\([^()]*\\))*\\))?)*");
    private static final Pattern TYPE = Pattern.compile("^[^({;]*\\b(?:class|record|interface)\\s+(\\w+)");
    private static final Pattern METHOD = Pattern.compile("^[^({;]*?(\\w+)\\s*\\(");
    /** This package's own examples, and the annotation itself. */
    private static final List<String> NOT_TESTS = List.of("/conformance/checklist/", "/tests/base/");

    private StandsForSources() {
    }

    /** All of a checkout, sorted. */
    static List<StandingTest> find(final Path root) throws IOException {
        final TreeSet<StandingTest> found = new TreeSet<>();
        final List<Path> modules = new ArrayList<>();
        for (final Path parent : List.of(root, root.resolve("tests"))) {
            try (Stream<Path> children = Files.list(parent)) {
                children.filter(child -> Files.isRegularFile(child.resolve("pom.xml"))).forEach(modules::add);
            }
        }
        for (final Path module : modules) {
            if (Files.isDirectory(module.resolve("src"))) {
                findIn(module.resolve("src"), found);
            }
        }
        return List.copyOf(found);
    }

    private static void findIn(final Path directory, final TreeSet<StandingTest> found) throws IOException {
        final List<Path> sources;
        try (Stream<Path> all = Files.walk(directory)) {
            sources = all.filter(path -> path.toString().endsWith(".java"))
                .filter(path -> NOT_TESTS.stream().noneMatch(path.toString()::contains)).toList();
        }
        for (final Path source : sources) {
            final String type = source.getFileName().toString().replace(".java", "");
            found.addAll(parse(type, Files.readString(source)));
        }
    }

    /** The annotations of one source file, whose top-level type is {@code type}. */
    static List<StandingTest> parse(final String type, final String source) {
        final List<StandingTest> found = new ArrayList<>();
        final Matcher annotation = ANNOTATION.matcher(source);
        while (annotation.find()) {
            final String member = memberAfter(type, source, annotation.end());
            final Matcher literal = LITERAL.matcher(annotation.group(1));
            while (literal.find()) {
                found.add(new StandingTest(literal.group(1), member));
            }
        }
        return found;
    }

    private static String memberAfter(final String type, final String source, final int end) {
        final Matcher further = FURTHER_ANNOTATIONS.matcher(source).region(end, source.length());
        final String rest = source.substring(further.lookingAt() ? further.end() : end);
        final Matcher nested = TYPE.matcher(rest);
        if (nested.find()) {
            return nested.group(1).equals(type) ? type : type + "." + nested.group(1);
        }
        final Matcher method = METHOD.matcher(rest);
        if (method.find()) {
            return type + "." + method.group(1);
        }
        throw new IllegalArgumentException("an annotation that stands on nothing: type=" + type);
    }
}
