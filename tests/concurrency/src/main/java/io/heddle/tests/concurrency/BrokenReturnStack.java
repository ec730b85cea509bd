package io.heddle.tests.concurrency;

/**
 * A return stack as it must not be: its head is read and written in two steps, and whether it is closed is a word
 * apart. Its count is right for chains without a cycle only; no test makes one.
 */
final class BrokenReturnStack {
    private BrokenElement head;
    private boolean closed;
    private int late;

    boolean push(final BrokenElement element) {
        if (closed) {
            late++;
            return false;
        }
        final BrokenElement seen = head;
        element.next = seen;
        head = element;
        return seen == null;
    }

    int drainAndCount() {
        final BrokenElement newest = head;
        head = null;
        int count = 0;
        for (BrokenElement element = newest; element != null; element = element.next) {
            count++;
        }
        return count;
    }

    int closeAndCount() {
        closed = true;
        return drainAndCount();
    }

    int late() {
        return late;
    }
}
