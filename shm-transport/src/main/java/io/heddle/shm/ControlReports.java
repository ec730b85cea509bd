package io.heddle.shm;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.ErrorHandler;

/**
 * What the control thread has to complain about: counted, and handed to the context's error handler. Written by the
 * control thread.
 */
final class ControlReports {
    private static final int MAX_ONCE = 64;

    private final ErrorHandler errorHandler;
    private final AtomicLong errors = new AtomicLong();
    private final AtomicLong violations = new AtomicLong();
    private final AtomicLong refusals = new AtomicLong();
    private final Set<String> told = new HashSet<>();

    ControlReports(final ErrorHandler errorHandler) {
        this.errorHandler = errorHandler;
    }

    /** Something went wrong on this side. */
    void error(final Throwable error) {
        errors.incrementAndGet();
        tell(error);
    }

    /** A peer broke the rules. */
    void violation(final Throwable violation) {
        violations.incrementAndGet();
        tell(violation);
    }

    /**
     * A peer, or a wish for memory, was turned away; told once per key, and of no more than {@value #MAX_ONCE} keys.
     */
    void refusal(final String key, final Throwable refusal) {
        refusals.incrementAndGet();
        if (told.size() < MAX_ONCE && told.add(key)) {
            tell(refusal);
        }
    }

    private void tell(final Throwable problem) {
        try {
            errorHandler.onError(problem);
        } catch (final Throwable ex) { // a handler's own failure has nowhere to go, and must not end the thread
            errors.incrementAndGet();
        }
    }

    long errors() {
        return errors.get();
    }

    long violations() {
        return violations.get();
    }

    long refusals() {
        return refusals.get();
    }
}
