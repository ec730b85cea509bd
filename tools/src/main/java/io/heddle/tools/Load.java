package io.heddle.tools;

/** What the client does over and over while it is measured. Confined to the client's thread. */
interface Load {
    /**
     * Works until {@code untilNs} of {@link System#nanoTime()}, or until the budget is used up, and fills {@code
     * into}, which is empty.
     */
    void run(Tally into, long untilNs);

    /** From now on at most so many operations. */
    void budget(long operations);

    boolean isExhausted();

    /** Operations done since the last {@link #budget(long)}. */
    long operations();
}
