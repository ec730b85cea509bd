package io.heddle.context;

/**
 * One element that was out when its pool was closed. Immutable.
 *
 * @param text       the whole report in one line.
 * @param pool       name of the pool.
 * @param index      the element's number in the pool.
 * @param sizeBytes  bytes of the element.
 * @param ageNs      how long it has been held, 0 if nobody holds it (taken or lent and never filled).
 * @param holder     who has it, in the pool's describer's words.
 * @param generation the element's generation.
 * @param receipt    the stack of its receipt, null without leak tracking.
 * @param lastTouch  the stack of the last retain or release, null without leak tracking or if there was none.
 */
public record Leak(String text, String pool, int index, long sizeBytes, long ageNs, String holder, int generation,
                   Throwable receipt, Throwable lastTouch) {
    @Override
    public String toString() {
        return text;
    }
}
