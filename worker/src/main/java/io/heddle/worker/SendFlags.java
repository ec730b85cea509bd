package io.heddle.worker;

/** Flags of a send, to be added up. Constants only. */
public final class SendFlags {
    /** The default: the receiver may reply. */
    public static final int NONE = 0;
    /** The receiver is given no endpoint to reply to. */
    public static final int NO_REPLY = 1;

    static final int ALL = NO_REPLY;

    private SendFlags() {
    }
}
