package io.heddle.tools;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The git checkout that a class was built in, if it still lies there: nothing else can be asked without a build that
 * records it. Immutable.
 */
final class Checkout {
    private static final Pattern VERSION = Pattern.compile(
        "<artifactId>heddle-parent</artifactId>\\s*<version>([^<]+)</version>");
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");

    private final Path root;

    private Checkout(final Path root) {
        this.root = root;
    }

    /** Of the classes or the jar that {@code type} comes from. */
    static Checkout of(final Class<?> type) {
        final CodeSource source = type.getProtectionDomain().getCodeSource();
        return source == null ? new Checkout(null) : new Checkout(rootAbove(source.getLocation().toString()));
    }

    private static Path rootAbove(final String location) {
        try {
            Path path = Path.of(new URI(location));
            while (path != null && !Files.exists(path.resolve(".git"))) {
                path = path.getParent();
            }
            return path != null && Files.exists(path.resolve("tools/pom.xml")) ? path : null;
        } catch (final URISyntaxException | IllegalArgumentException e) {
            return null;
        }
    }

    /** The commit that is checked out, in full. */
    Optional<String> revision() {
        if (root == null) {
            return Optional.empty();
        }
        try {
            final Path git = gitDirectory();
            final String head = Files.readString(git.resolve("HEAD")).strip();
            final String hash = head.startsWith("ref: ") ? resolve(git, head.substring(5)) : head;
            return Optional.of(hash).filter(text -> HASH.matcher(text).matches());
        } catch (final IOException e) {
            return Optional.empty();
        }
    }

    /** The version that the parent's description names. */
    Optional<String> version() {
        if (root == null) {
            return Optional.empty();
        }
        try {
            final Matcher matcher = VERSION.matcher(Files.readString(root.resolve("pom.xml")));
            return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
        } catch (final IOException e) {
            return Optional.empty();
        }
    }

    /** In a work tree of its own, {@code .git} is a file that says where. */
    private Path gitDirectory() throws IOException {
        final Path git = root.resolve(".git");
        return Files.isDirectory(git) ? git
            : root.resolve(Files.readString(git).strip().replaceFirst("^gitdir: ", ""));
    }

    private static String resolve(final Path git, final String reference) throws IOException {
        final Path pointer = git.resolve("commondir");
        final Path common = Files.exists(pointer) ? git.resolve(Files.readString(pointer).strip()) : git;
        final Path loose = common.resolve(reference);
        if (Files.exists(loose)) {
            return Files.readString(loose).strip();
        }
        final Path packed = common.resolve("packed-refs");
        if (!Files.exists(packed)) {
            return "";
        }
        try (var lines = Files.lines(packed)) {
            return lines.filter(line -> line.endsWith(" " + reference)).findFirst()
                .map(line -> line.split(" ")[0]).orElse("");
        }
    }
}
