package io.heddle.tests.conformance.checklist;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes {@code docs/conformance.md}: the same text for the same list and tests, whatever the machine. Stateless. */
final class ConformancePage {
    /** How to write the page again. */
    static final String COMMAND =
        "mvn -q -pl tests/conformance -am test -Dtest=ConformanceTest -Dconformance.write=true";

    private static final String HEAD = """
        # What the tests stand for

        UCX's own tests are the best description of how such a runtime must behave, and public reports the best
        description of how one fails. This page says which of both Heddle's tests stand for. It is generated from
        `tests/conformance/src/test/resources/conformance/checklist.txt` and the `@StandsFor` annotations of the tests;
        the build fails when it is out of date. To write it again:

            %s

        Kinds: **P** the behaviour as it is, **A** adapted, **X** not Heddle's subject, **F** a failure users have met.
        """;

    private ConformancePage() {
    }

    static String render(final Checklist list, final List<StandingTest> tests) {
        final Map<String, List<String>> names = tests.stream().sorted().collect(Collectors.groupingBy(
            StandingTest::item, Collectors.mapping(StandingTest::name, Collectors.toList())));
        final StringBuilder page = new StringBuilder(HEAD.formatted(COMMAND));
        page.append('\n').append(summary(list)).append('\n');
        list.sections().forEach((title, items) -> {
            page.append("\n## ").append(title).append("\n\n| item | kind | shows | decision | tests, or why |\n")
                .append("|---|---|---|---|---|\n");
            items.forEach(item -> page.append(row(item, names.getOrDefault(item.id(), List.of()))));
        });
        return page.toString();
    }

    /** Decisions and how many items have each, such as {@code 3 ported, 1 left out}. */
    static String summary(final Checklist list) {
        final Map<Decision, Long> counts =
            list.items().stream().collect(Collectors.groupingBy(ChecklistItem::decision, Collectors.counting()));
        return Arrays.stream(Decision.values()).filter(counts::containsKey)
            .map(decision -> counts.get(decision) + " " + decision.word())
            .collect(Collectors.joining(", ", "Items: ", "."));
    }

    private static String row(final ChecklistItem item, final List<String> tests) {
        final String names = tests.stream().map(name -> "`" + name + "`").collect(Collectors.joining(", "));
        final String separator = names.isEmpty() || item.reason().isEmpty() ? "" : "; ";
        return "| " + String.join(" | ", item.id(), item.kind(), item.shows(), item.decision().word(),
            names + separator + item.reason()) + " |\n";
    }
}
