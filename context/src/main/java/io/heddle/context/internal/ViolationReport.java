package io.heddle.context.internal;

import io.heddle.context.ThreadMode;
import io.heddle.context.ThreadModeViolation;

/**
 * Puts a broken thread-mode rule into words. Confined to the thread that makes it; slow, for a call that is about to
 * fail.
 */
final class ViolationReport {
    private static final int MAX_FRAMES = 40;

    private final String workerName;
    private final ThreadMode mode;

    ViolationReport(final String workerName, final ThreadMode mode) {
        this.workerName = workerName;
        this.mode = mode;
    }

    /**
     * @param holder the thread inside, or the owner, or null if unknown or nobody.
     * @param holderOperation what it is inside of, or null.
     * @param holderId its id, 0 if there is no such thread.
     */
    ThreadModeViolation violation(
        final Thread intruder,
        final Operation operation,
        final Thread holder,
        final long holderId,
        final Operation holderOperation,
        final boolean isForeign) {
        final StringBuilder text = new StringBuilder(1024);
        appendHead(text, "thread mode violation", intruder, operation);
        text.append(" otherThread=").append(holderId == 0 ? "none" : name(holder, holderId))
            .append(" otherOperation=").append(holderOperation == null ? "none" : holderOperation.toString());
        text.append("\n  what happened: thread ").append(name(intruder, intruder.getId())).append(" called ")
            .append(operation).append(' ');
        appendOther(text, holder, holderId, holderOperation, isForeign);
        appendRule(text, isForeign);
        appendCures(text);
        appendSampledStack(text, holder, holderId);
        return new ThreadModeViolation(text.toString(), workerName, mode, intruder, operation.toString(), holder,
            holderOperation == null ? null : holderOperation.toString());
    }

    /** The holder's side of the story, with the stack of the calling thread. */
    Throwable holderStack(final Thread holder, final Operation operation, final long sinceDetectedNs) {
        final StringBuilder text = new StringBuilder(512);
        appendHead(text, "thread mode violation, the other side", holder, operation);
        text.append("\n  another thread used this worker while this thread was inside ").append(operation)
            .append("; this is the exact stack of the overlapped call, which went on undisturbed and left ")
            .append(sinceDetectedNs).append(" ns after the overlap was found");
        return new HolderStack(text.toString());
    }

    private void appendHead(
        final StringBuilder text,
        final String title,
        final Thread thread,
        final Operation operation) {
        text.append(title).append(": worker=").append(workerName).append(" mode=").append(mode)
            .append(" thread=").append(name(thread, thread.getId())).append(" operation=").append(operation);
    }

    private void appendOther(
        final StringBuilder text,
        final Thread holder,
        final long holderId,
        final Operation holderOperation,
        final boolean isForeign) {
        if (holderId == 0) {
            text.append("on a worker that no thread owns: it was detached and nobody has called attach()");
        } else if (!isForeign) {
            text.append("while thread ").append(name(holder, holderId)).append(" was inside ").append(holderOperation)
                .append(" of the same worker");
        } else {
            text.append("but the worker's owner is thread ").append(name(holder, holderId));
            if (holderOperation != null) {
                text.append(", which was inside ").append(holderOperation).append(" at that moment");
            }
        }
        text.append(". This call was refused and has changed nothing; the other thread was not disturbed.");
    }

    private void appendRule(final StringBuilder text, final boolean isForeign) {
        text.append("\n  the rule: a ").append(mode).append(" worker may be used by ");
        if (mode == ThreadMode.SINGLE) {
            text.append("its owner thread only (the thread that created it, until transferTo(), or detach() and "
                + "attach())");
        } else {
            text.append("any thread, but by one at a time, and the application orders the calls");
        }
        text.append(". Releasing kept data with release() is a use of the worker.")
            .append(isForeign ? "" : " These two calls overlapped.");
    }

    private static void appendCures(final StringBuilder text) {
        text.append("\n  what to do, one of:")
            .append("\n    1. create the worker with ThreadMode.MULTI: Heddle then orders the calls with its own lock;")
            .append("\n    2. order the calls so that they never overlap: one lock around every use, or one thread ")
            .append("for all (in SINGLE hand the worker over with transferTo());")
            .append("\n    3. for kept receive data, call releaseAsync() or close() instead of release(): allowed on ")
            .append("any thread in every mode.");
    }

    private static void appendSampledStack(final StringBuilder text, final Thread holder, final long holderId) {
        if (holderId == 0) {
            return;
        }
        text.append("\n  stack of thread ").append(name(holder, holderId))
            .append(" (sampled, may be later than the overlap):");
        final StackTraceElement[] frames = holder == null ? new StackTraceElement[0] : holder.getStackTrace();
        if (frames.length == 0) {
            text.append("\n    none: the thread has ended or could not be sampled");
        }
        for (int i = 0; i < frames.length && i < MAX_FRAMES; i++) {
            text.append("\n    at ").append(frames[i]);
        }
        if (frames.length > MAX_FRAMES) {
            text.append("\n    … and ").append(frames.length - MAX_FRAMES).append(" more");
        }
    }

    private static String name(final Thread thread, final long id) {
        return '"' + (thread == null ? "unknown" : thread.getName()) + "\" (id=" + id + ')';
    }

    /** Carries the stack of the rightful user to the listener; never thrown. */
    static final class HolderStack extends Throwable {
        private static final long serialVersionUID = 1L;

        HolderStack(final String message) {
            super(message);
        }
    }
}
