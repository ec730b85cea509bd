package io.heddle.tests.conformance.checklist;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The list of what Heddle's tests are to stand for, in sections. Immutable once parsed. */
final class Checklist {
    private static final String SECTION = "== ";

    private final Map<String, List<ChecklistItem>> sections = new LinkedHashMap<>();

    private Checklist() {
    }

    /** Reads the lines of the list; refuses one that makes no sense, and an id that stands twice. */
    static Checklist parse(final List<String> lines) {
        final Checklist list = new Checklist();
        final Set<String> ids = new TreeSet<>();
        List<ChecklistItem> section = null;
        for (final String line : lines) {
            if (line.startsWith(SECTION)) {
                section = new ArrayList<>();
                list.sections.put(line.substring(SECTION.length()).strip(), section);
            } else if (!line.isBlank() && !line.startsWith("#")) {
                final ChecklistItem item = ChecklistItem.parse(line);
                if (section == null) {
                    throw new IllegalArgumentException("an item before the first section: line=" + line);
                }
                if (!ids.add(item.id())) {
                    throw new IllegalArgumentException("an item stands twice: id=" + item.id());
                }
                section.add(item);
            }
        }
        return list;
    }

    /** Items by section title, in the order of the list. */
    Map<String, List<ChecklistItem>> sections() {
        return sections;
    }

    /** All items, in the order of the list. */
    List<ChecklistItem> items() {
        return sections.values().stream().flatMap(List::stream).toList();
    }

    /** What does not fit between the list and the tests, one line each; empty if all does. */
    List<String> complaints(final List<StandingTest> tests) {
        final Map<String, ChecklistItem> byId =
            items().stream().collect(Collectors.toMap(ChecklistItem::id, item -> item));
        final Set<String> tested = tests.stream().map(StandingTest::item).collect(Collectors.toSet());
        final List<String> complaints = new ArrayList<>();
        for (final StandingTest test : tests) {
            final ChecklistItem item = byId.get(test.item());
            if (item == null) {
                complaints.add("no such item: id=" + test.item() + " test=" + test.name());
            } else if (item.decision() == Decision.LEFT_OUT) {
                complaints.add("left out, but tested: id=" + test.item() + " test=" + test.name());
            }
        }
        items().stream()
            .filter(item -> item.decision().needsTest() && !tested.contains(item.id()))
            .forEach(item -> complaints.add("no test stands for it: id=" + item.id()
                + " decision=" + item.decision().word()));
        return complaints;
    }
}
