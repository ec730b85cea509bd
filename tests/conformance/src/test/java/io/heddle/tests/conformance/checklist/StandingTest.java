package io.heddle.tests.conformance.checklist;

/**
 * A test, or a class of tests, that stands for an item. Immutable.
 *
 * @param item the item's id
 * @param name {@code Class} or {@code Class.method}, simple names
 */
record StandingTest(String item, String name) implements Comparable<StandingTest> {
    @Override
    public int compareTo(final StandingTest other) {
        final int byItem = item.compareTo(other.item);
        return byItem != 0 ? byItem : name.compareTo(other.name);
    }
}
