package io.heddle.tests.conformance.checklist;

/**
 * One line of the checklist. Immutable.
 *
 * @param id       what {@code @StandsFor} names
 * @param kind     P, A, X or F
 * @param decision what becomes of it
 * @param shows    what its test shows
 * @param reason   why, or empty
 */
record ChecklistItem(String id, String kind, Decision decision, String shows, String reason) {
    static ChecklistItem parse(final String line) {
        final String[] fields = line.split("\\|", -1);
        if (fields.length < 4 || fields.length > 5) {
            throw new IllegalArgumentException("needed 4 or 5 fields: line=" + line);
        }
        final ChecklistItem item = new ChecklistItem(fields[0].strip(), fields[1].strip(),
            Decision.ofWord(fields[2].strip()), fields[3].strip(), fields.length == 5 ? fields[4].strip() : "");
        if (item.id.isEmpty() || item.shows.isEmpty() || !item.kind.matches("[PAXF]")) {
            throw new IllegalArgumentException("a field is missing or unknown: line=" + line);
        }
        if (item.decision.needsReason() == item.reason.isEmpty()) {
            throw new IllegalArgumentException("a reason is " + (item.reason.isEmpty() ? "missing" : "not needed")
                + ": decision=" + item.decision.word() + " line=" + line);
        }
        return item;
    }
}
