package io.heddle.tests.conformance.checklist;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Compares the checklist, the annotations and the page. {@code -Dconformance.write=true} writes the page first. */
@Timeout(30)
class ConformanceTest {
    private static final Path ROOT = root();
    private static final Path PAGE = ROOT.resolve("docs").resolve("conformance.md");

    @Test
    void shouldHaveListAndTestsAgree() throws IOException {
        final Checklist list = list();
        final List<StandingTest> tests = StandsForSources.find(ROOT);
        report(list, tests);

        assertEquals(List.of(), list.complaints(tests));
    }

    @Test
    void shouldHavePageUpToDate() throws IOException {
        final String page = ConformancePage.render(list(), StandsForSources.find(ROOT));
        if (Boolean.getBoolean("conformance.write")) {
            Files.createDirectories(PAGE.getParent());
            Files.writeString(PAGE, page);
        }

        assertEquals(page, Files.readString(PAGE), () -> "out of date: write it again by\n" + ConformancePage.COMMAND);
    }

    private static void report(final Checklist list, final List<StandingTest> tests) {
        final Set<String> tested = tests.stream().map(StandingTest::item).collect(Collectors.toSet());
        final List<String> toFlip = list.items().stream()
            .filter(item -> item.decision() == Decision.PLANNED && tested.contains(item.id()))
            .map(ChecklistItem::id).toList();
        System.out.println("conformance: " + ConformancePage.summary(list));
        System.out.println("conformance: planned items that have a test already: " + toFlip);
    }

    private static Checklist list() throws IOException {
        try (InputStream in = ConformanceTest.class.getResourceAsStream("/conformance/checklist.txt")) {
            return Checklist.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
        }
    }

    /** The checkout: given by the build, else found upwards from where the test runs. */
    private static Path root() {
        final String given = System.getProperty("heddle.test.project.root");
        Path path = Path.of(given == null ? "" : given).toAbsolutePath();
        while (!Files.isDirectory(path.resolve(".mvn"))) {
            path = path.getParent();
        }
        return path;
    }
}
