package io.heddle.tests.concurrency;

/**
 * An element's state as it must not be: the word is read, checked and written in three steps instead of one
 * compare-and-set. Also a link of {@link BrokenReturnStack}.
 */
final class BrokenElement {
    /** References while held; 0 is returned. */
    private int references = 1;
    /** The next older one of a broken return stack. */
    BrokenElement next;

    /** 1 if this release was the last one, 0 if not, 2 if it was refused. */
    int release() {
        final int now = references;
        if (now == 0) {
            return 2;
        }
        references = now - 1;
        return now == 1 ? 1 : 0;
    }

    /** 1 if the element could be retained, 2 if that was refused. */
    int retain() {
        final int now = references;
        if (now == 0) {
            return 2;
        }
        references = now + 1;
        return 1;
    }

    int references() {
        return references;
    }
}
