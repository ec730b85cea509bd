package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.heddle.context.Status;
import io.heddle.worker.Worker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * An application's own selector with workers in it, and the loop around it. Unlike {@code await} it never looks by
 * itself, so that nothing but a wake-up gets a worker going. Confined.
 */
final class SelectorLoop implements AutoCloseable {
    final Selector selector;

    SelectorLoop(final Worker... workers) throws IOException {
        selector = Selector.open();
        for (final Worker worker : workers) {
            worker.selectableChannel().register(selector, SelectionKey.OP_READ, worker);
        }
    }

    /** Progresses a worker until it has nothing to do and is armed. */
    static void fallAsleep(final Worker worker) {
        do {
            Duo.until(worker, "nothing to do", () -> worker.progress() == 0);
        } while (worker.arm() != Status.OK);
    }

    /** What is readable at this moment. */
    Set<Object> ready() {
        return select(false);
    }

    /** Sleeps until something is readable. */
    Set<Object> sleep() {
        final Set<Object> ready = select(true);
        assertFalse(ready.isEmpty(), "nothing has woken it");
        return ready;
    }

    private Set<Object> select(final boolean isPatient) {
        final Set<Object> ready = new HashSet<>();
        try {
            if (isPatient) {
                selector.select(key -> ready.add(key.attachment()), Duo.LIMIT.toMillis());
            } else {
                selector.selectNow(key -> ready.add(key.attachment()));
            }
        } catch (final IOException ex) {
            throw new UncheckedIOException(ex);
        }
        return ready;
    }

    /** Puts every worker to sleep, and progresses those that are woken until it holds. */
    void until(final BooleanSupplier holds) {
        selector.keys().forEach(key -> fallAsleep((Worker) key.attachment()));
        while (!holds.getAsBoolean()) {
            sleep().forEach(worker -> fallAsleep((Worker) worker));
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }
}
