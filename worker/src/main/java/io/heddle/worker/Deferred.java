package io.heddle.worker;

/** Something to be told to the application by the dispatcher, after the batch at hand, with no lock held. */
interface Deferred {
    /** Runs application code. Dispatching thread only; may throw what the application throws. */
    void tell();

    /** Whom an exception is reported with, or null. */
    Connection connection();
}
