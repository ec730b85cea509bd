package io.heddle.context;

/** What closing does with operations under way. */
public enum CloseMode {
    /**
     * Waits until what was accepted has been handed over, up to the deadline; what is left then is cut off and
     * reported.
     */
    FLUSH,
    /** Cuts everything off at once and reports it. */
    FORCE
}
