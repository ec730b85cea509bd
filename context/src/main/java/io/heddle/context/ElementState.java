package io.heddle.context;

/**
 * The state word of a {@link PoolElement}: {@code generation:32 | state:8 | references:24}, one long so that one
 * compare-and-set moves all three.
 *
 * <pre>
 *   63                              32 31        24 23                  0
 *  +----------------------------------+------------+---------------------+
 *  |            generation            |   state    |     references      |
 *  +----------------------------------+------------+---------------------+
 * </pre>
 */
final class ElementState {
    /** On the pool's free stack. */
    static final int FREE = 0;
    /** With the owner of the pool: neither free nor given to anybody. */
    static final int TAKEN = 1;
    /** A peer may write into it. */
    static final int LENT = 2;
    /** Filled and referred to by one or more holders; the only state with references. */
    static final int HELD = 3;
    /** The last holder let go; on its way to the owner over the return stack. */
    static final int RETURNED = 4;
    /** Its pool has given it up: trimmed, or let go after the pool was closed. Nothing leads out of this state. */
    static final int RETIRED = 5;

    /** The most references an element can have. */
    static final int MAX_REFERENCES = (1 << 24) - 1;

    private static final String[] NAMES = {"FREE", "TAKEN", "LENT", "HELD", "RETURNED", "RETIRED"};

    private ElementState() {
    }

    static long word(final int generation, final int state, final int references) {
        return (long) generation << 32 | (long) state << 24 | references;
    }

    static int generation(final long word) {
        return (int) (word >>> 32);
    }

    static int state(final long word) {
        return (int) (word >>> 24) & 0xFF;
    }

    static int references(final long word) {
        return (int) word & MAX_REFERENCES;
    }

    static String name(final long word) {
        return NAMES[state(word)];
    }
}
