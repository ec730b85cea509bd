package io.heddle.context;

/**
 * Who may use a worker. Fixed when the worker is created; there is no default and no silent downgrade.
 *
 * <p>Every call on a worker, its endpoints, listeners and requests is a use of the worker unless its description says
 * that any thread may make it; the README has the table. Releasing kept receive data with {@code release()} is a use;
 * {@code releaseAsync()} and {@code close()} of kept data are not, and are allowed on any thread in every mode.
 * Immutable.
 */
public enum ThreadMode {
    /** Only the owner thread: the creator, until it hands the worker over. */
    SINGLE,
    /** Any thread, one at a time; the caller orders the calls, with a happens-before edge between them. */
    SERIALIZED,
    /** Any thread at any time; the worker lock orders the calls. */
    MULTI
}
