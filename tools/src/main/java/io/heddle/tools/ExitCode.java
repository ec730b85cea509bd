package io.heddle.tools;

/** How every command ends, for scripts. */
final class ExitCode {
    /** All is right. */
    static final int RIGHT = 0;
    /** It failed; a wrong byte is always this. */
    static final int FAILED = 1;
    /** The arguments make no sense. */
    static final int BAD_ARGUMENTS = 2;
    /** A call that the worker's thread mode forbids was caught. */
    static final int VIOLATION = 3;
    /** Every byte was right, but the audit found loss, or misuse that was refused. */
    static final int AUDIT = 4;

    private ExitCode() {
    }
}
