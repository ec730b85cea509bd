package io.heddle.context.internal;

/**
 * The word that says who is inside a worker: 0 for nobody, else
 *
 * <pre>
 *   63                      9 8            1   0
 *  ┌─────────────────────────┬──────────────┬──────┐
 *  │        thread id        │  operation   │marked│
 *  └─────────────────────────┴──────────────┴──────┘
 * </pre>
 *
 * <p>Thread ids begin at 1, so no call is 0. {@code Thread.getId()} can be overridden by a subclass; one that gives two
 * threads the same id hides their overlaps. Immutable: functions of a long.
 */
final class GuardWord {
    private static final long MARK = 1L;
    private static final int OPERATION_SHIFT = 1;
    private static final int THREAD_SHIFT = 9;
    private static final long OPERATION_MASK = 0xFFL;

    private GuardWord() {
    }

    static long of(final long threadId, final Operation operation) {
        return threadId << THREAD_SHIFT | (long) operation.ordinal() << OPERATION_SHIFT;
    }

    static long threadId(final long word) {
        return word >>> THREAD_SHIFT;
    }

    static Operation operation(final long word) {
        return Operation.of((int) (word >>> OPERATION_SHIFT & OPERATION_MASK));
    }

    static boolean isMarked(final long word) {
        return (word & MARK) != 0;
    }

    static long marked(final long word) {
        return word | MARK;
    }

    /** Whether two readings are of the same thread in the same operation, marked or not. */
    static boolean isSameCall(final long a, final long b) {
        return (a | MARK) == (b | MARK);
    }
}
