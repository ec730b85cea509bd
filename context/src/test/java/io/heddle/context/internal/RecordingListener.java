package io.heddle.context.internal;

import io.heddle.context.ThreadModeViolation;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers what a guard told. Thread safe. */
final class RecordingListener implements ViolationListener {
    final List<ThreadModeViolation> violations = new CopyOnWriteArrayList<>();
    final List<ThreadModeViolation> firstOfPair = new CopyOnWriteArrayList<>();
    final List<Throwable> holderStacks = new CopyOnWriteArrayList<>();
    final List<Thread> toldOn = new CopyOnWriteArrayList<>();

    @Override
    public void onViolation(final ThreadModeViolation violation, final boolean isFirst) {
        toldOn.add(Thread.currentThread());
        violations.add(violation);
        if (isFirst) {
            firstOfPair.add(violation);
        }
    }

    @Override
    public void onHolderLeft(final Throwable exactStack, final boolean isFirst) {
        holderStacks.add(exactStack);
    }
}
