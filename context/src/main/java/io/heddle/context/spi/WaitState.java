package io.heddle.context.spi;

/**
 * The reader's word: what a sender must do after it has published. Constants only.
 *
 * <p>{@code POLLING}: nothing. {@code MAY_SLEEP}: a store-load fence, then look again. {@code ARMED} and greater:
 * signal, once per word; an odd word asks to be signalled for room too, an even one for records only.
 */
public final class WaitState {
    /** The reader spins; a sender does nothing. */
    public static final long POLLING = 0;
    /** The reader is about to sleep; a sender fences and looks again. */
    public static final long MAY_SLEEP = 1;
    /** The least armed word; every greater word is armed too. Bit 0: room is waited for. The bits above: the epoch. */
    public static final long ARMED = 2;

    private WaitState() {
    }
}
