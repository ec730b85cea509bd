package io.heddle.tests.conformance.checklist;

import java.util.Arrays;

/** What was decided on an item of the checklist. */
enum Decision {
    PLANNED("planned"),
    PORTED("ported"),
    ADAPTED("adapted"),
    LATER("later"),
    LEFT_OUT("left out");

    private final String word;

    Decision(final String word) {
        this.word = word;
    }

    /** As it stands in the list and on the page. */
    String word() {
        return word;
    }

    /** Whether a test must stand for the item. */
    boolean needsTest() {
        return this == PORTED || this == ADAPTED;
    }

    /** Whether the list must say why. */
    boolean needsReason() {
        return this == ADAPTED || this == LATER || this == LEFT_OUT;
    }

    static Decision ofWord(final String word) {
        return Arrays.stream(values()).filter(decision -> decision.word.equals(word)).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("unknown decision: decision=" + word));
    }
}
